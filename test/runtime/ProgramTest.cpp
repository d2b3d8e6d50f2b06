//===- ProgramTest.cpp - files that are and are not programs -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

#include "runtime/abi/program.h"
#include "runtime/core/Program.h"

#include <cstddef>
#include <cstring>
#include <elf.h>
#include <sys/stat.h>

using namespace mm01;
using namespace mm01::test;

namespace {

class ProgramFile : public ::testing::Test {
protected:
  /// Expects that neither loading nor reading the manifest accepts the file.
  void refuses(const std::string &path,
               std::initializer_list<const char *> words) {
    Result<Program> program = Program::open(path);
    ASSERT_TRUE(program.failed()) << path;
    expectLine(program.message(), words);
    expectLine(program.message(), {path.c_str()});
    EXPECT_EQ(Program::readManifest(path).message(), program.message());
  }
  void refusesContent(const std::string &content,
                      std::initializer_list<const char *> words) {
    writeFile(folder.file("p.so"), content);
    refuses(folder.file("p.so"), words);
  }

  TemporaryFolder folder;
};

template <typename T>
std::string patched(std::string program, size_t at, T value) {
  std::memcpy(program.data() + at, &value, sizeof(value));
  return program;
}

} // namespace

TEST_F(ProgramFile, Loads) {
  writeFile(folder.file("p.so"), sealed(unsealedProgram()));
  Result<Program> program = Program::open(folder.file("p.so"));
  ASSERT_TRUE(program.ok()) << program.message();
  EXPECT_EQ(program->manifest().entries.size(), 4u);
  EXPECT_NE(program->entryFunction(0), nullptr);
  Program moved = *std::move(program);
  EXPECT_NE(moved.arenaFunction(3), nullptr);
}

// The loader looks for a name without a slash elsewhere.
TEST_F(ProgramFile, LoadsFromTheCurrentFolder) {
  writeFile(folder.file("p.so"), sealed(unsealedProgram()));
  auto before = std::filesystem::current_path();
  std::filesystem::current_path(
      std::filesystem::path(folder.file("p.so")).parent_path());
  Result<Program> program = Program::open("p.so");
  std::filesystem::current_path(before);
  EXPECT_TRUE(program.ok()) << program.message();
}

TEST_F(ProgramFile, RefusesWhatIsNoFile) {
  refuses(folder.file("missing.so"), {"No such file"});
  std::filesystem::create_directory(folder.file("folder"));
  refuses(folder.file("folder"), {"regular file"});
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  refuses(folder.file("pipe"), {"regular file"});
  refuses("/dev/zero", {"regular file"});
}

TEST_F(ProgramFile, RefusesOtherFiles) {
  refusesContent("", {"not a program"});
  refusesContent("text\n", {"not a program"});
  refusesContent(std::string(5000, 'x'), {"not a program", "ELF"});
  refuses("/proc/self/exe", {"not a program", "sections"});
  std::string program = sealed(unsealedProgram());
  refusesContent(patched(program, offsetof(Elf64_Ehdr, e_machine), EM_AARCH64),
                 {"not a program", "x86-64"});
  refusesContent(patched(program, EI_CLASS, ELFCLASS32),
                 {"not a program", "x86-64"});
}

TEST_F(ProgramFile, RefusesTruncation) {
  std::string program = sealed(unsealedProgram());
  for (size_t bytes = 0; bytes < program.size(); bytes += 211)
    refusesContent(program.substr(0, bytes), {});
  refusesContent(program.substr(0, program.size() - 1), {"truncated"});
  refusesContent(program + "x", {"extended", "expected"});
}

// Whatever bit flips, in whatever part of the file, it is noticed.
TEST_F(ProgramFile, RefusesFlippedBits) {
  std::string program = sealed(unsealedProgram());
  for (size_t byte = 0; byte < program.size(); byte += 97) {
    std::string damaged = program;
    damaged[byte] ^= char(1 << byte % 8);
    refusesContent(damaged, {});
  }
}

TEST_F(ProgramFile, RefusesBadSectionTables) {
  std::string program = sealed(unsealedProgram());
  refusesContent(
      patched<uint64_t>(program, offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX - 8),
      {"truncated", "section table"});
  refusesContent(
      patched<uint16_t>(program, offsetof(Elf64_Ehdr, e_shnum), 0xffff),
      {"truncated", "section table"});
  refusesContent(patched<uint16_t>(program, offsetof(Elf64_Ehdr, e_shnum), 0),
                 {"section table", "none"});
  refusesContent(
      patched<uint16_t>(program, offsetof(Elf64_Ehdr, e_shstrndx), 0xff00),
      {"section table"});
  refusesContent(
      patched<uint16_t>(program, offsetof(Elf64_Ehdr, e_shentsize), 1),
      {"section table"});
}

// A section that takes no room in the file may claim any size: a manifest of
// 2^62 bytes must not be allocated.
TEST_F(ProgramFile, RefusesSectionsThatAreNotInTheFile) {
  const std::string program = unsealedProgram();
  Elf64_Ehdr header;
  std::memcpy(&header, program.data(), sizeof(header));
  const size_t manifest = program.find(testManifest());
  ASSERT_NE(manifest, std::string::npos);
  size_t found = 0;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
    Elf64_Shdr section;
    std::memcpy(&section, program.data() + at, sizeof(section));
    if (section.sh_offset != manifest)
      continue;
    ++found;
    section.sh_size = uint64_t(1) << 62;
    for (uint32_t type : {SHT_NULL, SHT_NOBITS}) {
      section.sh_type = type;
      refusesContent(sealed(patched(program, at, section)),
                     {"not a program", MM01_MANIFEST_SECTION});
    }
  }
  EXPECT_EQ(found, 1u);
}

TEST_F(ProgramFile, RefusesBadSeals) {
  std::string program = unsealedProgram();
  size_t seal = program.find(MM01_SEAL_MAGIC);
  refusesContent(program, {"expected 0 bytes"});
  refusesContent(
      patched<uint64_t>(program, seal + offsetof(mm01_seal, abi), 99),
      {"ABI version 4", "found 99"});
  refusesContent(patched(sealed(program), seal, 'X'), {"damaged seal"});
}

// A program for a GPU loads anywhere: only running it needs one.
TEST_F(ProgramFile, LoadsForAnotherDevice) {
  std::string path = folder.file("p.so");
  writeFile(path, sealed(unsealedProgram("\"cpu\",   ", "\"sm_90a\",")));
  Result<Program> program = Program::open(path);
  ASSERT_TRUE(program.ok()) << program.message();
  EXPECT_EQ(program->manifest().target, "sm_90a");
}

TEST_F(ProgramFile, RefusesMissingSymbols) {
  std::string path = folder.file("p.so");
  writeFile(path, sealed(unsealedProgram("\"name\": \"product\"",
                                         "\"name\": \"subduct\"")));
  EXPECT_TRUE(Program::readManifest(path).ok());
  expectLine(Program::open(path).message(), {"mm01_entry_subduct"});
}

TEST_F(ProgramFile, RefusesBadManifests) {
  refusesContent(
      sealed(unsealedProgram("\"kind\": \"scalar\"", "\"kind\": \"scolar\"")),
      {"entries[0].arguments[1].kind"});
}
