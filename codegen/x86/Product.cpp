//===- Product.cpp - products of matrices in memory -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Product.h"

using namespace mlir;
using namespace mm01;

/// True for a matrix of float32 whose rows are contiguous.
static bool isMatrix(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && type.getRank() == 2 && type.getElementType().isF32() &&
         type.isLastDimUnitStride();
}

LogicalResult mm01::matchProduct(linalg::LinalgOp op, Second second,
                                 PatternRewriter &rewriter) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !linalg::isaContractionOpInterface(op))
    return rewriter.notifyMatchFailure(op, "is no contraction");
  if (!llvm::all_of(op->getOperands(), isMatrix))
    return rewriter.notifyMatchFailure(
        op, "operands are not matrices of f32 with contiguous rows");
  AffineExpr m, n, k;
  bindDims(op.getContext(), m, n, k);
  auto map = [&](AffineExpr row, AffineExpr column) {
    return AffineMap::get(3, 0, {row, column}, op.getContext());
  };
  const bool isPlain = second == Second::Plain;
  SmallVector<AffineMap> expected = {map(m, k), isPlain ? map(k, n) : map(n, k),
                                     map(m, n)};
  if (op.getIndexingMapsArray() != expected)
    return rewriter.notifyMatchFailure(op, isPlain ? "an operand is transposed"
                                                   : "B is not transposed");
  return success();
}
