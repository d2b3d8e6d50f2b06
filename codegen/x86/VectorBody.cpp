//===- VectorBody.cpp - scalar arithmetic, written on vectors -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

bool mm01::isElementwise(Operation &op) {
  return isa<arith::ArithDialect>(op.getDialect()) &&
         op.hasTrait<OpTrait::Vectorizable>();
}

/// The lanes of `value`; of a scalar that has none, itself in each.
static Value spread(ImplicitLocOpBuilder &b, Value scalar, IRMapping &lanes,
                    VectorType vector) {
  Value value = lanes.lookupOrDefault(scalar);
  if (!isa<VectorType>(value.getType()))
    value =
        vector::BroadcastOp::create(b, vector.clone(value.getType()), value);
  lanes.map(scalar, value);
  return value;
}

void mm01::cloneOnVectors(ImplicitLocOpBuilder &b, Operation &op,
                          IRMapping &lanes, VectorType vector) {
  for (Value operand : op.getOperands())
    spread(b, operand, lanes, vector);
  for (Value result : b.clone(op, lanes)->getResults())
    result.setType(vector.clone(result.getType()));
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
    return isElementwise(op) && llvm::all_of(op.getOperandTypes(), isLane) &&
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
  for (Operation &inner : body.without_terminator())
    cloneOnVectors(b, inner, lanes, vector);
  Value made = spread(b, body.getTerminator()->getOperand(0), lanes, vector);
  // What is stored is rounded, whoever loads it.
  if (auto product = made.getDefiningOp<arith::MulFOp>())
    product.setFastmath(arith::FastMathFlags::none);
  return made;
}
