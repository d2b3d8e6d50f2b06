//===- TestProgram.h - programs and folders of the tests -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TEST_RUNTIME_TESTPROGRAM_H
#define MM01_TEST_RUNTIME_TESTPROGRAM_H

#include "frontend/safetensors/Status.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace mm01::test {

/// A folder that is gone after the test.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string file(const std::string &name) const { return path / name; }

private:
  std::filesystem::path path;
};

std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &content);

/// The manifest of testProgram.c.
std::string testManifest();

/// The bytes of testProgram.c, built and not yet sealed, with the first `from`
/// replaced by `to`, which must be as long.
std::string unsealedProgram(const std::string &from = "",
                            const std::string &to = "");

/// Fills in the seal's size and checksum.
std::string sealed(std::string program);

/// Expects one line that holds each of the words.
void expectLine(const std::string &message,
                std::initializer_list<const char *> words);

} // namespace mm01::test

#endif // MM01_TEST_RUNTIME_TESTPROGRAM_H
