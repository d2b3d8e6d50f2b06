//===- File.h - one mapped safetensors file -------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_SAFETENSORS_FILE_H
#define MM01_FRONTEND_SAFETENSORS_FILE_H

#include "frontend/safetensors/ElementType.h"
#include "frontend/safetensors/Status.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mm01::safetensors {

/// A tensor of a mapped file: dense, row-major, little-endian.
struct TensorInfo {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;      // extents >= 0; empty for a scalar
  const std::byte *data = nullptr; // aligned to the element; null if bytes is 0
  uint64_t bytes = 0;              // the product of shape times element bytes
  uint64_t offset = 0;             // of data, from the file's first byte
  std::string file;                // path, for messages

  int64_t elements() const {
    return static_cast<int64_t>(bytes / elementBytes(type));
  }
};

/// "[4, 8]"
std::string shapeText(const std::vector<int64_t> &shape);

/// Gives up the pages in which bytes [first, first + bytes) of a tensor's data
/// are: they leave this process' memory, and are read again where they are
/// touched again. The tensor's file must be open.
void releasePages(const TensorInfo &tensor, uint64_t first, uint64_t bytes);

/// One safetensors file, mapped read-only. Opening reads and checks the header
/// alone; a page of tensor data is read when it is first touched. The mapping
/// lives as long as this object, and TensorInfo::data with it; moving the
/// object keeps both valid.
class File {
public:
  /// Opens and checks a file. The format's rules are all enforced: a header
  /// of JSON without duplicate keys, known types, non-negative shapes, and
  /// data that the tensors cover without overlap and without holes. The format
  /// does not align tensors: one that does not begin at a multiple of its
  /// element size is copied into memory when the file is opened.
  static Result<File> open(const std::string &path);

  File(File &&other) noexcept;
  File &operator=(File &&other) noexcept;
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  ~File();

  const std::string &path() const { return filePath; }

  /// Sorted by name.
  const std::vector<TensorInfo> &tensors() const { return sorted; }

  /// Null if there is none of this name.
  const TensorInfo *find(std::string_view name) const;

  /// The content of "__metadata__".
  const std::map<std::string, std::string> &metadata() const { return notes; }

private:
  File() = default;
  Status copyMisaligned();

  std::string filePath;
  void *mapping = nullptr;
  size_t mappedBytes = 0;
  std::vector<TensorInfo> sorted;
  std::vector<std::unique_ptr<std::max_align_t[]>> copies;
  std::map<std::string, std::string> notes;
};

} // namespace mm01::safetensors

#endif // MM01_FRONTEND_SAFETENSORS_FILE_H
