//===- ExtentExpressions.h - sizes as functions of arguments ---*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_SCHEDULE_EXTENTEXPRESSIONS_H
#define MM01_PASSES_SCHEDULE_EXTENTEXPRESSIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

namespace mm01 {

/// Writes index values of one function as affine expressions in the extents of
/// its arguments. Symbol i is extent `extents()[i]` of argument
/// `arguments()[i]`, numbered as in `#exec.frame`. All extents count as not
/// negative.
class ExtentExpressions {
public:
  explicit ExtentExpressions(mlir::func::FuncOp function)
      : function(function) {}

  /// The value as an expression, or null where it follows from more than the
  /// arguments' extents.
  mlir::AffineExpr get(mlir::Value value);

  /// Dimension `dimension` of a memref as an expression, or null.
  mlir::AffineExpr getDimension(mlir::Value buffer, int64_t dimension);

  /// What symbol (argument, extent) of the callee is in this function, or null.
  mlir::AffineExpr getOfCallee(mlir::func::CallOp call, int64_t argument,
                               int64_t extent);

  llvm::ArrayRef<int64_t> arguments() const { return symbolArguments; }
  llvm::ArrayRef<int64_t> extents() const { return symbolExtents; }
  unsigned size() const { return symbolArguments.size(); }

  /// The symbols' values, made at the builder's position.
  llvm::SmallVector<mlir::Value> materialize(mlir::OpBuilder &builder,
                                             mlir::Location loc);

private:
  mlir::AffineExpr getSymbol(mlir::Value argument, int64_t extent);
  mlir::AffineExpr compute(mlir::Value value);
  mlir::AffineExpr getFolded(mlir::OpFoldResult value);

  mlir::func::FuncOp function;
  llvm::SmallVector<int64_t> symbolArguments, symbolExtents;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> known;
};

} // namespace mm01

#endif // MM01_PASSES_SCHEDULE_EXTENTEXPRESSIONS_H
