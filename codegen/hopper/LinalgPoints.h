//===- LinalgPoints.h - linalg ops point by point -------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_LINALGPOINTS_H
#define MM01_CODEGEN_HOPPER_LINALGPOINTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mm01 {

/// Writes the work of a linalg op on buffers for single points of its iteration
/// space.
class LinalgPoints {
public:
  /// Reads the extents of the op's loops, as values before the op.
  LinalgPoints(mlir::ImplicitLocOpBuilder &builder, mlir::linalg::LinalgOp op);

  /// Numbers of the parallel and of the reduction loops, outermost first.
  llvm::ArrayRef<unsigned> parallel() const { return parallelLoops; }
  llvm::ArrayRef<unsigned> reductions() const { return reductionLoops; }

  /// The number of points that some of the loops span together.
  mlir::Value count(llvm::ArrayRef<unsigned> loops);

  /// Sets the indices of these loops to those of the `number`-th of their
  /// points; the last varies fastest.
  void place(llvm::ArrayRef<unsigned> loops, mlir::Value number);
  void place(unsigned loop, mlir::Value index) { indices[loop] = index; }
  mlir::Value index(unsigned loop) const { return indices[loop]; }

  /// The elements of the outputs at the point, and writing them.
  llvm::SmallVector<mlir::Value> loadOutputs();
  void storeOutputs(mlir::ValueRange values);
  /// Those of one output, at an address of which a multiple is known, in
  /// bytes; 0 is none.
  mlir::Value loadOutput(unsigned number, int64_t alignment = 0);
  void storeOutput(unsigned number, mlir::Value value, int64_t alignment = 0);

  /// Whether an output has an element for each point of the reduction loops, so
  /// that it is rewritten and not reduced.
  bool isRewritten(unsigned number);

  /// What the op's body makes of the inputs at the point and these outputs.
  llvm::SmallVector<mlir::Value> compute(mlir::ValueRange outputs);
  /// The elements of the inputs at the point, and the body on what was loaded.
  llvm::SmallVector<mlir::Value> loadInputs();
  llvm::SmallVector<mlir::Value> compute(mlir::ValueRange inputs,
                                         mlir::ValueRange outputs);

private:
  llvm::SmallVector<mlir::Value> place(mlir::OpOperand &operand);

  mlir::ImplicitLocOpBuilder &b;
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<unsigned> parallelLoops, reductionLoops;
  llvm::SmallVector<mlir::Value> extents, indices;
};

} // namespace mm01

#endif // MM01_CODEGEN_HOPPER_LINALGPOINTS_H
