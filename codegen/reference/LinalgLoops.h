//===- LinalgLoops.h - the loop nest of a structured op -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_LINALGLOOPS_H
#define MM01_CODEGEN_REFERENCE_LINALGLOOPS_H

#include "codegen/reference/Frame.h"
#include "codegen/reference/Slices.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mm01::reference {

/// The extents of the loops, and where each operand's element is at a point.
struct LinalgLoops {
  /// Element `base + Σ_l pitches[l] · point[l]` in memory order.
  struct Access {
    int64_t base = 0;
    llvm::SmallVector<int64_t, 6> pitches;

    int64_t at(llvm::ArrayRef<int64_t> point) const;
  };

  /// Fails for operands whose extents contradict each other, a loop that no
  /// operand bounds, elements outside of their tensor, and index expressions
  /// that are not linear.
  static llvm::Expected<LinalgLoops> create(mlir::linalg::LinalgOp op,
                                            llvm::ArrayRef<Tensor> inputs,
                                            llvm::ArrayRef<Tensor> outputs);

  /// The parallel loop with most iterations, in which every output moves on:
  /// its points are independent of each other.
  size_t laneLoop() const { return *lane; }
  bool hasLaneLoop() const { return lane.has_value(); }

  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<Access> accesses; // inputs, then outputs

private:
  std::optional<size_t> lane;
};

/// The product of the extents; 1 of none.
int64_t product(llvm::ArrayRef<int64_t> extents);

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_LINALGLOOPS_H
