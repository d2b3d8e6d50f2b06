//===- TextFile.cpp - reads a small file ----------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/safetensors/FileTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/TextFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mm01;

static const char *kindOf(mode_t mode) {
  if (S_ISDIR(mode))
    return "a folder";
  if (S_ISFIFO(mode))
    return "a pipe";
  if (S_ISSOCK(mode))
    return "a socket";
  return "a device";
}

Result<int> mm01::openRegularFile(const std::string &path, uint64_t &size) {
  // Without O_NONBLOCK the opening of a pipe waits for a writer.
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return Status::error(path, ": cannot be opened: ", std::strerror(errno));
  struct stat info;
  if (::fstat(descriptor, &info) != 0) {
    int reason = errno;
    ::close(descriptor);
    return Status::error(path, ": cannot be read: ", std::strerror(reason));
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(descriptor);
    return Status::error(path, ": is ", kindOf(info.st_mode),
                         ", expected a regular file");
  }
  size = static_cast<uint64_t>(info.st_size);
  return descriptor;
}

Status mm01::readExactly(int descriptor, const std::string &path, void *to,
                         uint64_t bytes, uint64_t offset) {
  char *at = static_cast<char *>(to);
  while (bytes) {
    ssize_t got = ::pread(descriptor, at, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return Status::error(path, ": cannot be read: ", std::strerror(errno));
    if (got == 0)
      return Status::error(path, ": ends at byte ", offset, ", expected ",
                           bytes, " more bytes");
    at += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<uint64_t>(got);
  }
  return {};
}

Result<std::string> mm01::readTextFile(const std::string &path,
                                       uint64_t limit) {
  uint64_t size = 0;
  Result<int> descriptor = openRegularFile(path, size);
  MM01_RETURN_IF_FAILED(descriptor);
  if (size > limit) {
    ::close(*descriptor);
    return Status::error(path, ": has ", size, " bytes, expected at most ",
                         limit);
  }
  std::string text(size, '\0');
  Status status = readExactly(*descriptor, path, text.data(), size, 0);
  ::close(*descriptor);
  MM01_RETURN_IF_FAILED(status);
  return text;
}
