//===- Support.h - makes good and bad safetensors files -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TEST_FRONTEND_SAFETENSORS_SUPPORT_H
#define MM01_TEST_FRONTEND_SAFETENSORS_SUPPORT_H

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/fsuid.h>
#include <unistd.h>

namespace mm01::test {

/// A folder that is removed with everything in it.
class Folder {
public:
  Folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "mm01-test-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::string at(const std::string &name) const {
    return name.empty() ? path : path + "/" + name;
  }

  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream(at(name), std::ios::binary) << bytes;
    return at(name);
  }

  /// The number of entries, hidden ones included.
  size_t entries() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto &entry :
         std::filesystem::directory_iterator(path))
      ++count;
    return count;
  }

private:
  std::string path;
};

/// A safetensors file with this header, as it stands, and zero data.
inline std::string image(const std::string &header, size_t dataBytes) {
  uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char *>(&length), 8);
  return bytes + header + std::string(dataBytes, '\0');
}

/// The same with spaces after the header, up to a multiple of 8 bytes.
inline std::string padded(std::string header, size_t dataBytes) {
  header.append((8 - header.size() % 8) % 8, ' ');
  return image(header, dataBytes);
}

/// While it lives, the permissions of files apply to a test that root runs.
class WithoutPrivilege {
public:
  WithoutPrivilege() : user(::setfsuid(65534)) {}
  ~WithoutPrivilege() { ::setfsuid(static_cast<uid_t>(user)); }

private:
  int user;
};

/// The message of a failure: one line that begins with `file` and contains
/// `text`.
inline void expectMessage(const std::string &message, const std::string &file,
                          const std::string &text) {
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(message.rfind(file, 0), 0u) << message << "\nexpected: " << file;
  EXPECT_NE(message.find(text), std::string::npos)
      << message << "\nexpected: " << text;
}

} // namespace mm01::test

#endif // MM01_TEST_FRONTEND_SAFETENSORS_SUPPORT_H
