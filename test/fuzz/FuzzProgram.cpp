//===- FuzzProgram.cpp - reads damaged programs ---------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the manifest of a program, as `mm01-run info` does. An input that
// begins with '{' is a manifest alone; anything else is a program's file. Now
// and then a mutation makes the first into the second. The seal of a changed
// file is mended most of the time: its checksum would stop every input.
//
//===----------------------------------------------------------------------===//

#include "runtime/abi/program.h"
#include "runtime/core/Manifest.h"
#include "runtime/core/SealedFile.h"
#include "test/fuzz/Support.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mm01;

template <typename T> static void put(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

/// A shared object of nothing but the two sections and their names.
static std::string programOf(std::string_view manifest) {
  static constexpr char names[] =
      "\0" MM01_MANIFEST_SECTION "\0" MM01_SEAL_SECTION;
  constexpr uint32_t sealName = 2 + sizeof(MM01_MANIFEST_SECTION) - 1;
  mm01_seal seal{};
  std::memcpy(seal.magic, MM01_SEAL_MAGIC, sizeof(seal.magic));
  seal.abi = MM01_ABI_VERSION;

  auto section = [](uint32_t name, uint32_t type, size_t at, size_t bytes) {
    Elf64_Shdr header{};
    header.sh_name = name;
    header.sh_type = type;
    header.sh_offset = at;
    header.sh_size = bytes;
    return header;
  };
  const size_t sealAt = sizeof(Elf64_Ehdr);
  const size_t namesAt = sealAt + sizeof(seal);
  const size_t manifestAt = namesAt + sizeof(names);
  const Elf64_Shdr table[] = {
      section(0, SHT_NULL, 0, 0),
      section(0, SHT_STRTAB, namesAt, sizeof(names)),
      section(1, SHT_PROGBITS, manifestAt, manifest.size()),
      section(sealName, SHT_PROGBITS, sealAt, sizeof(seal))};

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_X86_64;
  header.e_type = ET_DYN;
  header.e_shoff = manifestAt + manifest.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = std::size(table);
  header.e_shstrndx = 1;

  std::string bytes;
  put(bytes, header);
  put(bytes, seal);
  put(bytes, names);
  bytes += manifest;
  put(bytes, table);
  return bytes;
}

/// Makes the size and the checksum those of the file, if its seal is found.
static void mendSeal(std::string &program) {
  const size_t at = program.find(MM01_SEAL_MAGIC);
  mm01_seal seal;
  if (at == std::string::npos || program.size() - at < sizeof(seal))
    return;
  std::memcpy(&seal, program.data() + at, sizeof(seal));
  seal.file_bytes = program.size();
  seal.xxh3 = 0;
  std::memcpy(program.data() + at, &seal, sizeof(seal));
  seal.xxh3 = XXH3_64bits(program.data(), program.size());
  std::memcpy(program.data() + at, &seal, sizeof(seal));
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  std::string bytes(fuzz::text(data, size));
  fuzz::mutate(bytes, most - std::min(most, size));
  if (bytes.starts_with('{') && fuzz::draw(random, 16) == 0)
    bytes = programOf(bytes);
  if (fuzz::draw(random, 16) != 0)
    mendSeal(bytes);
  return fuzz::give(bytes, data, most);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz::MemoryFile file;
  std::string input(fuzz::text(data, size));
  if (!input.starts_with('{')) {
    file.write(input);
    Result<std::string> found = readSealedManifest(file.path());
    if (found.failed())
      return 0;
    input = *std::move(found);
  }
  Result<Manifest> manifest = parseManifest(input, "program");
  if (manifest.failed())
    return 0;
  fuzz::expect(!manifest->entries.empty(), "an entry");
  for (const ParameterSpec &parameter : manifest->parameters)
    fuzz::expect(parameter.partBytes() > 0 && parameter.partCount() > 0,
                 "parts that have a size");
  return 0;
}
