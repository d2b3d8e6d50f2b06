//===- LightningBlocks.cpp - lightning attention by blocks of tokens ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/LightningBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mm01;

//===----------------------------------------------------------------------===//
// Decays
//===----------------------------------------------------------------------===//

/// An index as a float.
static Value toFloat(KernelBuilder &b, Value index, Type type) {
  return arith::SIToFPOp::create(
      b, type, arith::IndexCastOp::create(b, b.getI64Type(), index));
}

/// The sides of the tiles of these levels, each with the longest block's level.
static SmallVector<std::pair<int64_t, int64_t>>
tilesOf(ArrayRef<int64_t> levels) {
  SmallVector<std::pair<int64_t, int64_t>> tiles;
  for (int64_t level : levels) {
    int64_t tile = lightningTile(level);
    if (tiles.empty() || tiles.back().first != tile)
      tiles.push_back({tile, level});
  }
  return tiles;
}

SmallVector<int64_t> LightningDecays::tableSizes(ArrayRef<int64_t> levels) {
  SmallVector<int64_t> sizes = {levels[0] + 1};
  for (auto [tile, level] : tilesOf(levels))
    sizes.push_back(level * tile);
  return sizes;
}

Values LightningDecays::writeTables(KernelBuilder &b, Value slope,
                                    ArrayRef<int64_t> levels,
                                    ValueRange tables) {
  Value s = b.narrow(slope, b.getF32Type());
  // exp(-s distance), 0 where it is negative.
  auto decay = [&](Value distance) {
    Value length = toFloat(b, b.maximum(distance, b.index(0)), b.getF32Type());
    Value power = b.exp(arith::NegFOp::create(b, b.mulf(s, length)));
    Value past = b.lessOrEqual(b.index(0), distance);
    return arith::SelectOp::create(b, past, power, b.f32(0)).getResult();
  };
  Values written = {b.elementwise({}, tables[0], [&](ValueRange) {
    return decay(linalg::IndexOp::create(b, 0));
  })};
  for (auto [tile, table] :
       llvm::zip_equal(tilesOf(levels), tables.drop_front())) {
    Value side = b.index(tile.first);
    written.push_back(b.elementwise({}, table, [&](ValueRange) {
      Value at = linalg::IndexOp::create(b, 0);
      return decay(b.sub(b.divide(at, side), b.remainder(at, side)));
    }));
  }
  return written;
}

LightningDecays::LightningDecays(KernelBuilder &b, Value slope,
                                 ArrayRef<int64_t> levels, ValueRange tables)
    : b(b), slope(slope), rows(tables[0]) {
  for (auto [tile, table] :
       llvm::zip_equal(tilesOf(levels), tables.drop_front()))
    tiles.push_back({tile.first, table});
}

/// Tables of a workgroup's own, written where `blocks` is not 0.
static Values ownTables(KernelBuilder &b, Value slope, ArrayRef<int64_t> levels,
                        Value blocks) {
  Values none;
  for (int64_t size : LightningDecays::tableSizes(levels))
    none.push_back(b.empty({size}, b.getF32Type()));
  return b.branch(
      b.lessOrEqual(b.index(1), blocks), ValueRange(none).getTypes(),
      [&] { return LightningDecays::writeTables(b, slope, levels, none); },
      [&] { return none; });
}

LightningDecays::LightningDecays(KernelBuilder &b, Value slope,
                                 ArrayRef<int64_t> levels, Value blocks)
    : LightningDecays(b, slope, levels, ownTables(b, slope, levels, blocks)) {}

Value LightningDecays::from(int64_t tile, Value distance) const {
  const auto *table = llvm::find_if(
      tiles, [&](const auto &table) { return table.first == tile; });
  return b.slice(table->second, {b.mul(distance, b.index(tile))},
                 {b.getIndexAttr(tile * tile)}, 1);
}

Value LightningDecays::at(Value distance) const {
  return b.extract(rows, distance);
}

Value LightningDecays::after(int64_t count) const {
  return b.slice(rows, {b.getIndexAttr(1)}, {b.getIndexAttr(count)}, 1);
}

Value LightningDecays::growth(Value rows) const {
  Value negated = arith::NegFOp::create(b, slope);
  Value exponent =
      arith::MulFOp::create(b, negated, toFloat(b, rows, b.getF64Type()));
  return b.narrow(math::ExpM1Op::create(b, exponent), b.getF32Type());
}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

namespace {

/// The rows of a block, dense and in float32, zeros from `count` on.
struct Staged {
  Value q;    // [m, d]
  Value k;    // [d, m], transposed
  Value v;    // [m, d]
  Value kept; // [m, d]: v ⊙ exp(-s (count - 1 - j))
};

class BlockWriter {
public:
  BlockWriter(KernelBuilder &b, int64_t level, int64_t width,
              const LightningDecays &decays, Value first, Value count)
      : b(b), level(level), tile(lightningTile(level)), width(width),
        decays(decays), first(first), count(count) {}

  Staged stage(const LightningRows &rows) {
    Values buffers;
    for (int i = 0; i < 4; ++i)
      buffers.push_back(empty(level, width));
    buffers = b.loop(b.index(0), count, buffers, [&](Value i, ValueRange to) {
      Value from = b.add(first, i);
      Value stays = decays.at(b.sub(b.sub(count, b.index(1)), i));
      return Values{copyRow(rows.q, from, to[0], i),
                    copyRow(rows.k, from, to[1], i),
                    copyRow(rows.v, from, to[2], i),
                    copyRow(rows.v, from, to[3], i, stays)};
    });
    Value padding = b.sub(b.index(level), count);
    for (Value &buffer : buffers)
      buffer = clearRows(buffer, count, padding);
    Value transposed = b.transpose(buffers[1], empty(width, level));
    return {buffers[0], transposed, buffers[2], buffers[3]};
  }

