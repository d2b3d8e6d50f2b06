//===- Support.h - what the fuzzers share ---------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TEST_FUZZ_SUPPORT_H
#define MM01_TEST_FUZZ_SUPPORT_H

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace mm01::fuzz {

/// A file in memory that readers open by its path, without a disk.
class MemoryFile {
public:
  MemoryFile();

  /// Replaces the content.
  void write(std::string_view content);
  const std::string &path() const { return name; }

private:
  int descriptor;
  std::string name;
};

/// Mutates bytes as the fuzzing engine likes; they grow by `room` at most.
void mutate(std::string &bytes, size_t room);

/// Copies a mutated input back to the engine, cut to `most` bytes.
size_t give(std::string_view bytes, uint8_t *data, size_t most);

/// Ends the process with the line `what` when a reader breaks a promise.
void expect(bool holds, const char *what);

inline std::string_view text(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// A number in [0, below), from the seed that the engine gives a mutation.
inline size_t draw(std::minstd_rand &random, size_t below) {
  return random() % below;
}

} // namespace mm01::fuzz

/// The fuzzing engine calls both; the second is optional.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed);

#endif // MM01_TEST_FUZZ_SUPPORT_H
