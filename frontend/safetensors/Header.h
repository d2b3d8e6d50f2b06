//===- Header.h - the JSON header of a safetensors file -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_SAFETENSORS_HEADER_H
#define MM01_FRONTEND_SAFETENSORS_HEADER_H

#include "frontend/safetensors/File.h"

namespace mm01::safetensors {

/// The format's own limit on the header, in bytes.
inline constexpr uint64_t maxHeaderBytes = 100'000'000;

/// What a file says about itself.
struct Header {
  std::vector<TensorInfo> tensors; // sorted by name; data is not set
  std::map<std::string, std::string> metadata;
};

/// Reads and checks the header `text` of the file `path`, whose data section
/// has `dataBytes` bytes and starts at byte `dataStart`.
Result<Header> parseHeader(const std::string &path, std::string_view text,
                           uint64_t dataStart, uint64_t dataBytes);

} // namespace mm01::safetensors

#endif // MM01_FRONTEND_SAFETENSORS_HEADER_H
