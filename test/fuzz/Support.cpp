//===- Support.cpp - what the fuzzers share -------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/Support.h"

#include "frontend/safetensors/Status.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace mm01;

/// Of the fuzzing engine.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

fuzz::MemoryFile::MemoryFile() : descriptor(::memfd_create("mm01-fuzz", 0)) {
  expect(descriptor >= 0, "a file in memory");
  name = concat("/proc/self/fd/", descriptor);
}

void fuzz::MemoryFile::write(std::string_view content) {
  const auto bytes = static_cast<ssize_t>(content.size());
  expect(::ftruncate(descriptor, bytes) == 0 &&
             ::pwrite(descriptor, content.data(), content.size(), 0) == bytes,
         "a file in memory takes what is written");
}

void fuzz::mutate(std::string &bytes, size_t room) {
  const size_t size = bytes.size();
  bytes.resize(size + room);
  auto *data = reinterpret_cast<uint8_t *>(bytes.data());
  bytes.resize(LLVMFuzzerMutate(data, size, bytes.size()));
}

size_t fuzz::give(std::string_view bytes, uint8_t *data, size_t most) {
  const size_t size = std::min(bytes.size(), most);
  std::memcpy(data, bytes.data(), size);
  return size;
}

void fuzz::expect(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "fuzz: expected %s\n", what);
  std::abort();
}
