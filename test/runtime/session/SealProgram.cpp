//===- SealProgram.cpp - seals a hand-written program in place ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: seal-program PROGRAM.so
//
// The compiler seals what it links; the toy programs of the tests are linked by
// the build, which runs this on them.
//
//===----------------------------------------------------------------------===//

#include "runtime/abi/program.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: seal-program PROGRAM.so\n");
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  in.close();
  // The unsealed content of the section, which the program has once.
  mm01_seal seal = {};
  std::memcpy(seal.magic, MM01_SEAL_MAGIC, sizeof seal.magic);
  seal.abi = MM01_ABI_VERSION;
  size_t at = bytes.find(
      std::string(reinterpret_cast<const char *>(&seal), sizeof seal));
  if (at == std::string::npos) {
    std::fprintf(stderr, "%s: no unsealed seal\n", argv[1]);
    return 1;
  }
  seal.file_bytes = bytes.size();
  std::memcpy(bytes.data() + at, &seal, sizeof seal);
  seal.xxh3 = XXH3_64bits(bytes.data(), bytes.size());
  std::memcpy(bytes.data() + at, &seal, sizeof seal);
  std::ofstream out(argv[1], std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return out.flush() ? 0 : 1;
}
