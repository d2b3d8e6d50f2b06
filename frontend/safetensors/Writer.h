//===- Writer.h - writes a safetensors file, whole or not at all ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_SAFETENSORS_WRITER_H
#define MM01_FRONTEND_SAFETENSORS_WRITER_H

#include "frontend/safetensors/ElementType.h"
#include "frontend/safetensors/Status.h"

#include <map>
#include <string>
#include <vector>

namespace mm01::safetensors {

/// Collects tensors, then writes them. Same tensors, same bytes: the file's
/// order is by element size, then by name, whatever the order of the calls.
class Writer {
public:
  /// `data` holds the dense row-major elements and must live until write()
  /// returns; nothing is copied.
  void add(std::string name, ElementType type, std::vector<int64_t> shape,
           const void *data);

  /// One entry of "__metadata__".
  void addMetadata(std::string key, std::string value);

  /// Writes to a temporary file in the folder of `path`, flushes it to the
  /// disk and renames it, so that `path` holds either its old content or all
  /// of the new. On failure nothing new is left in the folder.
  Status write(const std::string &path) const;

private:
  struct Entry {
    std::string name;
    ElementType type;
    std::vector<int64_t> shape;
    const void *data;
  };

  std::vector<Entry> entries;
  std::map<std::string, std::string> notes;
};

} // namespace mm01::safetensors

#endif // MM01_FRONTEND_SAFETENSORS_WRITER_H
