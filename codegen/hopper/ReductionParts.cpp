//===- ReductionParts.cpp - one thread's part of a loop that reduces ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/ReductionParts.h"

#include "codegen/hopper/KnownAlignment.h"
#include "dialects/exec/ExecDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mm01;

/// Neighbours that a thread takes: 16 bytes of bf16.
static constexpr int64_t kChunk = 8;
/// Bytes that one instruction reads at most.
static constexpr int64_t kLoadBytes = 16;

/// True where each index of a buffer but the last moves it by a multiple of
/// `step` elements, and the last by one.
static bool hasSteps(MemRefType type, int64_t step) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.empty() ||
      strides.back() != 1)
    return false;
  return llvm::all_of(ArrayRef(strides).drop_back(), [&](int64_t stride) {
    return !ShapedType::isDynamic(stride) && stride % step == 0;
  });
}

/// True where a number is known to be a multiple of `step`, a power of two.
static bool isMultiple(OpFoldResult number, int64_t step) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant % step == 0;
  return getDivisor(cast<Value>(number)) % step == 0;
}

/// True where each row of the buffer begins at a multiple of `step` elements
/// from a place that the runtime aligns.
static bool hasAlignedRows(Value buffer, int64_t step) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() > 0 && !hasSteps(type, step))
    return false;
  Operation *op = buffer.getDefiningOp();
  if (!op)
    return isa<func::FuncOp>(buffer.getParentBlock()->getParentOp());
  if (isa<exec::ScratchOp>(op))
    return true;
  if (isa<exec::WeightPartOp>(op))
    return type.getNumElements() % step == 0;
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    if (!hasSteps(view.getSourceType(), step) ||
        !hasAlignedRows(view.getSource(), step))
      return false;
    return isMultiple(view.getMixedOffsets().back(), step) &&
           getConstantIntValue(view.getMixedStrides().back()) == 1;
  }
  if (auto view = dyn_cast<memref::ReinterpretCastOp>(op))
    return getConstantIntValue(view.getMixedOffsets().front()) == 0 &&
           hasAlignedRows(view.getSource(), step);
  if (isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
    return hasAlignedRows(op->getOperand(0), step);
  return false;
}

/// True for a load that reads the neighbour behind in the next iteration.
static bool readsAlongRow(memref::LoadOp load, scf::ForOp loop) {
  auto isOutside = [&](Value value) {
    return loop.isDefinedOutsideOfLoop(value);
  };
  MemRefType type = load.getMemRefType();
  return type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() >= 8 && hasSteps(type, 1) &&
         isOutside(load.getMemRef()) &&
         load.getIndices().back() == loop.getInductionVar() &&
         llvm::all_of(load.getIndices().drop_back(), isOutside);
}

/// The loads of a loop that a thread does for kChunk neighbours at once, if it
/// can take so many.
static SmallVector<memref::LoadOp> findRowLoads(scf::ForOp loop) {
  SmallVector<memref::LoadOp> loads;
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  if (!isConstantIntValue(loop.getLowerBound(), 0) ||
      !isConstantIntValue(loop.getStep(), 1) || !end || *end % kChunk != 0)
    return loads;
  for (auto load : loop.getBody()->getOps<memref::LoadOp>())
    if (load.getMemRefType().getRank() > 0 && readsAlongRow(load, loop))
      loads.push_back(load);
  return loads;
}

static Value readChunk(ImplicitLocOpBuilder &b, memref::LoadOp load,
                       Value first) {
  MemRefType type = load.getMemRefType();
  SmallVector<Value> at(load.getIndices());
  at.back() = first;
  auto read = vector::LoadOp::create(
      b, VectorType::get({kChunk}, type.getElementType()), load.getMemRef(),
      at);
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  int64_t step = std::min(kChunk, std::max<int64_t>(kLoadBytes / bytes, 1));
  if (hasAlignedRows(load.getMemRef(), step))
    read.setAlignment(step * bytes);
  return read;
}

scf::ForOp mm01::makePart(ImplicitLocOpBuilder &b, scf::ForOp loop,
                          ValueRange initial, Value member, int64_t members) {
  SmallVector<memref::LoadOp> loads = findRowLoads(loop);
  int64_t chunk = loads.empty() ? 1 : kChunk;
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto times = [&](Value value, int64_t factor) -> Value {
    if (factor == 1)
      return value;
    return arith::MulIOp::create(b, value, index(factor));
  };
  Value first = arith::AddIOp::create(
      b, loop.getLowerBound(),
      arith::MulIOp::create(b, times(member, chunk), loop.getStep()));
  Value stride =
      arith::MulIOp::create(b, loop.getStep(), index(members * chunk));
  auto part =
      scf::ForOp::create(b, first, loop.getUpperBound(), stride, initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(part.getBody());
  SmallVector<Value> chunks;
  for (memref::LoadOp load : loads)
    chunks.push_back(readChunk(b, load, part.getInductionVar()));
  SmallVector<Value> carried(part.getRegionIterArgs());
  for (int64_t i = 0; i < chunk; ++i) {
    IRMapping mapping;
    mapping.map(loop.getRegionIterArgs(), carried);
    mapping.map(loop.getInductionVar(),
                i == 0 ? part.getInductionVar()
                       : Value(arith::AddIOp::create(b, part.getInductionVar(),
                                                     index(i))));
    for (auto [load, values] : llvm::zip_equal(loads, chunks))
      mapping.map(load.getResult(), vector::ExtractOp::create(b, values, i));
    for (Operation &op : loop.getBody()->without_terminator())
      if (!llvm::is_contained(loads, &op))
        b.clone(op, mapping);
    for (auto [value, yielded] : llvm::zip_equal(
             carried, loop.getBody()->getTerminator()->getOperands()))
      value = mapping.lookupOrDefault(yielded);
  }
  scf::YieldOp::create(b, carried);
  return part;
}
