//===- Equivalence.cpp - index arithmetic of two kernels, compared --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/Equivalence.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

bool mm01::areEquivalent(OpFoldResult a, OpFoldResult b, scf::ForallOp left,
                         scf::ForallOp right) {
  if (isEqualConstantIntOrValue(a, b))
    return true;
  auto x = dyn_cast<Value>(a), y = dyn_cast<Value>(b);
  if (!x || !y || x.getType() != y.getType())
    return false;
  for (auto [i, j] :
       llvm::zip(left.getInductionVars(), right.getInductionVars()))
    if (x == i)
      return y == j;
  auto from = dyn_cast<OpResult>(x), to = dyn_cast<OpResult>(y);
  if (!from || !to || from.getResultNumber() != to.getResultNumber())
    return false;
  Operation *op = from.getOwner(), *other = to.getOwner();
  if (op->getName() != other->getName() ||
      op->getAttrDictionary() != other->getAttrDictionary() ||
      op->getNumOperands() != other->getNumOperands() ||
      op->getNumRegions() != 0 || !isPure(op))
    return false;
  return llvm::all_of_zip(
      op->getOperands(), other->getOperands(), [&](Value i, Value j) {
        return areEquivalent(OpFoldResult(i), OpFoldResult(j), left, right);
      });
}

bool mm01::areEquivalent(ArrayRef<OpFoldResult> a, ArrayRef<OpFoldResult> b,
                         scf::ForallOp left, scf::ForallOp right) {
  return a.size() == b.size() &&
         llvm::all_of_zip(a, b, [&](OpFoldResult i, OpFoldResult j) {
           return areEquivalent(i, j, left, right);
         });
}
