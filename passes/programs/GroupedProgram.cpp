//===- GroupedProgram.cpp - products of experts as tile programs ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/GroupedProgram.h"

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mm01;

namespace {

/// Rows of an item at most, and features of one product.
constexpr int64_t kMostRows = 256;
constexpr int64_t kFeatures = 64;
constexpr int64_t kStep = kGroupedStep;

class GroupedWriter {
public:
  using Values = TileBuilder::Values;

  GroupedWriter(TileBuilder &b, int64_t width, int64_t above,
                const GroupedOperands &in)
      : b(b), width(width), above(above), in(in),
        gated(in.weights.size() == 2) {
    auto weight = cast<WeightType>(in.weights.front().getType());
    experts = weight.getShape()[0];
    features = weight.getShape()[1];
    hidden = weight.getShape()[2];
  }

  void write() {
    for (Value weight : in.weights)
      weightMaps.push_back(mapOfWeight(weight));
    rowMap = mapOfRows();
    outMap = mapOfOut();
    rank = b.toI32(gpu::ClusterBlockIdOp::create(b, gpu::Dimension::x));
    Value total = countItems();
    Value cluster = gpu::ClusterIdOp::create(b, gpu::Dimension::x);
    auto items =
        scf::ForOp::create(b, cluster, index(total), b.index(kGroupedClusters),
                           ValueRange{b.index(0), i32(0)},
                           [](OpBuilder &, Location, Value, ValueRange) {});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(items.getBody());
    Item item = find(b.toI32(items.getInductionVar()),
                     items.getRegionIterArg(0), items.getRegionIterArg(1));
    if (gated)
      multiplyGated(item);
    else
      multiply(item);
    scf::YieldOp::create(b, ValueRange{item.expert, item.first});
  }

private:
  /// Where an expert's rows begin, how many there are, and tiles of them.
  struct Expert {
    Value begin, count, tiles;
  };
  /// A tile of an expert's rows and of the block's features; `first` is the
  /// number of the expert's first item.
  struct Item {
    Value expert, first, row, left, feature;
  };

  Value i32(int64_t value) { return b.constant(b.getI32Type(), value); }
  Value index(Value number) {
    return arith::IndexCastOp::create(b, b.getIndexType(), number);
  }
  Value quotient(Value a, Value by) { return arith::DivUIOp::create(b, a, by); }
  /// Features of an item: of its two blocks.
  int64_t featuresOfItem() const {
    return kGroupedCluster * kFeatures * (gated ? 1 : 2);
  }

  //===--------------------------------------------------------------------===//
  // Maps
  //===--------------------------------------------------------------------===//

  Value map(Value source, Value displacement, ArrayRef<Value> extents,
            ArrayRef<Value> strides, ArrayRef<int64_t> box) {
    return exec::TensorMapOp::create(
        b, exec::TensorMapType::get(b.getContext()), source, displacement,
        extents, strides, b.getDenseI64ArrayAttr(box), b.getI64IntegerAttr(0));
  }

  /// {experts, features, hidden}: parts of a weight lie one behind another.
  Value mapOfWeight(Value weight) {
    auto part = MemRefType::get({features, hidden}, b.getBF16Type());
    Value first = exec::WeightPartOp::create(b, part, weight, b.index(0));
    int64_t rows = gated ? kFeatures : 2 * kFeatures;
    return map(first, Value(),
               {b.index(experts), b.index(features), b.index(hidden)},
               {b.index(features * hidden), b.index(hidden)}, {1, rows, kStep});
  }

  /// {rows, hidden}; a block copies half of a tile for both.
  Value mapOfRows() {
    auto [extents, strides] = b.layoutOf(in.rows);
    return map(in.rows, Value(), extents, strides[0],
               {width / kGroupedCluster, kStep});
  }

  /// {rows + 256, 256, features}, from 256 rows before the tensor: at
  /// (feature, 256 - n, row + n) a tile's first n rows are written from `row`.
  Value mapOfOut() {
    auto [extents, strides] = b.layoutOf(in.out);
    Value most = b.index(kMostRows);
    Value back = b.mul(b.sub(b.index(0), most), strides[0]);
    return map(in.out, back, {b.add(extents[0], most), most, extents[1]},
               {strides[0], strides[0]},
               {1, gated ? width / 2 : width, kFeatures});
  }

  //===--------------------------------------------------------------------===//
  // Items
  //===--------------------------------------------------------------------===//

  Expert load(Value expert) {
    Value begin = memref::LoadOp::create(b, in.offsets, ValueRange{expert});
    Value end = memref::LoadOp::create(b, in.offsets,
                                       ValueRange{b.add(expert, b.index(1))});
    Value count = b.sub(end, begin);
    // Rows of each of as few equal parts as 256 rows a part allow.
    Value parts = quotient(b.add(count, i32(kMostRows - 1)), i32(kMostRows));
    parts = b.maximum(parts, i32(1));
    Value even = quotient(b.sub(b.add(count, parts), i32(1)), parts);
    Value mine = b.both(b.compare(arith::CmpIPredicate::ugt, even, i32(above)),
                        b.compare(arith::CmpIPredicate::ule, even, i32(width)));
    Value tiles = quotient(b.add(count, i32(width - 1)), i32(width));
    return {begin, count, b.select(mine, tiles, i32(0))};
  }

