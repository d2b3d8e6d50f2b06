//===- RoleSlices.h - what a role of a program needs ------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILE_ROLESLICES_H
#define MM01_PASSES_TILE_ROLESLICES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace mm01 {

/// The operations that some operations of a program need: what computes their
/// operands, and the loops and branches around them, with the values that these
/// carry or yield for them (scf.for and scf.if; others whole). Memory is not
/// followed: what is read was written by whoever's turn it was.
class Slice {
public:
  /// Adds an operation and what it needs.
  void add(mlir::Operation *op);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  /// True if result `index` of a loop or branch is needed.
  bool needsResult(mlir::Operation *op, unsigned index) const {
    return results.contains({op, index});
  }

private:
  void need(mlir::Value value);
  void needResult(mlir::Operation *op, unsigned index);

  llvm::DenseSet<mlir::Operation *> ops;
  llvm::DenseSet<std::pair<mlir::Operation *, unsigned>> results;
};

/// The roles of a program, in the order in which operations name them.
llvm::SetVector<llvm::StringRef> allRoles(mlir::Operation *kernel);

/// The slice of a role.
Slice sliceOf(mlir::Operation *kernel, llvm::StringRef role);

/// The roles whose slices contain an operation.
llvm::SmallVector<llvm::StringRef> rolesOf(mlir::Operation *op);

} // namespace mm01

#endif // MM01_PASSES_TILE_ROLESLICES_H
