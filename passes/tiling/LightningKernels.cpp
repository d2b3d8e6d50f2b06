//===- LightningKernels.cpp - kernel of lightning attention -*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/LightningKernels.h"

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
class LightningWriter {
public:
  LightningWriter(KernelBuilder &b, LightningAttentionOp op,
                  const LightningPlan &plan, const LightningParts *parts)
      : b(b), op(op), plan(plan), parts(parts),
        width(cast<ShapedType>(op.getQ().getType()).getDimSize(2)) {}

  ValueRange write() {
    Value sequences = lightningSequences(b, op);
    Value heads = b.dim(op.getQ(), 1);
    Value out = parts ? parts->out : op.getOut();
    return b.kernel("lightning_attention", {sequences, heads},
                    {out, op.getState()}, [&](ValueRange ids, ValueRange outs) {
                      return workgroup(ids[0], ids[1], outs);
                    });
  }

private:
  SmallVector<Written> workgroup(Value n, Value h, ValueRange outs) {
    Value ragged = op.getRagged();
    Value slot = b.raggedGet(ragged, RaggedField::slot, n);
    Value past = b.raggedGet(ragged, RaggedField::past, n);
    auto [begin, count] = lightningTokens(b, op, n);
    auto [slope, growth] = lightningSlope(b, op, h);
    OpFoldResult one = b.getIndexAttr(1), zero = b.getIndexAttr(0);
    OpFoldResult size = b.extent(op.getQ(), 2);
    Indices stateAt{op.getLayer(), slot, h, zero, zero};
    Indices stateSize{one, one, one, size, size};
    Value kept = b.slice(outs[1], stateAt, stateSize, 2);
    Value fresh = arith::AndIOp::create(b, b.lessOrEqual(past, b.index(0)),
                                        b.lessOrEqual(b.index(1), count));
    Value initial = b.select(
        fresh, kept.getType(), [&] { return b.fill(b.f32(0), kept); },
        [&] { return kept; });

    Indices at{begin, h, zero}, sizes{count, one, size};
    if (parts) {
      at = {h, begin, zero};
      sizes = {one, count, size};
    }
    auto rows = [&](Value tensor) { return b.slice(tensor, at, sizes, 2); };
    LightningRows tokens{rows(parts ? parts->q : op.getQ()),
                         rows(parts ? parts->k : op.getK()),
                         rows(parts ? parts->v : op.getV())};
    Values carried{initial, rows(outs[0])};
    Value first = b.index(0);
    if (!plan.levels().empty())
      carried = blocks(count, h, slope, tokens, carried, first);
    Values done = b.loop(first, count, carried, [&](Value t, ValueRange now) {
      Value total = b.fill(b.f32(0), b.empty({width}, b.getF32Type()));
      Values next = step(b.row(tokens.q, t), b.row(tokens.k, t),
                         b.row(tokens.v, t), growth, now[0], total);
      Value row = b.copy(next[1], b.row(now[1], t));
      return Values{next[0], b.insertRow(row, now[1], t)};
    });
    return {{done[1], at, sizes}, {done[0], stateAt, stateSize}};
  }

