//===- GroupedWriter.cpp - writes products of experts ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/GroupedWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mm01;

static Value quotient(TileBuilder &b, Value a, Value by) {
  return arith::DivUIOp::create(b, a, by);
}

GroupedWriter::GroupedWriter(TileBuilder &b, const GroupedTiles &tiles,
                             int64_t above, const GroupedOperands &in)
    : b(b), tiles(tiles), in(in), gated(in.weights.size() == 2), above(above) {
  auto weight = cast<WeightType>(in.weights.front().getType());
  experts = weight.getParts();
  features = weight.getShape().drop_back().back();
  hidden = weight.getShape().back();
  step = getGroupedStep(weight);
  mostRows = getGroupedWidths(weight, gated).back();
  weightElement = weight.getElementType();
}

Value GroupedWriter::index(Value number) {
  return arith::IndexCastOp::create(b, b.getIndexType(), number);
}

void GroupedWriter::write() {
  for (Value weight : in.weights)
    weightMaps.push_back(mapOfWeight(weight));
  rowMap = mapOfRows();
  outMap = mapOfOut();
  if (!in.offsets)
    rowCount = b.toI32(b.layoutOf(in.rows).extents[0]);
  rank = b.toI32(gpu::ClusterBlockIdOp::create(b, gpu::Dimension::x));
  Value total = countItems();
  Value cluster = gpu::ClusterIdOp::create(b, gpu::Dimension::x);
  auto items =
      scf::ForOp::create(b, cluster, index(total), b.index(kGroupedClusters),
                         ValueRange{b.index(0), i32(0)},
                         [](OpBuilder &, Location, Value, ValueRange) {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(items.getBody());
  Item item = find(b.toI32(items.getInductionVar()), items.getRegionIterArg(0),
                   items.getRegionIterArg(1));
  multiply(item);
  scf::YieldOp::create(b, ValueRange{item.expert, item.first});
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

Value GroupedWriter::map(Value source, Value displacement,
                         ArrayRef<Value> extents, ArrayRef<Value> strides,
                         ArrayRef<int64_t> box) {
  return exec::TensorMapOp::create(
      b, exec::TensorMapType::get(b.getContext()), source, displacement,
      extents, strides, b.getDenseI64ArrayAttr(box), b.getI64IntegerAttr(0));
}

/// {experts, features, hidden}: parts of a weight lie one behind another.
Value GroupedWriter::mapOfWeight(Value weight) {
  auto part = MemRefType::get({features, hidden}, weightElement);
  Value first = exec::WeightPartOp::create(b, part, weight, b.index(0));
  return map(
      first, Value(), {b.index(experts), b.index(features), b.index(hidden)},
      {b.index(features * hidden), b.index(hidden)}, {1, tiles.features, step});
}

/// {rows, hidden}.
Value GroupedWriter::mapOfRows() {
  auto [extents, strides] = b.layoutOf(in.rows);
  return map(in.rows, Value(), extents, strides[0], {tiles.rowsOfCopy, step});
}

/// {rows + most, most, features}, from the most rows of a tile before the
/// tensor: at (feature, most - n, row + n) a tile's first n rows are written
/// from `row`.
Value GroupedWriter::mapOfOut() {
  auto [extents, strides] = b.layoutOf(in.out);
  Value most = b.index(mostRows);
  Value back = b.mul(b.sub(b.index(0), most), strides[0]);
  return map(in.out, back, {b.add(extents[0], most), most, extents[1]},
             {strides[0], strides[0]},
             {1, tiles.rowsOfResult, tiles.featuresOfResult});
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

GroupedWriter::Expert GroupedWriter::load(Value expert) {
  Value begin = i32(0), count = rowCount;
  if (in.offsets) {
    begin = memref::LoadOp::create(b, in.offsets, ValueRange{expert});
    Value end = memref::LoadOp::create(b, in.offsets,
                                       ValueRange{b.add(expert, b.index(1))});
    count = b.sub(end, begin);
  }
  // Rows of each of as few equal parts as the most rows of a part allow.
  Value parts = quotient(b, b.add(count, i32(mostRows - 1)), i32(mostRows));
  parts = b.maximum(parts, i32(1));
  Value even = quotient(b, b.sub(b.add(count, parts), i32(1)), parts);
  Value mine =
      b.both(b.compare(arith::CmpIPredicate::ugt, even, i32(above)),
             b.compare(arith::CmpIPredicate::ule, even, i32(tiles.width)));
  Value tilesOfIt =
      quotient(b, b.add(count, i32(tiles.width - 1)), i32(tiles.width));
  return {begin, count, b.select(mine, tilesOfIt, i32(0))};
}

Value GroupedWriter::itemsOf(const Expert &expert) {
  int64_t ofItem = kGroupedCluster * tiles.features;
  return b.mul(expert.tiles, i32((features + ofItem - 1) / ofItem));
}

Value GroupedWriter::countItems() {
  return b.loop(b.index(experts), {i32(0)}, [&](Value expert, ValueRange sum) {
    return Values{b.add(sum[0], itemsOf(load(expert)))};
  })[0];
}

/// The item of a number, from the expert of an item before it.
GroupedWriter::Item GroupedWriter::find(Value number, Value expert,
                                        Value first) {
  Type type = b.getI32Type();
  SmallVector<Type> found{b.getIndexType(), type, type, type, type};
  auto search = scf::WhileOp::create(
      b, found, ValueRange{expert, first},
      [&](OpBuilder &inner, Location, ValueRange at) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(inner.saveInsertionPoint());
        Expert here = load(at[0]);
        Value behind = b.add(at[1], itemsOf(here));
        Value later = b.compare(arith::CmpIPredicate::uge, number, behind);
        scf::ConditionOp::create(
            b, later,
            ValueRange{b.select(later, b.add(at[0], b.index(1)), at[0]),
                       b.select(later, behind, at[1]), here.begin, here.count,
                       here.tiles});
      },
      [&](OpBuilder &inner, Location loc, ValueRange at) {
        scf::YieldOp::create(inner, loc, at.take_front(2));
      });
  ValueRange at = search.getResults();
  Value inside = b.sub(number, at[1]);
  Value piece = quotient(b, inside, at[4]);
  Value part = b.sub(inside, b.mul(piece, at[4]));
  Value done = b.mul(part, i32(tiles.width));
  Value block = b.add(b.mul(piece, i32(kGroupedCluster)), rank);
  return {at[0], at[1], b.add(at[2], done), b.sub(at[3], done),
          b.mul(block, i32(tiles.features))};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value GroupedWriter::copyIn(Value map, ValueRange at, int64_t rows, Type type,
                            bool shared) {
  Value buffer = b.alloc(rows, step, type);
  tile::CopyInOp::create(b, map, at, buffer, Value(), Value(), shared,
                         DenseI64ArrayAttr());
  return buffer;
}

GroupedWriter::Values GroupedWriter::accumulate(const Item &item, int64_t sums,
                                                Type type, Step multiplyTiles) {
  Value zero = b.constant(type, 0.0);
  Value feature = index(item.feature), row = index(item.row);
  int64_t atOnce = tiles.stepsAtOnce * step;
  return b.loop(b.index((hidden + atOnce - 1) / atOnce), Values(sums, zero),
                [&](Value k, ValueRange now) {
                  // All copies first: they are one turn.
                  SmallVector<std::pair<Values, Value>> operands;
                  for (int64_t i = 0; i < tiles.stepsAtOnce; ++i) {
                    Value column = b.mul(k, b.index(atOnce));
                    if (i > 0)
                      column = b.add(column, b.index(i * step));
                    Values weights;
                    for (Value map : weightMaps)
                      weights.push_back(copyIn(map,
                                               {column, feature, item.expert},
                                               tiles.features, weightElement,
                                               /*shared=*/false));
                    Value rows = copyIn(rowMap, {column, row}, tiles.width,
                                        b.getBF16Type(), /*shared=*/true);
                    operands.push_back({weights, rows});
                  }
                  Values next(now);
                  for (auto &[weights, rows] : operands)
                    next = multiplyTiles(weights, rows, next);
                  return next;
                });
}

Value GroupedWriter::gate(Value gate, Value up) {
  Value divisor = b.addf(math::ExpOp::create(b, b.negf(gate)),
                         b.constant(gate.getType(), 1.0));
  auto fast = arith::FastMathFlags::arcp | arith::FastMathFlags::afn;
  return arith::DivFOp::create(b, b.mulf(gate, up), divisor, fast);
}

void GroupedWriter::copyOut(Value tile, Value feature, Value row, Value left) {
  int64_t rows = tiles.rowsOfResult;
  Value count = b.minimum(b.maximum(left, i32(0)), i32(rows));
  Value buffer = b.alloc(rows, tiles.featuresOfResult);
  b.write(b.toBf16(tile), buffer, /*transposed=*/true);
  tile::CopyOutOp::create(b, buffer, outMap,
                          ValueRange{index(feature),
                                     index(b.sub(i32(mostRows), count)),
                                     index(b.add(row, count))});
}
