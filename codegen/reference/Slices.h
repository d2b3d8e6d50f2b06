//===- Slices.h - rectangular parts of tensors ----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_SLICES_H
#define MM01_CODEGEN_REFERENCE_SLICES_H

#include "codegen/reference/InterpreterValue.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/Error.h"

namespace mm01::reference {

/// Elements offset + i · stride, 0 <= i < size, in each dimension.
struct Slice {
  llvm::SmallVector<int64_t> offsets, sizes, strides;

  int64_t elements() const;
};

/// Fails unless the slice lies in a tensor of this shape.
llvm::Error checkSlice(mlir::Operation *op, llvm::ArrayRef<int64_t> shape,
                       const Slice &slice);

/// Copies between the slice of a tensor of the shape `shape` at `whole` and the
/// dense elements at `part`. The slice must have passed checkSlice.
void copyFromSlice(const Scalar *whole, Scalar *part,
                   llvm::ArrayRef<int64_t> shape, const Slice &slice);
void copyIntoSlice(const Scalar *part, Scalar *whole,
                   llvm::ArrayRef<int64_t> shape, const Slice &slice);

/// The next index in memory order; after the last one, the first.
void advance(llvm::MutableArrayRef<int64_t> index,
             llvm::ArrayRef<int64_t> shape);

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_SLICES_H
