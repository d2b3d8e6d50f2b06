//===- File.cpp - one mapped safetensors file -----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout: 8 bytes of header length (little-endian), the JSON header, the data.
//
// Test: test/frontend/safetensors/HeaderTest.cpp, FileTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/File.h"
#include "frontend/safetensors/Header.h"
#include "frontend/safetensors/TextFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace mm01;
using namespace mm01::safetensors;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "safetensors data is little-endian and is used where it lies");

static constexpr uint64_t lengthBytes = 8;

/// Reads the header's text; its length is checked against the file's.
static Result<std::string> readHeaderText(const std::string &path,
                                          int descriptor, uint64_t fileBytes) {
  if (fileBytes < lengthBytes)
    return Status::error(path, ": has ", fileBytes,
                         " bytes, too few for a safetensors header (expected "
                         "at least 10)");
  uint64_t headerBytes = 0;
  MM01_RETURN_IF_FAILED(
      readExactly(descriptor, path, &headerBytes, lengthBytes, 0));
  if (headerBytes > maxHeaderBytes)
    return Status::error(path, ": the header says that it has ", headerBytes,
                         " bytes, expected at most ", maxHeaderBytes);
  if (headerBytes > fileBytes - lengthBytes)
    return Status::error(path, ": the header says that it has ", headerBytes,
                         " bytes, but the file ends ", fileBytes - lengthBytes,
                         " bytes after its start");
  std::string text(headerBytes, '\0');
  MM01_RETURN_IF_FAILED(
      readExactly(descriptor, path, text.data(), headerBytes, lengthBytes));
  return text;
}

Result<File> File::open(const std::string &path) {
  uint64_t fileBytes = 0;
  Result<int> descriptor = openRegularFile(path, fileBytes);
  MM01_RETURN_IF_FAILED(descriptor);
  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } closer{*descriptor};

  Result<std::string> text = readHeaderText(path, *descriptor, fileBytes);
  MM01_RETURN_IF_FAILED(text);
  uint64_t dataStart = lengthBytes + text->size();
  Result<Header> header =
      parseHeader(path, *text, dataStart, fileBytes - dataStart);
  MM01_RETURN_IF_FAILED(header);

  File file;
  file.filePath = path;
  file.sorted = std::move(header->tensors);
  file.notes = std::move(header->metadata);
  void *mapping =
      ::mmap(nullptr, fileBytes, PROT_READ, MAP_SHARED, *descriptor, 0);
  if (mapping == MAP_FAILED)
    return Status::error(path, ": cannot be mapped: ", std::strerror(errno));
  file.mapping = mapping;
  file.mappedBytes = fileBytes;
  for (TensorInfo &tensor : file.sorted)
    if (tensor.bytes)
      tensor.data = static_cast<const std::byte *>(mapping) + tensor.offset;
  MM01_RETURN_IF_FAILED(file.copyMisaligned());
  return file;
}

/// Whether the tensor's data is a copy, because the file does not align it.
static bool isCopied(const TensorInfo &tensor) {
  return tensor.offset % elementBytes(tensor.type) != 0;
}

Status File::copyMisaligned() {
  for (TensorInfo &tensor : sorted) {
    if (!tensor.bytes || !isCopied(tensor))
      continue;
    const size_t blocks = tensor.bytes / sizeof(std::max_align_t) + 1;
    std::unique_ptr<std::max_align_t[]> copy(new (std::nothrow)
                                                 std::max_align_t[blocks]);
    if (!copy)
      return Status::error(filePath, ": tensor '", tensor.name, "' of ",
                           tensor.bytes,
                           " bytes is not aligned to its "
                           "elements, and no memory is left for a copy");
    std::memcpy(copy.get(), tensor.data, tensor.bytes);
    tensor.data = reinterpret_cast<const std::byte *>(copy.get());
    copies.push_back(std::move(copy));
  }
  return {};
}

void mm01::safetensors::releasePages(const TensorInfo &tensor, uint64_t first,
                                     uint64_t bytes) {
  // A copy exists nowhere else.
  if (bytes == 0 || isCopied(tensor))
    return;
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uint64_t>(tensor.data + first);
  uint64_t end = (begin + bytes + page - 1) / page * page;
  begin = begin / page * page;
  // Advice: if it is not taken, the pages stay. Neighbours that lose a page
  // read it again.
  ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

File::File(File &&other) noexcept { *this = std::move(other); }

File &File::operator=(File &&other) noexcept {
  // The other's destructor unmaps what this held.
  std::swap(filePath, other.filePath);
  std::swap(mapping, other.mapping);
  std::swap(mappedBytes, other.mappedBytes);
  std::swap(sorted, other.sorted);
  std::swap(copies, other.copies);
  std::swap(notes, other.notes);
  return *this;
}

File::~File() {
  if (mapping)
    ::munmap(mapping, mappedBytes);
}

const TensorInfo *File::find(std::string_view name) const {
  auto at =
      std::lower_bound(sorted.begin(), sorted.end(), name,
                       [](const TensorInfo &tensor, std::string_view key) {
                         return tensor.name < key;
                       });
  return at != sorted.end() && at->name == name ? &*at : nullptr;
}