  /// One sweep: row i of S is decayed, updated and read.
  Values step(Value q, Value k, Value v, Value growth, Value state, Value out) {
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

  /// The decays of head h for `all` blocks.
  LightningDecays decaysOf(Value h, Value slope, Value all) {
    std::vector<int64_t> levels = plan.levels();
    if (!parts)
      return LightningDecays(b, slope, levels, all);
    Values tables;
    for (Value table : parts->decays)
      tables.push_back(b.row(table, h));
    return LightningDecays(b, slope, levels, ValueRange(tables));
  }

  /// The items of all levels in order. `carried` is the state and out;
  /// `first` becomes the first single token.
  Values blocks(Value tokens, Value h, Value slope, const LightningRows &rows,
                Values carried, Value &first) {
    PlanReader reader(b, plan, tokens);
    std::vector<int64_t> levels = plan.levels();
    Values counts;
    Value all = b.index(0);
    for (int64_t level : levels) {
      counts.push_back(reader.count(level));
      all = b.add(all, counts.back());
    }
    LightningDecays decays = decaysOf(h, slope, all);
    for (auto [level, count] : llvm::zip_equal(levels, counts)) {
      Value begin = first;
      Value full = b.select(
          b.lessOrEqual(b.index(1), count), b.getF32Type(),
          [&] { return decays.growth(b.index(level)); },
          [&] { return b.f32(0); });
      carried =
          b.loop(b.index(0), count, carried, [&](Value i, ValueRange now) {
            Value at = b.add(begin, b.mul(i, b.index(level)));
            Value left = b.maximum(b.sub(tokens, at), b.index(0));
            auto [state, out] = writeLightningBlock(
                b, level, decays, rows, at, b.minimum(b.index(level), left),
                full, now[0], now[1]);
            return Values{state, out};
          });
      first = b.add(first, b.mul(count, b.index(level)));
    }
    return carried;
  }

  KernelBuilder &b;
  LightningAttentionOp op;
  const LightningPlan &plan;
  const LightningParts *parts;
  int64_t width;
};

struct LightningKernel : OpRewritePattern<LightningAttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LightningAttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (op->hasAttr(kLightningReverseAttr))
      return rewriter.notifyMatchFailure(
          op, "in reverse there are tile programs of bf16 alone");
    if (!getElementTypeOrSelf(op.getState().getType()).isF32())
      return rewriter.notifyMatchFailure(op, "the CPU keeps states in float32");
    if (cast<ShapedType>(op.getQ().getType()).isDynamicDim(2))
      return rewriter.notifyMatchFailure(op, "the head size must be static");
    FailureOr<LightningPlan> plan = readLightningPlan(op);
    if (failed(plan))
      return rewriter.notifyMatchFailure(op, "the plan is not valid");
    KernelBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, writeLightningKernel(b, op, *plan));
    return success();
  }
};

} // namespace

Value mm01::lightningSequences(KernelBuilder &b, LightningAttentionOp op) {
  Value sequences = b.raggedSize(op.getRagged(), RaggedExtent::sequences);
  if (!op->hasAttr(kSkipSingleAttr))
    return sequences;
  // As many tokens as sequences are a batch of single ones, which are done.
  Value tokens = b.raggedSize(op.getRagged(), RaggedExtent::tokens);
  return arith::SelectOp::create(b, b.equal(tokens, sequences), b.index(0),
                                 sequences);
}

std::pair<Value, Value>
mm01::lightningTokens(KernelBuilder &b, LightningAttentionOp op, Value n) {
  auto offset = [&](Value i) {
    return b.raggedGet(op.getRagged(), RaggedField::seq_offsets, i);
  };
  Value begin = offset(n);
  Value count = b.sub(offset(b.add(n, b.index(1))), begin);
  if (op->hasAttr(kSkipSingleAttr))
    count = arith::SelectOp::create(b, b.equal(count, b.index(1)), b.index(0),
                                    count);
  return {begin, count};
}

std::pair<Value, Value> mm01::lightningSlope(KernelBuilder &b,
                                             LightningAttentionOp op, Value h) {
  Value slope = b.narrow(b.extract(op.getSlopes(), h), b.getF64Type());
  Value negated = arith::NegFOp::create(b, slope);
  return {slope, b.narrow(math::ExpM1Op::create(b, negated), b.getF32Type())};
}

ValueRange mm01::writeLightningKernel(KernelBuilder &b, LightningAttentionOp op,
                                      const LightningPlan &plan,
                                      const LightningParts *parts) {
  ValueRange results = LightningWriter(b, op, plan, parts).write();
  // For whoever reads the tiled phase.
  if (Attribute attr = op->getAttr(kLightningPlanAttr))
    results.front().getDefiningOp()->setAttr(kLightningPlanAttr, attr);
  return results;
}

void mm01::populateLightningKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<LightningKernel>(patterns.getContext());
}
