//===- SealedFile.cpp - the checked file of a program --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/SealedFile.h"

#include "frontend/safetensors/TextFile.h"
#include "runtime/abi/program.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <optional>
#include <unistd.h>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mm01;

namespace {

struct Section {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// False where a section takes no room in the file: what it says of its place
/// means nothing.
bool isInFile(const Elf64_Shdr &section) {
  return section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
}

/// An open file whose every read is checked.
class SealedFile {
public:
  explicit SealedFile(const std::string &path) : path(path) {}
  ~SealedFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  SealedFile(const SealedFile &) = delete;
  SealedFile &operator=(const SealedFile &) = delete;

  Status open() {
    Result<int> opened = openRegularFile(path, size);
    MM01_RETURN_IF_FAILED(opened);
    descriptor = *opened;
    return {};
  }

  /// Finds both sections.
  Status readSections();
  /// Compares the seal with the file.
  Status checkSeal();
  Result<std::string> readManifest();

private:
  template <typename... Parts> Status error(const Parts &...parts) const {
    return Status::error(path, ": ", parts...);
  }
  Status read(void *to, uint64_t bytes, uint64_t offset) const {
    return readExactly(descriptor, path, to, bytes, offset);
  }
  bool inside(uint64_t offset, uint64_t bytes) const {
    return offset <= size && bytes <= size - offset;
  }
  Result<uint64_t> checksum() const;

  const std::string &path;
  int descriptor = -1;
  uint64_t size = 0;
  Section manifest, seal;
};

Status SealedFile::readSections() {
  Elf64_Ehdr header{};
  if (size < sizeof(header))
    return error("not a program: expected an ELF shared object, found ", size,
                 " bytes");
  MM01_RETURN_IF_FAILED(read(&header, sizeof(header), 0));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return error("not a program: expected an ELF shared object, found another "
                 "kind of file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64 ||
      header.e_type != ET_DYN)
    return error("not a program: expected an ELF shared object for x86-64, "
                 "found ELF of another machine or type");
  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_shstrndx >= header.e_shnum)
    return error("not a program: expected a section table, found none");
  uint64_t tableBytes = uint64_t(header.e_shnum) * sizeof(Elf64_Shdr);
  if (!inside(header.e_shoff, tableBytes))
    return error("truncated: expected a section table of ", tableBytes,
                 " bytes at ", header.e_shoff, ", found a file of ", size,
                 " bytes");

  std::vector<Elf64_Shdr> table(header.e_shnum);
  MM01_RETURN_IF_FAILED(read(table.data(), tableBytes, header.e_shoff));
  for (size_t i = 0; i < table.size(); ++i)
    if (isInFile(table[i]) && !inside(table[i].sh_offset, table[i].sh_size))
      return error("truncated: section ", i, " ends after the file's ", size,
                   " bytes");

  const Elf64_Shdr &nameSection = table[header.e_shstrndx];
  if (nameSection.sh_type != SHT_STRTAB)
    return error("damaged: expected a table of section names, found section "
                 "type ",
                 nameSection.sh_type);
  std::string names(nameSection.sh_size, '\0');
  MM01_RETURN_IF_FAILED(
      read(names.data(), names.size(), nameSection.sh_offset));
  auto find = [&](const char *wanted) -> std::optional<Section> {
    for (const Elf64_Shdr &section : table)
      if (isInFile(section) && section.sh_name < names.size() &&
          std::strcmp(names.c_str() + section.sh_name, wanted) == 0)
        return Section{section.sh_offset, section.sh_size};
    return std::nullopt;
  };
  std::optional<Section> foundSeal = find(MM01_SEAL_SECTION);
  std::optional<Section> foundManifest = find(MM01_MANIFEST_SECTION);
  if (!foundSeal || !foundManifest)
    return error("not a program: expected sections " MM01_MANIFEST_SECTION
                 " and " MM01_SEAL_SECTION
                 ", found a shared object without them");
  seal = *foundSeal;
  manifest = *foundManifest;
  return {};
}

Result<uint64_t> SealedFile::checksum() const {
  uint64_t field = seal.offset + offsetof(mm01_seal, xxh3);
  std::vector<char> chunk(std::min<uint64_t>(size, uint64_t(1) << 20));
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (uint64_t at = 0; at < size; at += chunk.size()) {
    uint64_t bytes = std::min<uint64_t>(chunk.size(), size - at);
    MM01_RETURN_IF_FAILED(read(chunk.data(), bytes, at));
    // The checksum covers itself as zeros; it may straddle two chunks.
    uint64_t from = std::max(field, at);
    uint64_t to = std::min(field + sizeof(uint64_t), at + bytes);
    if (from < to)
      std::memset(chunk.data() + (from - at), 0, to - from);
    XXH3_64bits_update(&state, chunk.data(), bytes);
  }
  return uint64_t(XXH3_64bits_digest(&state));
}

Status SealedFile::checkSeal() {
  mm01_seal content{};
  if (seal.bytes != sizeof(content))
    return error("damaged seal: expected ", sizeof(content), " bytes, found ",
                 seal.bytes);
  MM01_RETURN_IF_FAILED(read(&content, sizeof(content), seal.offset));
  if (std::memcmp(content.magic, MM01_SEAL_MAGIC, sizeof(content.magic)) != 0)
    return error("damaged seal: expected the word " MM01_SEAL_MAGIC);
  if (content.abi != MM01_ABI_VERSION)
    return error("made for another runtime: expected ABI version ",
                 MM01_ABI_VERSION, ", found ", content.abi);
  if (content.file_bytes != size)
    return error("truncated or extended: expected ", content.file_bytes,
                 " bytes, found ", size);
  Result<uint64_t> found = checksum();
  MM01_RETURN_IF_FAILED(found);
  if (*found != content.xxh3)
    return error("damaged: its content does not match its checksum");
  return {};
}

Result<std::string> SealedFile::readManifest() {
  std::string text(manifest.bytes, '\0');
  MM01_RETURN_IF_FAILED(read(text.data(), text.size(), manifest.offset));
  return text;
}

} // namespace

Result<std::string> mm01::readSealedManifest(const std::string &path) {
  SealedFile file(path);
  MM01_RETURN_IF_FAILED(file.open());
  MM01_RETURN_IF_FAILED(file.readSections());
  MM01_RETURN_IF_FAILED(file.checkSeal());
  return file.readManifest();
}
