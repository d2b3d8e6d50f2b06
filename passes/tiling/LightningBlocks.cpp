//===- LightningBlocks.cpp - lightning attention by blocks of tokens ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/LightningBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mm01;

namespace {

constexpr int64_t m = kLightningBlock;

/// Writes the code of one block. States are kept transposed, [d of v, d of k]:
/// both products with them then have a transposed second operand, as the BLAS
/// of kernels wants.
class BlockWriter {
public:
  BlockWriter(KernelBuilder &b, Value slope, int64_t width)
      : b(b), width(width), powers(decays(slope)),
        growth(
            b.narrow(math::ExpM1Op::create(
                         b, arith::MulFOp::create(b, slope, f64(-double(m)))),
                     b.getF32Type())) {}

  /// The new transposed state and the block's rows of out.
  std::pair<Value, Value> write(Value q, Value k, Value v, Value state,
                                Value out) {
    Value transposed = b.transpose(v, empty(width, m));
    Value inter = b.multiplyInto(q, state, b.fill(b.f32(0), out));
    Value decayed = scaleRows(inter);
    Value done = b.multiplyInto(intraScores(q, k), transposed, decayed);
    Value kept = b.elementwise({}, state, [&](ValueRange a) {
      return b.addf(b.mulf(a[0], growth), a[0]);
    });
    return {b.multiplyInto(transposed, decayedKeys(k), kept), done};
  }

private:
  Value f64(double value) {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  }
  Value empty(int64_t rows, int64_t columns) {
    return b.empty({rows, columns}, b.getF32Type());
  }

  /// [m + 1]: element i is exp(-s (m - i)), so that D(i, j) for j = 0, 1, … are
  /// elements m - i + j in their order.
  Value decays(Value slope) {
    Value negated = arith::NegFOp::create(b, slope);
    return b.loop(b.index(0), b.index(m + 1), b.empty({m + 1}, b.getF32Type()),
                  [&](Value i, ValueRange carried) {
                    Value distance = arith::SIToFPOp::create(
                        b, b.getF64Type(),
                        arith::IndexCastOp::create(b, b.getI64Type(),
                                                   b.sub(b.index(m), i)));
                    Value decay = math::ExpOp::create(
                        b, arith::MulFOp::create(b, negated, distance));
                    return Values{b.insert(b.narrow(decay, b.getF32Type()),
                                           carried[0], i)};
                  })[0];
  }

  /// Row i times exp(-s (i + 1)).
  Value scaleRows(Value rows) {
    return b.loop(
        b.index(0), b.index(m), rows, [&](Value i, ValueRange carried) {
          Value decay = b.extract(powers, b.sub(b.index(m - 1), i));
          Value row =
              b.elementwise({}, b.row(carried[0], i),
                            [&](ValueRange a) { return b.mulf(a[0], decay); });
          return Values{b.insertRow(row, carried[0], i)};
        })[0];
  }

  /// (q kᵀ) ⊙ D.
  Value intraScores(Value q, Value k) {
    Value scores = b.multiplyInto(q, k, b.fill(b.f32(0), empty(m, m)));
    OpFoldResult zero = b.getIndexAttr(0);
    return b.loop(
        b.index(0), b.index(m), scores, [&](Value i, ValueRange carried) {
          Value seen = b.add(i, b.index(1)), hidden = b.sub(b.index(m), seen);
          Value row = b.row(carried[0], i);
          Value decay = b.slice(powers, {b.sub(b.index(m), i)}, {seen}, 1);
          Value kept =
              b.elementwise({decay}, b.slice(row, {zero}, {seen}, 1),
                            [&](ValueRange a) { return b.mulf(a[1], a[0]); });
          row = b.insertSlice(kept, row, {zero}, {seen});
          Value none = b.fill(b.f32(0), b.slice(row, {seen}, {hidden}, 1));
          row = b.insertSlice(none, row, {seen}, {hidden});
          return Values{b.insertRow(row, carried[0], i)};
        })[0];
  }

  /// (k ⊙ exp(-s (m - 1 - j)))ᵀ: [d, m].
  Value decayedKeys(Value k) {
    Value decay = b.slice(powers, {b.getIndexAttr(1)}, {b.getIndexAttr(m)}, 1);
    constexpr utils::IteratorType parallel = utils::IteratorType::parallel;
    return b.generic({k, decay}, empty(width, m), {{1, 0}, {1}, {0, 1}},
                     {parallel, parallel},
                     [&](ValueRange a) { return b.mulf(a[0], a[1]); });
  }

  KernelBuilder &b;
  int64_t width;
  Value powers, growth;
};

} // namespace

std::pair<Value, Value> mm01::writeLightningBlocks(KernelBuilder &b,
                                                   Value blocks, Value slope,
                                                   Value state,
                                                   const LightningRows &rows) {
  int64_t width = cast<ShapedType>(state.getType()).getDimSize(0);
  BlockWriter writer(b, slope, width);
  Value transposed =
      b.transpose(state, b.empty({width, width}, b.getF32Type()));
  OpFoldResult zero = b.getIndexAttr(0);
  Values done =
      b.loop(b.index(0), blocks, {transposed, rows.out},
             [&](Value i, ValueRange carried) {
               Indices at{b.mul(i, b.index(m)), zero};
               Indices sizes{b.getIndexAttr(m), b.getIndexAttr(width)};
               auto block = [&](Value tensor) {
                 return b.slice(tensor, at, sizes, 2);
               };
               auto [next, out] =
                   writer.write(block(rows.q), block(rows.k), block(rows.v),
                                carried[0], block(carried[1]));
               return Values{next, b.insertSlice(out, carried[1], at, sizes)};
             });
  return {b.transpose(done[0], state), done[1]};
}
