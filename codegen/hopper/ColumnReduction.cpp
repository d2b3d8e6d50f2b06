//===- ColumnReduction.cpp - sums of columns by a block of threads --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tested by test/codegen/hopper/distribute-threads-columns.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/ColumnReduction.h"
#include "codegen/hopper/KnownAlignment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mm01;

/// 16 where every piece of a row of four-byte elements begins at a multiple of
/// it.
static int64_t alignmentOf(Value buffer) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  auto type = cast<MemRefType>(buffer.getType());
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1 || getOffsetDivisor(buffer) % 4 != 0)
    return 0;
  for (int64_t stride : ArrayRef(strides).drop_back())
    if (ShapedType::isDynamic(stride) || stride % 4 != 0)
      return 0;
  return 16;
}

std::optional<ColumnReduction> ColumnReduction::match(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
  if (loops.size() != 2 || loops[0] != utils::IteratorType::reduction ||
      loops[1] != utils::IteratorType::parallel)
    return std::nullopt;
  ColumnReduction found;
  found.rows = op.getStaticLoopRanges()[0];
  found.columns = op.getStaticLoopRanges()[1];
  if (found.columns < kPiece || found.columns > kWarpThreads * kPiece ||
      !llvm::isPowerOf2_64(found.columns))
    return std::nullopt;
  int64_t atOnce = kBlockThreads / (found.columns / kPiece);
  if (found.rows <= 0 || found.rows % atOnce != 0 || found.rows / atOnce > 16)
    return std::nullopt;

  auto carried = llvm::to_vector(op.getRegionOutputArgs());
  for (OpOperand &output : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    unsigned number = found.combiners.size();
    std::optional<Combiner> combiner;
    if (!map.isFunctionOfDim(0)) {
      combiner = Combiner::match(carried, number);
      if (!combiner)
        return std::nullopt;
    }
    auto type = cast<MemRefType>(output.get().getType());
    if (!map.isProjectedPermutation() || !map.isFunctionOfDim(1) ||
        type.getElementTypeBitWidth() != 8 * kPiece)
      return std::nullopt;
    found.combiners.push_back(combiner);
    bool isRow =
        map.getResults().back() == getAffineDimExpr(1, op.getContext());
    found.alignments.push_back(isRow ? alignmentOf(output.get()) : 0);
  }
  if (!llvm::any_of(found.combiners, [](auto &c) { return c.has_value(); }))
    return std::nullopt;
  return found;
}

namespace {

/// What a thread knows of one point.
struct Point {
  SmallVector<Value> inputs;
  SmallVector<Value> outputs; // null where reduced
};

} // namespace

void ColumnReduction::write(
    ImplicitLocOpBuilder &b, LinalgPoints &points, Value thread,
    function_ref<Value(int64_t, Type)> makeSlots) const {
  auto index = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, number);
  };
  auto add = [&](Value x, int64_t number) -> Value {
    return number == 0 ? x : arith::AddIOp::create(b, x, index(number));
  };
  const int64_t groups = columns / kPiece, atOnce = kBlockThreads / groups;
  const int64_t turns = rows / atOnce;
  Value group = arith::RemUIOp::create(b, thread, index(groups));
  Value firstRow = arith::DivUIOp::create(b, thread, index(groups));
  Value firstColumn = arith::MulIOp::create(b, group, index(kPiece));
  auto place = [&](int64_t turn, int64_t i) {
    points.place(0u, add(firstRow, turn * atOnce));
    points.place(1u, add(firstColumn, i));
  };

  auto alignmentAt = [&](size_t number, int64_t i) {
    return i == 0 ? alignments[number] : 0;
  };

  // All loads, then the arithmetic, then all stores.
  SmallVector<Point> loaded;
  for (int64_t turn = 0; turn < turns; ++turn)
    for (int64_t i = 0; i < kPiece; ++i) {
      place(turn, i);
      Point &point = loaded.emplace_back();
      point.inputs = points.loadInputs();
      for (auto [number, combiner] : llvm::enumerate(combiners))
        point.outputs.push_back(
            combiner ? Value()
                     : points.loadOutput(number, alignmentAt(number, i)));
    }
  // Of each column, a part of each reduced output.
  SmallVector<SmallVector<Value>> parts(kPiece);
  for (SmallVector<Value> &part : parts)
    for (const std::optional<Combiner> &combiner : combiners)
      part.push_back(
          combiner ? arith::ConstantOp::create(b, combiner->neutral).getResult()
                   : Value());
  for (int64_t turn = 0; turn < turns; ++turn)
    for (int64_t i = 0; i < kPiece; ++i) {
      place(turn, i);
      Point &point = loaded[turn * kPiece + i];
      SmallVector<Value> outputs;
      for (auto [output, part] : llvm::zip_equal(point.outputs, parts[i]))
        outputs.push_back(output ? output : part);
      SmallVector<Value> results = points.compute(point.inputs, outputs);
      for (auto [number, combiner] : llvm::enumerate(combiners))
        (combiner ? parts[i][number] : point.outputs[number]) = results[number];
    }
  for (int64_t turn = 0; turn < turns; ++turn)
    for (int64_t i = 0; i < kPiece; ++i) {
      place(turn, i);
      for (auto [number, combiner] : llvm::enumerate(combiners))
        if (!combiner)
          points.storeOutput(number, loaded[turn * kPiece + i].outputs[number],
                             alignmentAt(number, i));
    }

  constexpr int64_t warps = kBlockThreads / kWarpThreads;
  Value warp = arith::DivUIOp::create(b, thread, index(kWarpThreads));
  Value lane = arith::RemUIOp::create(b, thread, index(kWarpThreads));
  Value writes =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, lane, index(groups));
  SmallVector<Value> slots(combiners.size());
  for (auto [number, combiner] : llvm::enumerate(combiners)) {
    if (!combiner)
      continue;
    for (SmallVector<Value> &part : parts)
      for (int64_t offset = groups; offset < kWarpThreads; offset *= 2) {
        auto other = gpu::ShuffleOp::create(
            b, part[number], static_cast<int32_t>(offset), kWarpThreads,
            gpu::ShuffleMode::XOR);
        part[number] =
            combiner->combine(b, part[number], other.getShuffleResult());
      }
    slots[number] = makeSlots(warps * columns, parts[0][number].getType());
    Value base = arith::AddIOp::create(
        b, arith::MulIOp::create(b, warp, index(columns)), firstColumn);
    auto guard = scf::IfOp::create(b, writes, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPoint(guard.thenYield());
    for (int64_t i = 0; i < kPiece; ++i)
      memref::StoreOp::create(b, parts[i][number], slots[number], add(base, i));
  }
  gpu::BarrierOp::create(b);
  Value hasColumn = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread,
                                          index(columns));
  auto guard = scf::IfOp::create(b, hasColumn, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPoint(guard.thenYield());
  points.place(0u, index(0)); // a reduced output depends on no row
  points.place(1u, thread);
  for (auto [number, combiner] : llvm::enumerate(combiners)) {
    if (!combiner)
      continue;
    Value total = points.loadOutput(number);
    for (int64_t i = 0; i < warps; ++i)
      total = combiner->combine(
          b, total,
          memref::LoadOp::create(b, slots[number], add(thread, i * columns)));
    points.storeOutput(number, total);
  }
}
