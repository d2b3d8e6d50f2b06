//===- TemporaryFile.cpp - a file that appears whole or not at all --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/safetensors/WriterTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/TemporaryFile.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace mm01;

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

/// The file that a rename onto `path` should replace: what a symbolic link
/// points to, not the link. Only regular files may be replaced: a rename onto
/// /dev/null would take the device away.
static Result<std::string> resolveTarget(const std::string &path) {
  struct stat info;
  if (path.empty())
    return Status::error("the output file's name is empty");
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT)
      return path;
    return Status::error(path, ": cannot be written: ", std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode))
    return Status::error(path, ": cannot be written: is ",
                         S_ISDIR(info.st_mode) ? "a folder" : "no regular file",
                         ", expected a file");
  char resolved[PATH_MAX];
  if (!::realpath(path.c_str(), resolved))
    return Status::error(path, ": cannot be written: ", std::strerror(errno));
  return std::string(resolved);
}

Result<TemporaryFile> TemporaryFile::create(const std::string &path) {
  Result<std::string> target = resolveTarget(path);
  MM01_RETURN_IF_FAILED(target);
  TemporaryFile file;
  file.target = *std::move(target);
  file.shown = path;
  MM01_RETURN_IF_FAILED(file.open());
  return file;
}

TemporaryFile::TemporaryFile(TemporaryFile &&other) noexcept {
  *this = std::move(other);
}

TemporaryFile &TemporaryFile::operator=(TemporaryFile &&other) noexcept {
  std::swap(target, other.target);
  std::swap(shown, other.shown);
  std::swap(name, other.name);
  std::swap(descriptor, other.descriptor);
  return *this;
}

TemporaryFile::~TemporaryFile() {
  if (descriptor >= 0)
    ::close(descriptor);
  if (!name.empty())
    ::unlink(name.c_str());
}

Status TemporaryFile::open() {
  static std::atomic<unsigned> counter{0};
  do {
    name = concat(folderOf(target), ".mm01-", static_cast<long>(::getpid()),
                  "-", counter++, ".tmp");
    descriptor =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor >= 0)
    return {};
  int reason = errno;
  name.clear();
  return failure(reason);
}

Status TemporaryFile::append(const void *data, uint64_t bytes) {
  const char *at = static_cast<const char *>(data);
  while (bytes) {
    ssize_t done = ::write(descriptor, at, std::min<uint64_t>(bytes, 1 << 30));
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return failure(errno);
    at += done;
    bytes -= static_cast<uint64_t>(done);
  }
  return {};
}

Status TemporaryFile::commit() {
  if (::fsync(descriptor) != 0)
    return failure(errno);
  // A file system over a network may report a full disk only here.
  if (::close(std::exchange(descriptor, -1)) != 0)
    return failure(errno);
  if (::rename(name.c_str(), target.c_str()) != 0)
    return failure(errno);
  name.clear();
  // The new name itself outlives a power failure only when the folder is
  // flushed; not every file system can, so this is no failure.
  int folder = ::open(folderOf(target).c_str(), O_RDONLY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  return {};
}

Status TemporaryFile::failure(int reason) const {
  return Status::error(shown, ": cannot be written: ", std::strerror(reason));
}
