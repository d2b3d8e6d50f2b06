//===- ColumnReduction.h - sums of columns by a block of threads ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that goes over the rows and columns of a matrix, may rewrite its
// elements, and reduces its columns. The threads of a block lie over the matrix
// as 16-byte pieces do:
//
//     thread t has columns 4c … 4c + 3, c = t mod G, of rows r, r + R, r + 2R,
//     …, r = t / G, with G = columns / 4 and R = 256 / G
//
// and reads all of its elements before it writes any, so that all loads of a
// block are under way together. Its part of the columns' results goes by
// shuffles to those with the same columns in its warp, and by shared memory to
// the other warps, in the same order every time.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_COLUMNREDUCTION_H
#define MM01_CODEGEN_HOPPER_COLUMNREDUCTION_H

#include "codegen/hopper/BlockReduction.h"
#include "codegen/hopper/LinalgPoints.h"

namespace mm01 {

class ColumnReduction {
public:
  /// Matches an op with a reduction loop around a parallel one, of static
  /// extents that the threads divide evenly, with 4 to 128 columns, a power of
  /// two, and at most 16 rows a thread. Of its outputs, of four-byte elements,
  /// at least one is reduced, by a combiner, and the others have an element for
  /// each point.
  static std::optional<ColumnReduction> match(mlir::linalg::LinalgOp op);

  /// Writes the work of thread `thread`. Requires that what the op reads is
  /// there for all threads; what it writes is not until a barrier. `makeSlots`
  /// gives shared memory for a number of elements of a type.
  void
  write(mlir::ImplicitLocOpBuilder &b, LinalgPoints &points, mlir::Value thread,
        llvm::function_ref<mlir::Value(int64_t, mlir::Type)> makeSlots) const;

private:
  /// Elements of a piece.
  static constexpr int64_t kPiece = 4;

  int64_t rows = 0, columns = 0;
  /// For each output, how a piece of it is aligned, in bytes; 0: not known.
  llvm::SmallVector<int64_t> alignments;
  /// For each output, its combiner if it is reduced.
  llvm::SmallVector<std::optional<Combiner>> combiners;
};

} // namespace mm01

#endif // MM01_CODEGEN_HOPPER_COLUMNREDUCTION_H
