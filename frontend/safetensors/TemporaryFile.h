//===- TemporaryFile.h - a file that appears whole or not at all ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_SAFETENSORS_TEMPORARYFILE_H
#define MM01_FRONTEND_SAFETENSORS_TEMPORARYFILE_H

#include "frontend/safetensors/Status.h"

#include <cstdint>
#include <string>

namespace mm01 {

/// A file under a temporary name in the folder of its path. It is removed
/// unless commit() succeeds.
class TemporaryFile {
public:
  /// Refuses, in one line that names `path`, what cannot be written: a folder
  /// that is not there, a device, a folder. A symbolic link is followed.
  static Result<TemporaryFile> create(const std::string &path);

  TemporaryFile(TemporaryFile &&) noexcept;
  TemporaryFile &operator=(TemporaryFile &&) noexcept;
  ~TemporaryFile();

  Status append(const void *data, uint64_t bytes);

  /// Flushes the file to the disk and renames it, so that `path` holds either
  /// its old content or all of the new.
  Status commit();

private:
  TemporaryFile() = default;
  Status open();
  Status failure(int reason) const;

  std::string target;
  std::string shown; // the path that messages name
  std::string name;
  int descriptor = -1;
};

} // namespace mm01

#endif // MM01_FRONTEND_SAFETENSORS_TEMPORARYFILE_H
