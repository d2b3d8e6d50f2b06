//===- LightningKernels.cpp - kernel of lightning attention -*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/LightningAttributes.h"
#include "passes/tiling/LightningBlocks.h"
#include "passes/tiling/LightningDecode.h"
#include "passes/tiling/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mm01;

namespace {

/// The numbers of items that a plan gives a sequence, as the kernel computes
/// them: the arithmetic of itemsOf in LightningPlanner.h.
class PlanReader {
public:
  PlanReader(KernelBuilder &b, const LightningPlan &plan, Value tokens)
      : b(b), plan(plan) {
    int64_t last = plan.rest.empty() ? 0 : plan.rest.back().bound;
    Value beyond = b.maximum(b.sub(tokens, b.index(last)), b.index(0));
    Value step = b.index(plan.repeat);
    repeats = b.divide(b.add(beyond, b.index(plan.repeat - 1)), step);
    left = b.sub(tokens, b.mul(repeats, step));
  }

  /// The number of blocks of a level.
  Value count(int64_t level) {
    Value here = b.index(0);
    for (const LightningRest &entry : llvm::reverse(plan.rest))
      here = choose(entry.bound, llvm::count(entry.items, level), here);
    here = choose(0, 0, here);
    return level == plan.repeat ? b.add(here, repeats) : here;
  }

private:
  /// `number` where at most `bound` tokens are left.
  Value choose(int64_t bound, int64_t number, Value otherwise) {
    Value here = b.lessOrEqual(left, b.index(bound));
    return arith::SelectOp::create(b, here, b.index(number), otherwise);
  }

  KernelBuilder &b;
  const LightningPlan &plan;
  Value repeats, left;
};

/// One workgroup for a sequence and a head, which cuts the sequence by the
/// op's plan:
///
///     S = past[n] == 0 ? 0 : state[layer, slot[n], h]
///     for each level m of the plan, falling, and each of its items:
///       a block of up to m tokens in the block form (LightningBlocks.h)
///     for each token t that is left, the recurrence as it is defined:
///       S = S + (exp(-s) - 1) S + k[t]ᵀ v[t];  out[t] = q[t] S   (one sweep)
///     state[layer, slot[n], h] = S
///
/// exp(-s) - 1 is rounded instead of exp(-s): the decay of a slope near 0 then
/// has the slope's relative precision, and its error does not grow with every
/// token.
///
/// The state of a fresh sequence is never read, so that nothing which an
/// earlier owner of the slot left behind can reach it. A sequence without
/// tokens, which pads a batch, keeps its state even so; with mm01.skip_single
/// one of a single token is treated as such.
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

  /// The items of all levels in order. `carried` is the state and out;
  /// `first` becomes the first single token.
  static Values blocks(KernelBuilder &b, const LightningPlan &plan,
                       Value tokens, Value slope, const LightningRows &rows,
                       Values carried, Value &first) {
    PlanReader reader(b, plan, tokens);
    std::vector<int64_t> levels = plan.levels();
    Values counts;
    Value all = b.index(0);
    for (int64_t level : levels) {
      counts.push_back(reader.count(level));
      all = b.add(all, counts.back());
    }
    LightningDecays decays(b, slope, levels, all);
    for (auto [level, count] : llvm::zip_equal(levels, counts)) {
      Value begin = first;
      carried =
          b.loop(b.index(0), count, carried, [&](Value i, ValueRange now) {
            Value at = b.add(begin, b.mul(i, b.index(level)));
            Value left = b.maximum(b.sub(tokens, at), b.index(0));
            auto [state, out] = writeLightningBlock(
                b, level, decays, rows, at, b.minimum(b.index(level), left),
                now[0], now[1]);
            return Values{state, out};
          });
      first = b.add(first, b.mul(count, b.index(level)));
    }
    return carried;
  }

  LogicalResult matchAndRewrite(LightningAttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (op->hasAttr(kLightningReverseAttr))
      return rewriter.notifyMatchFailure(
          op, "in reverse there are tile programs of bf16 alone");
    if (!getElementTypeOrSelf(op.getState().getType()).isF32())
      return rewriter.notifyMatchFailure(op, "the CPU keeps states in float32");
    int64_t width = cast<ShapedType>(op.getQ().getType()).getDimSize(2);
    if (ShapedType::isDynamic(width))
      return rewriter.notifyMatchFailure(op, "the head size must be static");
    FailureOr<LightningPlan> read = readLightningPlan(op);
    if (failed(read))
      return rewriter.notifyMatchFailure(op, "the plan is not valid");
    const LightningPlan &plan = *read;
    KernelBuilder b(rewriter, op.getLoc());
    Value ragged = op.getRagged();
    Value sequences = b.raggedSize(ragged, RaggedExtent::sequences);
    // As many tokens as sequences are a batch of single ones, which are done.
    if (op->hasAttr(kSkipSingleAttr)) {
      Value tokens = b.raggedSize(ragged, RaggedExtent::tokens);
      sequences = arith::SelectOp::create(b, b.equal(tokens, sequences),
                                          b.index(0), sequences);
    }
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
      Value count = b.sub(end, begin);
      if (op->hasAttr(kSkipSingleAttr))
        count = arith::SelectOp::create(b, b.equal(count, b.index(1)),
                                        b.index(0), count);
      Value fresh = arith::AndIOp::create(b, b.lessOrEqual(past, b.index(0)),
                                          b.lessOrEqual(b.index(1), count));
      Value initial = b.select(
          fresh, kept.getType(), [&] { return b.fill(b.f32(0), kept); },
          [&] { return kept; });

      Indices tileAt{begin, h, zero}, tileSize{count, one, size};
      auto rows = [&](Value tensor) {
        return b.slice(tensor, tileAt, tileSize, 2);
      };
      LightningRows tokens{rows(op.getQ()), rows(op.getK()), rows(op.getV())};
      Values carried{initial, rows(outs[0])};
      Value first = b.index(0);
      if (!plan.levels().empty())
        carried = blocks(b, plan, count, slope, tokens, carried, first);
      Values done = b.loop(first, count, carried, [&](Value t, ValueRange now) {
        Value total = b.fill(b.f32(0), b.empty({width}, b.getF32Type()));
        Values next = step(b, b.row(tokens.q, t), b.row(tokens.k, t),
                           b.row(tokens.v, t), growth, now[0], total);
        Value row = b.copy(next[1], b.row(now[1], t));
        return Values{next[0], b.insertRow(row, now[1], t)};
      });
      return SmallVector<Written>{{done[1], tileAt, tileSize},
                                  {done[0], stateAt, stateSize}};
    };
    ValueRange results = b.kernel("lightning_attention", {sequences, heads},
                                  {op.getOut(), op.getState()}, kernel);
    // For whoever reads the tiled phase.
    if (Attribute attr = op->getAttr(kLightningPlanAttr))
      results.front().getDefiningOp()->setAttr(kLightningPlanAttr, attr);
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void mm01::populateLightningKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<LightningKernel>(patterns.getContext());
}
