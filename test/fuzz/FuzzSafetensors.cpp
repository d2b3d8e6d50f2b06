//===- FuzzSafetensors.cpp - opens damaged checkpoints --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens an index with two shards, or one file alone, and reads every byte of
// every tensor that it is said to hold. An input is
//
//   bytes of the index (u16), bytes of shard a (u16), index, shard a, shard b
//
// and is one file, shard b, when the index is empty. A mutation changes one
// part; that of a file mends the length of its header most of the time, which
// would otherwise stop almost every input at the first check.
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/Checkpoint.h"
#include "test/fuzz/Support.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace mm01;
using namespace mm01::safetensors;

namespace {

struct Input {
  std::string index, first, second;

  explicit Input(std::string_view bytes) {
    uint16_t sizes[2] = {0, 0};
    const size_t head = std::min(bytes.size(), sizeof(sizes));
    std::memcpy(sizes, bytes.data(), head);
    bytes.remove_prefix(head);
    index = take(bytes, sizes[0]);
    first = take(bytes, sizes[1]);
    second = bytes;
  }

  std::string bytes() const {
    const uint16_t sizes[2] = {static_cast<uint16_t>(index.size()),
                               static_cast<uint16_t>(first.size())};
    return std::string(reinterpret_cast<const char *>(sizes), sizeof(sizes)) +
           index + first + second;
  }

private:
  static std::string take(std::string_view &bytes, size_t size) {
    std::string_view part = bytes.substr(0, size);
    bytes.remove_prefix(part.size());
    return std::string(part);
  }
};

/// A folder with an index and two shards, all of them files in memory.
class Folder {
public:
  Folder() {
    const char *parent = std::getenv("TMPDIR");
    path = std::string(parent ? parent : "/tmp") + "/mm01-fuzz-XXXXXX";
    fuzz::expect(::mkdtemp(path.data()), "a temporary folder");
    for (auto [file, name] : {std::pair(&index, indexName),
                              {&first, firstName},
                              {&second, secondName}})
      fuzz::expect(::symlink(file->path().c_str(), at(name).c_str()) == 0,
                   "a link in a temporary folder");
  }
  ~Folder() {
    for (const char *name : {indexName, firstName, secondName})
      ::unlink(at(name).c_str());
    ::rmdir(path.c_str());
  }

  Result<Checkpoint> open(const Input &input) {
    second.write(input.second);
    if (input.index.empty())
      return Checkpoint::open(second.path());
    index.write(input.index);
    first.write(input.first);
    return Checkpoint::open(path);
  }

private:
  static constexpr const char *indexName = "model.safetensors.index.json";
  static constexpr const char *firstName = "a.safetensors";
  static constexpr const char *secondName = "b.safetensors";

  std::string at(const char *name) const { return path + "/" + name; }

  std::string path;
  fuzz::MemoryFile index, first, second;
};

} // namespace

/// Changes a safetensors file: all of it, its header, or its data.
static void mutateFile(std::string &file, size_t room,
                       std::minstd_rand &random) {
  uint64_t headerBytes = 0;
  constexpr size_t lengthBytes = sizeof(headerBytes);
  const size_t way = fuzz::draw(random, 8);
  if (way == 0 || file.size() < lengthBytes)
    return fuzz::mutate(file, room);
  std::memcpy(&headerBytes, file.data(), lengthBytes);
  headerBytes = std::min<uint64_t>(headerBytes, file.size() - lengthBytes);
  std::string header = file.substr(lengthBytes, headerBytes);
  std::string data = file.substr(lengthBytes + headerBytes);
  fuzz::mutate(way == 1 ? data : header, room);
  headerBytes = header.size();
  file.assign(reinterpret_cast<const char *>(&headerBytes), lengthBytes);
  file += header + data;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  Input input(fuzz::text(data, size));
  const size_t room = most - std::min(most, size);
  if (input.index.empty() || fuzz::draw(random, 3) == 0)
    mutateFile(input.second, room, random);
  else if (fuzz::draw(random, 2) == 0)
    mutateFile(input.first, room, random);
  else
    fuzz::mutate(input.index, room);
  return fuzz::give(input.bytes(), data, most);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Folder folder;
  Result<Checkpoint> checkpoint = folder.open(Input(fuzz::text(data, size)));
  if (checkpoint.failed())
    return 0;
  for (const TensorInfo *tensor : checkpoint->tensors()) {
    fuzz::expect(checkpoint->find(tensor->name) == tensor,
                 "a tensor under its name");
    fuzz::expect(reinterpret_cast<uintptr_t>(tensor->data) %
                         elementBytes(tensor->type) ==
                     0,
                 "a tensor aligned to its elements");
    // A byte past the mapping would end the process here.
    const volatile std::byte *data = tensor->data;
    for (uint64_t byte = 0; byte < tensor->bytes; ++byte)
      (void)data[byte];
  }
  return 0;
}