  /// The block's rows of out, [m, d].
  Value attend(const Staged &staged, Value state) {
    Value inter =
        multiply(staged.q, state, b.fill(b.f32(0), empty(level, width)));
    constexpr auto parallel = utils::IteratorType::parallel;
    inter = b.generic({decays.after(level)}, inter, {{0}, {0, 1}},
                      {parallel, parallel},
                      [&](ValueRange a) { return b.mulf(a[1], a[0]); });
    return b.loop(
        b.index(0), b.index(level / tile), inter,
        [&](Value i, ValueRange carried) {
          Value at = b.mul(i, b.index(tile));
          Value queries = tileRows(staged.q, at);
          Value sum =
              b.loop(b.index(0), b.add(i, b.index(1)), tileRows(carried[0], at),
                     [&](Value j, ValueRange sums) {
                       Value from = b.mul(j, b.index(tile));
                       Value scores = score(queries, staged.k, at, from);
                       return Values{
                           multiply(scores, tileRows(staged.v, from), sums[0])};
                     })[0];
          auto [offsets, sizes] = tileRange(at);
          return Values{b.insertSlice(sum, carried[0], offsets, sizes)};
        })[0];
  }

  Value update(const Staged &staged, Value full, Value state) {
    Value growth = b.select(
        b.equal(count, b.index(level)), full.getType(), [&] { return full; },
        [&] { return decays.growth(count); });
    Value decayed = b.elementwise({}, state, [&](ValueRange a) {
      return b.addf(b.mulf(a[0], growth), a[0]);
    });
    return multiply(staged.k, staged.kept, decayed);
  }

  Value write(Value done, Value out) {
    return b.loop(b.index(0), count, out, [&](Value i, ValueRange carried) {
      return Values{copyRow(done, i, carried[0], b.add(first, i))};
    })[0];
  }

private:
  Value empty(int64_t rows, int64_t columns) {
    return b.empty({rows, columns}, b.getF32Type());
  }

  /// out + a b, in register tiles.
  Value multiply(Value a, Value right, Value out) {
    return linalg::MatmulOp::create(b, TypeRange{out.getType()},
                                    ValueRange{a, right}, ValueRange{out})
        .getResult(0);
  }

  /// Row `to` of `out` = row `from` of x, times a weight if there is one.
  Value copyRow(Value x, Value from, Value out, Value to, Value weight = {}) {
    Type type = getElementTypeOrSelf(out.getType());
    Value row =
        b.elementwise(b.row(x, from), b.row(out, to), [&](ValueRange a) {
          Value value = weight ? b.mulf(b.widen(a[0]), weight) : a[0];
          return b.narrow(value, type);
        });
    return b.insertRow(row, out, to);
  }

  Value clearRows(Value x, Value from, Value rows) {
    Indices offsets{from, b.getIndexAttr(0)};
    Indices sizes{rows, b.getIndexAttr(width)};
    return b.insertSlice(b.fill(b.f32(0), b.rows(x, from, rows)), x, offsets,
                         sizes);
  }

  std::pair<Indices, Indices> tileRange(Value at) {
    return {{at, b.getIndexAttr(0)},
            {b.getIndexAttr(tile), b.getIndexAttr(width)}};
  }

  Value tileRows(Value x, Value at) {
    auto [offsets, sizes] = tileRange(at);
    return b.slice(x, offsets, sizes, 2);
  }

  /// (q kᵀ) ⊙ D for tile rows from `at` and tile columns from `from` on.
  Value score(Value queries, Value keys, Value at, Value from) {
    Indices offsets{b.getIndexAttr(0), from};
    Indices sizes{b.getIndexAttr(width), b.getIndexAttr(tile)};
    Value scores = multiply(queries, b.slice(keys, offsets, sizes, 2),
                            b.fill(b.f32(0), empty(tile, tile)));
    // In one dimension, so that rows of a tile need no loop of their own.
    SmallVector<ReassociationIndices> both = {{0, 1}};
    Value flat = tensor::CollapseShapeOp::create(b, scores, both);
    flat = b.elementwise(
        decays.from(tile, b.sub(at, from)), flat, [&](ValueRange a) {
          // What is not seen must not matter, even if it is no number.
          Value unseen = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ,
                                               a[0], b.f32(0));
          Value seen = b.mulf(a[1], a[0]);
          return arith::SelectOp::create(b, unseen, b.f32(0), seen).getResult();
        });
    return tensor::ExpandShapeOp::create(b, scores.getType(), flat, both);
  }

  KernelBuilder &b;
  int64_t level, tile, width;
  const LightningDecays &decays;
  Value first, count;
};

} // namespace

std::pair<Value, Value>
mm01::writeLightningBlock(KernelBuilder &b, int64_t level,
                          const LightningDecays &decays,
                          const LightningRows &rows, Value first, Value count,
                          Value full, Value state, Value out) {
  int64_t width = cast<ShapedType>(state.getType()).getDimSize(0);
  BlockWriter block(b, level, width, decays, first, count);
  Staged staged = block.stage(rows);
  Value done = block.attend(staged, state);
  Value next = block.update(staged, full, state);
  return {next, block.write(done, out)};
}
