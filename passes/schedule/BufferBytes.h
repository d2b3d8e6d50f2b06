//===- BufferBytes.h - sizes of buffers in memory --------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_SCHEDULE_BUFFERBYTES_H
#define MM01_PASSES_SCHEDULE_BUFFERBYTES_H

#include "mlir/IR/BuiltinTypes.h"

namespace mm01 {

/// Every buffer begins at a multiple of this many bytes: MM01_ALIGNMENT of
/// runtime/abi/program.h.
inline constexpr int64_t kBufferAlignment = 64;

/// Bytes of an element in memory. An index has 64 bits, a boolean a byte.
inline int64_t getElementBytes(mlir::Type type) {
  if (type.isIndex())
    return 8;
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

} // namespace mm01

#endif // MM01_PASSES_SCHEDULE_BUFFERBYTES_H
