//===- LightningKernels.cpp - kernel of lightning attention -*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/LightningBlocks.h"
#include "passes/tiling/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mm01;

namespace {

/// One workgroup for a sequence and a head:
///
///     S = past[n] == 0 ? 0 : state[layer, slot[n], h]
///     whole blocks of tokens in the block form (LightningBlocks.h)
///     for each token t that is left, the recurrence as it is defined:
///       S = S + (exp(-s) - 1) S + k[t]ᵀ v[t];  out[t] = q[t] S   (one sweep)
///     state[layer, slot[n], h] = S
///
/// exp(-s) - 1 is rounded instead of exp(-s): the decay of a slope near 0 then
/// has the slope's relative precision, and its error does not grow with every
/// token.
///
/// The state of a fresh sequence is never read, so that nothing which an
/// earlier owner of the slot left behind can reach it.
struct LightningKernel : OpRewritePattern<LightningAttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  /// One sweep: row i of S is decayed, updated and read.
  static Values step(KernelBuilder &b, Value q, Value k, Value v, Value growth,
                     Value state, Value out) {
    Value size = b.dim(state, 0);
    return b.loop(
        b.index(0), size, {state, out}, [&](Value i, ValueRange carried) {
          Value ki = b.widen(b.extract(k, i)), qi = b.widen(b.extract(q, i));
          Value row =
              b.elementwise({v}, b.row(carried[0], i), [&](ValueRange a) {
                Value kept = b.addf(b.mulf(a[1], growth), a[1]);
                return b.addf(b.mulf(ki, b.widen(a[0])), kept);
              });
          Value read = b.elementwise({row}, carried[1], [&](ValueRange a) {
            return b.addf(a[1], b.mulf(qi, a[0]));
          });
          return Values{b.insertRow(row, carried[0], i), read};
        });
  }

  /// The BLAS multiplies float32; other activations go through the recurrence.
  static bool isFloat32(LightningAttentionOp op) {
    return llvm::all_of(
        ValueRange{op.getQ(), op.getK(), op.getV(), op.getOut()},
        [](Value value) {
          return getElementTypeOrSelf(value.getType()).isF32();
        });
  }

  LogicalResult matchAndRewrite(LightningAttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getState().getType()).isF32())
      return rewriter.notifyMatchFailure(op, "the CPU keeps states in float32");
    int64_t width = cast<ShapedType>(op.getQ().getType()).getDimSize(2);
    if (ShapedType::isDynamic(width))
      return rewriter.notifyMatchFailure(op, "the head size must be static");
    KernelBuilder b(rewriter, op.getLoc());
    Value ragged = op.getRagged();
    Value sequences = b.raggedSize(ragged, RaggedExtent::sequences);
    Value heads = b.dim(op.getQ(), 1);
    OpFoldResult size = b.extent(op.getQ(), 2);
    OpFoldResult one = b.getIndexAttr(1), zero = b.getIndexAttr(0);

    auto kernel = [&](ValueRange ids, ValueRange outs) {
      Value n = ids[0], h = ids[1];
      Value begin = b.raggedGet(ragged, RaggedField::seq_offsets, n);
      Value end =
          b.raggedGet(ragged, RaggedField::seq_offsets, b.add(n, b.index(1)));
      Value slot = b.raggedGet(ragged, RaggedField::slot, n);
      Value past = b.raggedGet(ragged, RaggedField::past, n);
      Value slope = b.narrow(b.extract(op.getSlopes(), h), b.getF64Type());
      Value negated = arith::NegFOp::create(b, slope);
      Value growth =
          b.narrow(math::ExpM1Op::create(b, negated), b.getF32Type());

      Indices stateAt{op.getLayer(), slot, h, zero, zero};
      Indices stateSize{one, one, one, size, size};
      Value kept = b.slice(outs[1], stateAt, stateSize, 2);
      Value fresh = b.lessOrEqual(past, b.index(0));
      Value initial = b.select(
          fresh, kept.getType(), [&] { return b.fill(b.f32(0), kept); },
          [&] { return kept; });

      Indices tileAt{begin, h, zero}, tileSize{b.sub(end, begin), one, size};
      Value tile = b.slice(outs[0], tileAt, tileSize, 2);
      auto vector = [&](Value tensor, Value t) {
        return b.slice(tensor, {t, h, zero}, {one, one, size}, 1);
      };
      Value count = b.sub(end, begin);
      auto rows = [&](Value tensor) {
        return b.slice(tensor, tileAt, tileSize, 2);
      };
      Values blocked{initial, tile};
      Value first = b.index(0);
      if (isFloat32(op)) {
        Value blocks = b.divide(count, b.index(kLightningBlock));
        first = b.mul(blocks, b.index(kLightningBlock));
        blocked = b.branch(
            b.lessOrEqual(b.index(1), blocks),
            TypeRange{initial.getType(), tile.getType()},
            [&] {
              auto [state, out] = writeLightningBlocks(
                  b, blocks, slope, initial,
                  {rows(op.getQ()), rows(op.getK()), rows(op.getV()), tile});
              return Values{state, out};
            },
            [&] { return Values{initial, tile}; });
      }
      Values done =
          b.loop(first, count, blocked, [&](Value local, ValueRange carried) {
            Value t = b.add(begin, local);
            Value total = b.fill(b.f32(0), b.empty({width}, b.getF32Type()));
            Values next = step(b, vector(op.getQ(), t), vector(op.getK(), t),
                               vector(op.getV(), t), growth, carried[0], total);
            Value row = b.copy(next[1], b.row(carried[1], local));
            return Values{next[0], b.insertRow(row, carried[1], local)};
          });
      return SmallVector<Written>{{done[1], tileAt, tileSize},
                                  {done[0], stateAt, stateSize}};
    };
    rewriter.replaceOp(op, b.kernel("lightning_attention", {sequences, heads},
                                    {op.getOut(), op.getState()}, kernel));
    return success();
  }
};

} // namespace

void mm01::populateLightningKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<LightningKernel>(patterns.getContext());
}
