//===- QuantizedProgram.cpp - products with int8 weights as programs ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/GroupedWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mm01;

namespace {

/// Features of a block: two warp groups hold a tile of a weight together.
constexpr int64_t kFeatures = 2 * tile::FragmentLayout::rows;

/// The programs of int8 weights: threads read them, and hand them to the matrix
/// unit in registers.
class QuantizedWriter : public GroupedWriter {
public:
  QuantizedWriter(TileBuilder &b, int64_t width, int64_t above,
                  const GroupedOperands &in)
      : GroupedWriter(b, tilesOf(width, in.weights.size() == 2), above, in) {}

private:
  /// A step of a row is two panels, of which each block copies one for both.
  /// While one product runs threads convert the next one's weights: those of
  /// the gate's partner, or of the next step.
  static GroupedTiles tilesOf(int64_t width, bool gated) {
    return {width, kFeatures, width,
            width, kFeatures, gated ? 1 : kQuantizedSteps};
  }

  /// The scales of the block's features, 0 for those that there are not.
  Values loadScales(const Item &item) {
    auto type = RankedTensorType::get(kFeatures, b.getF32Type());
    Value number = tile::IotaOp::create(b, type.clone(b.getI32Type()), 0);
    auto splat = [&](Value value) {
      return tensor::SplatOp::create(b, value, type.clone(b.getI32Type()));
    };
    Value left = b.sub(i32(features), item.feature);
    Value mask = b.compare(arith::CmpIPredicate::slt, number, splat(left));
    Value first =
        b.add(b.mul(item.expert, b.index(features)), index(item.feature));
    Values scales;
    for (Value memory : in.scales)
      scales.push_back(tile::LoadOp::create(b, type, memory, first,
                                            ValueRange{b.index(1)}, mask));
    return scales;
  }

  void multiply(const Item &item) override {
    // Before the products, which take longer than the scales' way.
    Values scales = loadScales(item);
    Values sums = accumulate(
        item, in.weights.size(), b.tile(kFeatures, tiles.width, b.getF32Type()),
        [&](ValueRange weights, Value rows, ValueRange now) {
          Values next;
          for (auto [weight, sum] : llvm::zip_equal(weights, now)) {
            Value bytes = b.read(weight, /*transposed=*/false);
            next.push_back(b.mma(b.widenBytes(bytes), false, rows, true, sum));
          }
          return next;
        });
    for (auto [sum, scale] : llvm::zip_equal(sums, scales))
      sum = b.mulf(sum, b.broadcast(scale, tiles.width));
    copyOut(gated ? gate(sums[0], sums[1]) : sums[0], item.feature, item.row,
            item.left);
  }
};

} // namespace

void mm01::writeQuantizedProgram(TileBuilder &b, int64_t width, int64_t above,
                                 const GroupedOperands &operands) {
  QuantizedWriter(b, width, above, operands).write();
}
