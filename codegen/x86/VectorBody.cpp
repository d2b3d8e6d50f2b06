//===- VectorBody.cpp - the body of an elementwise op on vectors ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

/// Float32, or what comparing gives.
static bool isLane(Type type) { return type.isF32() || type.isInteger(1); }

/// A buffer of whose elements a vector needs those at its own place.
static bool isAlongRows(Type type, AffineMap map) {
  return map.isIdentity() && cast<MemRefType>(type).isLastDimUnitStride();
}

/// A buffer of whose elements a vector needs one, the one of its row.
static bool isOfRow(AffineMap map) {
  return map.isProjectedPermutation() &&
         !map.isFunctionOfDim(map.getNumDims() - 1);
}

bool mm01::hasVectorBody(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumLoops() == 0 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  auto out = dyn_cast<MemRefType>(init->get().getType());
  if (!out || !out.hasStaticShape() ||
      !isAlongRows(out, op.getMatchingIndexingMap(init)))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!getElementTypeOrSelf(type).isF32() ||
        (isa<MemRefType>(type) && !isAlongRows(type, map) && !isOfRow(map)))
      return false;
  }
  return llvm::all_of(op.getBlock()->without_terminator(), [](Operation &op) {
    return isa<arith::ArithDialect>(op.getDialect()) &&
           op.hasTrait<OpTrait::Vectorizable>() &&
           llvm::all_of(op.getOperandTypes(), isLane) &&
           llvm::all_of(op.getResultTypes(), isLane);
  });
}

/// What the body gets for an operand: a scalar or a vector.
static Value load(ImplicitLocOpBuilder &b, linalg::LinalgOp op,
                  OpOperand &operand, ValueRange at, VectorType vector) {
  Value value = operand.get();
  if (!isa<MemRefType>(value.getType()))
    return value;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (isAlongRows(value.getType(), map))
    return vector::LoadOp::create(b, vector, value, at);
  SmallVector<Value> place;
  for (AffineExpr dim : map.getResults())
    place.push_back(at[cast<AffineDimExpr>(dim).getPosition()]);
  return memref::LoadOp::create(b, value, place);
}

Value mm01::computeVector(ImplicitLocOpBuilder &b, linalg::LinalgOp op,
                          ValueRange at, VectorType vector) {
  Block &body = *op.getBlock();
  IRMapping lanes;
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), op->getOpOperands()))
    lanes.map(argument, load(b, op, operand, at, vector));
  auto spread = [&](Value scalar) {
    Value value = lanes.lookupOrDefault(scalar);
    if (!isa<VectorType>(value.getType()))
      value =
          vector::BroadcastOp::create(b, vector.clone(value.getType()), value);
    lanes.map(scalar, value);
    return value;
  };
  for (Operation &inner : body.without_terminator()) {
    for (Value operand : inner.getOperands())
      spread(operand);
    Operation *copy = b.clone(inner, lanes);
    for (Value result : copy->getResults())
      result.setType(vector.clone(result.getType()));
  }
  Value made = spread(body.getTerminator()->getOperand(0));
  // What is stored is rounded, whoever loads it.
  if (auto product = made.getDefiningOp<arith::MulFOp>())
    product.setFastmath(arith::FastMathFlags::none);
  return made;
}
