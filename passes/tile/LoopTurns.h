//===- LoopTurns.h - numbers of turns in nests of loops ---------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILE_LOOPTURNS_H
#define MM01_PASSES_TILE_LOOPTURNS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mm01 {

/// Counts how often blocks of a program run. A block outside of loops has turn
/// 0, and one in a loop of its own that counts from 0 by 1 the loop's number.
/// In any other loop, and in a nest, turns go on from one run of the inner loop
/// to the next: each loop of the nest carries the count as a further value.
class LoopTurns {
public:
  /// The turn of a block as a value that is defined there, or an error where it
  /// stands in anything but scf.for loops. Loops around the block may be
  /// replaced; operations in their bodies stay.
  mlir::FailureOr<mlir::Value> turnOf(mlir::Block *block,
                                      mlir::OpBuilder &atEntry);

private:
  mlir::Value count(llvm::MutableArrayRef<mlir::scf::ForOp> nest,
                    mlir::OpBuilder &atEntry);

  /// By innermost body, the number of the argument that is its count.
  llvm::DenseMap<mlir::Block *, unsigned> counts;
};

} // namespace mm01

#endif // MM01_PASSES_TILE_LOOPTURNS_H
