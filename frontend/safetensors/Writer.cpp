//===- Writer.cpp - writes a safetensors file, whole or not at all --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/safetensors/WriterTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/Writer.h"
#include "frontend/safetensors/Header.h"
#include "frontend/safetensors/Json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

using namespace mm01;
using namespace mm01::safetensors;

/// `text` as a JSON string; bytes that are not UTF-8 are replaced.
static std::string quoted(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

static bool isUtf8(const std::string &text) {
  return nlohmann::json::parse(quoted(text), nullptr,
                               /*allow_exceptions=*/false) == text;
}

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

namespace {

/// A file under a temporary name. It is removed unless commit() succeeds.
class TemporaryFile {
public:
  /// `shown` is the path that messages name.
  TemporaryFile(std::string target, const std::string &shown)
      : target(std::move(target)), shown(shown) {}

  ~TemporaryFile() {
    if (descriptor >= 0)
      ::close(descriptor);
    if (!name.empty())
      ::unlink(name.c_str());
  }

  Status create() {
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

  Status append(const void *data, uint64_t bytes) {
    const char *at = static_cast<const char *>(data);
    while (bytes) {
      ssize_t done =
          ::write(descriptor, at, std::min<uint64_t>(bytes, 1 << 30));
      if (done < 0 && errno == EINTR)
        continue;
      if (done < 0)
        return failure(errno);
      at += done;
      bytes -= static_cast<uint64_t>(done);
    }
    return {};
  }

  Status commit() {
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

private:
  Status failure(int reason) const {
    return Status::error(shown, ": cannot be written: ", std::strerror(reason));
  }

  std::string target;
  const std::string &shown;
  std::string name;
  int descriptor = -1;
};

} // namespace

void Writer::add(std::string name, ElementType type, std::vector<int64_t> shape,
                 const void *data) {
  entries.push_back({std::move(name), type, std::move(shape), data});
}

void Writer::addMetadata(std::string key, std::string value) {
  notes.insert_or_assign(std::move(key), std::move(value));
}

/// False if the shape has a negative extent or more bytes than int64 counts.
static bool countBytes(ElementType type, const std::vector<int64_t> &shape,
                       uint64_t &bytes) {
  int64_t product = static_cast<int64_t>(elementBytes(type));
  for (int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(product, extent, &product))
      return false;
  bytes = static_cast<uint64_t>(product);
  return true;
}

Status Writer::write(const std::string &path) const {
  std::vector<const Entry *> order;
  for (const Entry &entry : entries)
    order.push_back(&entry);
  // Wide elements first: each tensor is then aligned to its element, because
  // the header is padded to 8 bytes.
  std::stable_sort(
      order.begin(), order.end(), [](const auto *a, const auto *b) {
        uint64_t left = elementBytes(a->type), right = elementBytes(b->type);
        return left != right ? left > right : a->name < b->name;
      });

  std::string header = "{";
  if (!notes.empty()) {
    header += "\"__metadata__\":{";
    for (const auto &[key, value] : notes)
      header += concat(header.back() == '{' ? "" : ",", quoted(key), ":",
                       quoted(value));
    header += "}";
  }
  uint64_t offset = 0;
  for (const Entry *entry : order) {
    uint64_t bytes = 0, end = 0;
    if (entry->name == "__metadata__" || !isUtf8(entry->name) ||
        !countBytes(entry->type, entry->shape, bytes) ||
        __builtin_add_overflow(offset, bytes, &end))
      return Status::error(path, ": tensor '", entry->name, "' of shape ",
                           shapeText(entry->shape), " cannot be written");
    header += concat(header.size() == 1 ? "" : ",", quoted(entry->name),
                     ":{\"dtype\":\"", dtypeName(entry->type),
                     "\",\"shape\":", shapeText(entry->shape),
                     ",\"data_offsets\":[", offset, ",", end, "]}");
    offset = end;
  }
  header += "}";
  MM01_RETURN_IF_FAILED(checkJson(concat(path, ": header"), header));
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > maxHeaderBytes)
    return Status::error(path, ": the header would have ", header.size(),
                         " bytes, expected at most ", maxHeaderBytes);

  Result<std::string> target = resolveTarget(path);
  MM01_RETURN_IF_FAILED(target);
  TemporaryFile file(*std::move(target), path);
  MM01_RETURN_IF_FAILED(file.create());
  uint64_t length = header.size();
  MM01_RETURN_IF_FAILED(file.append(&length, sizeof(length)));
  MM01_RETURN_IF_FAILED(file.append(header.data(), header.size()));
  for (const Entry *entry : order) {
    uint64_t bytes = 0;
    if (countBytes(entry->type, entry->shape, bytes))
      MM01_RETURN_IF_FAILED(file.append(entry->data, bytes));
  }
  return file.commit();
}
