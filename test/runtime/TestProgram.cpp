//===- TestProgram.cpp - programs and folders of the tests ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

#include "runtime/abi/program.h"

#include <cstddef>
#include <cstring>
#include <fstream>
#include <sstream>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mm01;

test::TemporaryFolder::TemporaryFolder() {
  std::string pattern =
      std::filesystem::temp_directory_path() / "mm01-test-XXXXXX";
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  path = pattern;
}

test::TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::string test::readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void test::writeFile(const std::string &path, const std::string &content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  EXPECT_TRUE(file.flush()) << path;
}

std::string test::testManifest() { return readFile(MM01_TEST_MANIFEST); }

std::string test::unsealedProgram(const std::string &from,
                                  const std::string &to) {
  std::string program = readFile(MM01_TEST_PROGRAM);
  if (!from.empty()) {
    size_t at = program.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(from.size(), to.size());
    program.replace(at, from.size(), to);
  }
  return program;
}

std::string test::sealed(std::string program) {
  // The magic stands once in the file: the runtime's strings are not in it.
  size_t at = program.find(MM01_SEAL_MAGIC);
  EXPECT_NE(at, std::string::npos);
  mm01_seal seal;
  std::memcpy(&seal, program.data() + at, sizeof(seal));
  seal.file_bytes = program.size();
  seal.xxh3 = 0;
  std::memcpy(program.data() + at, &seal, sizeof(seal));
  seal.xxh3 = XXH3_64bits(program.data(), program.size());
  std::memcpy(program.data() + at, &seal, sizeof(seal));
  return program;
}

void test::expectLine(const std::string &message,
                      std::initializer_list<const char *> words) {
  EXPECT_FALSE(message.empty());
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  for (const char *word : words)
    EXPECT_NE(message.find(word), std::string::npos)
        << "expected '" << word << "' in: " << message;
}
