//===- SoftmaxWriter.h - parts of softmax programs --------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_SOFTMAXWRITER_H
#define MM01_PASSES_PROGRAMS_SOFTMAXWRITER_H

#include "passes/programs/SoftmaxProgram.h"

namespace mm01 {

/// Writes what programs of softmax attention have in common: an online softmax
/// of `rows` queries over `keys` keys at a time.
class SoftmaxWriter {
public:
  using Values = TileBuilder::Values;

  SoftmaxWriter(TileBuilder &b, const SoftmaxShape &shape,
                const SoftmaxOperands &in, int64_t rows, int64_t keys);

  /// Keys or values of the layer as {key heads, pages, 65, 64, size}, beginning
  /// a page before them: at coordinates (0, 64 - n, n, page, head) a box holds
  /// the first n tokens of a page, and then zeros.
  mlir::Value pagedMap(mlir::Value cache);

  /// Copies `count` tokens of a page to the rows of a tile from `row` on.
  void copyPage(mlir::Value map, mlir::Value buffer, mlir::Value page,
                mlir::Value count, int64_t row, bool shared);

  /// Of rows that have seen no key: {references, sums by thread, output}.
  Values start();
  /// One step of the online softmax, {references, sums by thread, output} of
  /// the keys so far; `mask` hides scores.
  Values step(mlir::Value q, mlir::Value keys, mlir::Value values,
              mlir::ValueRange carried,
              llvm::function_ref<mlir::Value(mlir::Value)> mask);
  /// The sum of each row's weights.
  mlir::Value total(mlir::Value sums);

  /// Scores where `seen` is set, and else what no reference is above.
  mlir::Value hide(mlir::Value scores, mlir::Value seen);
  mlir::Value zeros(int64_t columns);
  mlir::Value broadcast(mlir::Value rowValues, int64_t columns);

  TileBuilder &b;
  const SoftmaxShape shape;
  const SoftmaxOperands in;
  const int64_t rows, keys;
  const mlir::RankedTensorType rowVector;
  /// The head of keys that the block reads.
  mlir::Value keyHead;

private:
  Values raise(mlir::Value scores, mlir::ValueRange carried);
  mlir::RankedTensorType parts();

  /// What makes a score a power of 2.
  mlir::Value rowScales;
};

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_SOFTMAXWRITER_H
