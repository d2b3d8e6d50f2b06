//===- GroupedProgram.cpp - products of experts as tile programs ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/GroupedWriter.h"

using namespace mlir;
using namespace mm01;

namespace {

/// Features of one product.
constexpr int64_t kFeatures = tile::FragmentLayout::rows;

/// The programs of bf16 weights: the matrix unit reads both operands in shared
/// memory.
class PlainWriter : public GroupedWriter {
public:
  PlainWriter(TileBuilder &b, int64_t width, int64_t above,
              const GroupedOperands &in)
      : GroupedWriter(b, tilesOf(width, in.weights.size() == 2), above, in) {}

private:
  /// A step of a row is one panel, of which each block copies half of the rows
  /// for both.
  static GroupedTiles tilesOf(int64_t width, bool gated) {
    if (gated)
      return {width, kFeatures, width / kGroupedCluster, width / 2, kFeatures};
    return {width, 2 * kFeatures, width / kGroupedCluster, width, kFeatures};
  }

  void multiply(const Item &item) override {
    if (gated)
      multiplyGated(item);
    else
      multiplyPlain(item);
  }

  Value rowsOf(Value tile, int64_t first, int64_t count) {
    auto type = cast<tile::BufferType>(tile.getType());
    auto part = tile::BufferType::get(
        b.getContext(), {count, type.getColumns()}, type.getElementType(), 0);
    return tile::RowsOp::create(b, part, tile, first);
  }

  /// Each half of the rows is a warp group's, for the gate and its partner.
  void multiplyGated(const Item &item) {
    int64_t half = tiles.width / 2;
    Values sums =
        accumulate(item, 4, b.tile(kFeatures, half, b.getF32Type()),
                   [&](ValueRange weights, Value rows, ValueRange now) {
                     Values next;
                     for (int64_t part : {0, 1}) {
                       Value mine = rowsOf(rows, part * half, half);
                       for (int64_t i : {0, 1})
                         next.push_back(b.mma(weights[i], false, mine, true,
                                              now[2 * part + i]));
                     }
                     return next;
                   });
    for (int64_t part : {0, 1}) {
      Value skipped = i32(part * half);
      copyOut(gate(sums[2 * part], sums[2 * part + 1]), item.feature,
              b.add(item.row, skipped), b.sub(item.left, skipped));
    }
  }

  /// Each half of the block's features is a warp group's, for all rows.
  void multiplyPlain(const Item &item) {
    Values sums =
        accumulate(item, 2, b.tile(kFeatures, tiles.width, b.getF32Type()),
                   [&](ValueRange weights, Value rows, ValueRange now) {
                     Values next;
                     for (int64_t part : {0, 1})
                       next.push_back(b.mma(
                           rowsOf(weights[0], part * kFeatures, kFeatures),
                           false, rows, true, now[part]));
                     return next;
                   });
    for (int64_t part : {0, 1})
      copyOut(sums[part], b.add(item.feature, i32(part * kFeatures)), item.row,
              item.left);
  }
};

} // namespace

int64_t mm01::getGroupedStep(WeightType weight) {
  return weight.isQuantized() ? 128 : 64;
}

int64_t mm01::getGroupedDepth(WeightType weight) {
  return weight.isQuantized() ? kQuantizedSteps * getGroupedStep(weight)
                              : getGroupedStep(weight);
}

ArrayRef<int64_t> mm01::getGroupedWidths(WeightType weight, bool gated) {
  static constexpr int64_t plain[] = {16, 32, 64, 96, 128, 192, 256};
  static constexpr int64_t quantized[] = {16, 32, 64, 128};
  static constexpr int64_t quantizedGate[] = {16, 32, 64};
  if (!weight.isQuantized())
    return plain;
  return gated ? ArrayRef(quantizedGate) : ArrayRef(quantized);
}

void mm01::writeGroupedProgram(TileBuilder &b, int64_t width, int64_t above,
                               const GroupedOperands &operands) {
  if (operands.scales.empty())
    PlainWriter(b, width, above, operands).write();
  else
    writeQuantizedProgram(b, width, above, operands);
}
