//===- LastUses.h - where a value is used for the last time ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_LASTUSES_H
#define MM01_CODEGEN_REFERENCE_LASTUSES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mm01::reference {

/// Says which values an op of a block is the last to use, itself or within its
/// regions, so that they can be written in place or freed. Only values that the
/// same block defines count: a loop's body runs again. Blocks are analysed when
/// they are first asked for; the module must not change.
class LastUses {
public:
  /// The values of op's own block that no op uses after `op`, results of `op`
  /// that nobody uses among them.
  llvm::ArrayRef<mlir::Value> endingAt(mlir::Operation *op);

  /// True where `operand` is the only use that its owner makes of the value,
  /// and no op uses the value afterwards.
  bool isLast(mlir::OpOperand &operand);

private:
  void analyse(mlir::Block &block);

  llvm::DenseSet<mlir::Block *> analysed;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> ending;
};

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_LASTUSES_H
