//===- TextFile.h - reads a small file ------------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_SAFETENSORS_TEXTFILE_H
#define MM01_FRONTEND_SAFETENSORS_TEXTFILE_H

#include "frontend/safetensors/Status.h"

#include <cstdint>
#include <string>

namespace mm01 {

/// The content of a regular file of at most `limit` bytes. Anything else (a
/// folder, a pipe, a device) is refused without waiting for it.
Result<std::string> readTextFile(const std::string &path, uint64_t limit);

/// Opens a regular file for reading, without waiting for pipes or devices.
/// On success `size` is its size in bytes and the caller closes the result.
Result<int> openRegularFile(const std::string &path, uint64_t &size);

/// Reads exactly `bytes` bytes at `offset`.
Status readExactly(int descriptor, const std::string &path, void *to,
                   uint64_t bytes, uint64_t offset);

} // namespace mm01

#endif // MM01_FRONTEND_SAFETENSORS_TEXTFILE_H
