//===- LinalgPoints.cpp - linalg ops point by point -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/LinalgPoints.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mm01;

LinalgPoints::LinalgPoints(ImplicitLocOpBuilder &builder, linalg::LinalgOp op)
    : b(builder), op(op) {
  for (const Range &range : op.createLoopRanges(b, b.getLoc()))
    extents.push_back(
        getValueOrCreateConstantIndexOp(b, b.getLoc(), range.size));
  indices.resize(extents.size());
  for (auto [i, type] : llvm::enumerate(op.getIteratorTypesArray()))
    (type == utils::IteratorType::parallel ? parallelLoops : reductionLoops)
        .push_back(i);
}

Value LinalgPoints::count(ArrayRef<unsigned> loops) {
  Value total = arith::ConstantIndexOp::create(b, 1);
  for (unsigned loop : loops)
    total = arith::MulIOp::create(b, total, extents[loop]);
  return total;
}

void LinalgPoints::place(ArrayRef<unsigned> loops, Value number) {
  for (unsigned loop : llvm::reverse(loops)) {
    if (loop == loops.front()) {
      indices[loop] = number;
      return;
    }
    indices[loop] = arith::RemUIOp::create(b, number, extents[loop]);
    number = arith::DivUIOp::create(b, number, extents[loop]);
  }
}

SmallVector<Value> LinalgPoints::place(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> loops(indices.begin(), indices.end());
  SmallVector<Value> place;
  for (AffineExpr expression : map.getResults()) {
    OpFoldResult index = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), AffineMap::get(map.getNumDims(), 0, expression), loops);
    place.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), index));
  }
  return place;
}

Value LinalgPoints::loadOutput(unsigned number, int64_t alignment) {
  OpOperand &output = *op.getDpsInitOperand(number);
  auto load = memref::LoadOp::create(b, output.get(), place(output));
  if (alignment)
    load.setAlignment(alignment);
  return load;
}

void LinalgPoints::storeOutput(unsigned number, Value value,
                               int64_t alignment) {
  OpOperand &output = *op.getDpsInitOperand(number);
  auto store = memref::StoreOp::create(b, value, output.get(), place(output));
  if (alignment)
    store.setAlignment(alignment);
}

bool LinalgPoints::isRewritten(unsigned number) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  return llvm::any_of(reductionLoops,
                      [&](unsigned loop) { return map.isFunctionOfDim(loop); });
}

SmallVector<Value> LinalgPoints::loadOutputs() {
  SmallVector<Value> values;
  for (int64_t i = 0; i < op.getNumDpsInits(); ++i)
    values.push_back(loadOutput(i));
  return values;
}

void LinalgPoints::storeOutputs(ValueRange values) {
  for (auto [i, value] : llvm::enumerate(values))
    storeOutput(i, value);
}

SmallVector<Value> LinalgPoints::loadInputs() {
  SmallVector<Value> values;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value = input->get();
    if (isa<MemRefType>(value.getType()))
      value = memref::LoadOp::create(b, value, place(*input));
    values.push_back(value);
  }
  return values;
}

SmallVector<Value> LinalgPoints::compute(ValueRange outputs) {
  return compute(loadInputs(), outputs);
}

SmallVector<Value> LinalgPoints::compute(ValueRange inputs,
                                         ValueRange outputs) {
  IRMapping mapping;
  for (auto [input, value] : llvm::zip_equal(op.getDpsInputOperands(), inputs))
    mapping.map(op.getMatchingBlockArgument(input), value);
  for (auto [argument, output] :
       llvm::zip_equal(op.getRegionOutputArgs(), outputs))
    mapping.map(argument, output);
  Block &body = *op.getBlock();
  for (Operation &inner : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(), indices[index.getDim()]);
    else
      b.clone(inner, mapping);
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}
