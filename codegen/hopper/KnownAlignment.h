//===- KnownAlignment.h - by how much a view is aligned -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM merges loads and stores of neighbours into ones of 16 bytes where it can
// show that the address allows it, and it follows an address through few
// additions: fewer than a view of a slot, a head and a column has.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_KNOWNALIGNMENT_H
#define MM01_CODEGEN_HOPPER_KNOWNALIGNMENT_H

#include "mlir/IR/Value.h"

namespace mm01 {

/// The greatest power of two, at most 64, that is known to divide the number of
/// elements between the beginning of the memory of a buffer in a kernel, which
/// is aligned to MM01_ALIGNMENT, and the buffer's first element.
int64_t getOffsetDivisor(mlir::Value buffer);

/// That of a number of type index.
int64_t getDivisor(mlir::Value number);

} // namespace mm01

#endif // MM01_CODEGEN_HOPPER_KNOWNALIGNMENT_H