  Value itemsOf(const Expert &expert) {
    int64_t pieces = (features + featuresOfItem() - 1) / featuresOfItem();
    return b.mul(expert.tiles, i32(pieces));
  }

  Value countItems() {
    return b.loop(b.index(experts), {i32(0)},
                  [&](Value expert, ValueRange sum) {
                    return Values{b.add(sum[0], itemsOf(load(expert)))};
                  })[0];
  }

  /// The item of a number, from the expert of an item before it.
  Item find(Value number, Value expert, Value first) {
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
    Value piece = quotient(inside, at[4]);
    Value part = b.sub(inside, b.mul(piece, at[4]));
    Value done = b.mul(part, i32(width));
    Value block = b.add(b.mul(piece, i32(kGroupedCluster)), rank);
    return {at[0], at[1], b.add(at[2], done), b.sub(at[3], done),
            b.mul(block, i32(featuresOfItem() / kGroupedCluster))};
  }

  //===--------------------------------------------------------------------===//
  // Products
  //===--------------------------------------------------------------------===//

  Value rowsOf(Value tile, int64_t first, int64_t count) {
    auto type = cast<tile::BufferType>(tile.getType());
    auto part = tile::BufferType::get(
        b.getContext(), {count, type.getColumns()}, type.getElementType(), 0);
    return tile::RowsOp::create(b, part, tile, first);
  }

  Value copyIn(Value map, ValueRange at, int64_t rows, bool shared) {
    Value buffer = b.alloc(rows, kStep);
    tile::CopyInOp::create(b, map, at, buffer, Value(), Value(), shared,
                           DenseI64ArrayAttr());
    return buffer;
  }

  /// Sums of products over k, from 0; `step` gets the tiles of weights and
  /// rows.
  Values accumulate(const Item &item, int64_t sums, int64_t columns,
                    function_ref<Values(ValueRange, Value, ValueRange)> step) {
    Value zero = b.constant(b.tile(kFeatures, columns, b.getF32Type()), 0.0);
    Value feature = index(item.feature), row = index(item.row);
    int64_t rows = gated ? kFeatures : 2 * kFeatures;
    return b.loop(
        b.index((hidden + kStep - 1) / kStep), Values(sums, zero),
        [&](Value k, ValueRange now) {
          Value column = b.mul(k, b.index(kStep));
          Values weights;
          for (Value map : weightMaps)
            weights.push_back(copyIn(map, {column, feature, item.expert}, rows,
                                     /*shared=*/false));
          Value tile = copyIn(rowMap, {column, row}, width, /*shared=*/true);
          return step(weights, tile, now);
        });
  }

  /// Writes the first `left` rows of a tile, of `rows`, that begins at `row`.
  void copyOut(Value tile, Value feature, Value row, Value left, int64_t rows) {
    Value count = b.minimum(b.maximum(left, i32(0)), i32(rows));
    Value buffer = b.alloc(rows, kFeatures);
    b.write(b.toBf16(tile), buffer, /*transposed=*/true);
    tile::CopyOutOp::create(b, buffer, outMap,
                            ValueRange{index(feature),
                                       index(b.sub(i32(kMostRows), count)),
                                       index(b.add(row, count))});
  }

  /// Each half of the rows is a warp group's, for the gate and its partner.
  void multiplyGated(const Item &item) {
    int64_t half = width / 2;
    Values sums = accumulate(
        item, 4, half, [&](ValueRange weights, Value rows, ValueRange now) {
          Values next;
          for (int64_t part : {0, 1}) {
            Value mine = rowsOf(rows, part * half, half);
            for (int64_t i : {0, 1})
              next.push_back(
                  b.mma(weights[i], false, mine, true, now[2 * part + i]));
          }
          return next;
        });
    for (int64_t part : {0, 1}) {
      Value gate = sums[2 * part], up = sums[2 * part + 1];
      Value divisor = b.addf(math::ExpOp::create(b, b.negf(gate)),
                             b.constant(gate.getType(), 1.0));
      auto fast = arith::FastMathFlags::arcp | arith::FastMathFlags::afn;
      Value y = arith::DivFOp::create(b, b.mulf(gate, up), divisor, fast);
      Value skipped = i32(part * half);
      copyOut(y, item.feature, b.add(item.row, skipped),
              b.sub(item.left, skipped), half);
    }
  }

  /// Each half of the block's features is a warp group's, for all rows.
  void multiply(const Item &item) {
    Values sums = accumulate(
        item, 2, width, [&](ValueRange weights, Value rows, ValueRange now) {
          Values next;
          for (int64_t part : {0, 1})
            next.push_back(
                b.mma(rowsOf(weights[0], part * kFeatures, kFeatures), false,
                      rows, true, now[part]));
          return next;
        });
    for (int64_t part : {0, 1})
      copyOut(sums[part], b.add(item.feature, i32(part * kFeatures)), item.row,
              item.left, width);
  }

  TileBuilder &b;
  int64_t width, above;
  const GroupedOperands &in;
  bool gated;
  int64_t experts, features, hidden;
  Values weightMaps;
  Value rowMap, outMap, rank;
};

} // namespace

void mm01::writeGroupedProgram(TileBuilder &b, int64_t width, int64_t above,
                               const GroupedOperands &operands) {
  GroupedWriter(b, width, above, operands).write();
}
