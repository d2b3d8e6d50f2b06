//===- MoeKernels.cpp - kernels of routing, dispatch and combine ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/KernelBuilder.h"
#include "passes/tiling/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace mm01;

namespace {

int64_t staticExtent(Value tensor, int64_t i) {
  return cast<ShapedType>(tensor.getType()).getDimSize(i);
}

/// Chooses by the logits themselves: exp is monotonic, and two shares that are
/// equal only after rounding must not count as a tie.
struct RouteKernel : OpRewritePattern<RouteOp> {
  using OpRewritePattern::OpRewritePattern;

  /// The index of the first largest of `scores`, and its value.
  static std::pair<Value, Value> largest(KernelBuilder &b, Value scores) {
    Value lowest = b.f32(-std::numeric_limits<float>::infinity());
    Values best = b.loop(b.index(0), b.dim(scores, 0), {lowest, b.index(0)},
                         [&](Value e, ValueRange carried) {
                           Value score = b.extract(scores, e);
                           Value better = arith::CmpFOp::create(
                               b, arith::CmpFPredicate::OGT, score, carried[0]);
                           auto choose = [&](Value yes, Value no) -> Value {
                             return arith::SelectOp::create(b, better, yes, no);
                           };
                           return Values{choose(score, carried[0]),
                                         choose(e, carried[1])};
                         });
    return {best[1], best[0]};
  }

  LogicalResult matchAndRewrite(RouteOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    Value logits = op.getLogits();
    int64_t experts = staticExtent(logits, 1);
    Value chosen = b.index(staticExtent(op.getWeights(), 1));
    Type type = getElementTypeOrSelf(op.getWeights().getType());
    Value lowest = b.f32(-std::numeric_limits<float>::infinity());

    auto kernel = [&](Value t, Value local, ValueRange tiles) {
      Value scores =
          b.copy(b.row(logits, t), b.empty({experts}, b.getF32Type()));
      Value peak = largest(b, scores).second;
      // Round j: the largest that is left, which then leaves.
      Values picked = b.loop(
          b.index(0), chosen,
          {scores, b.row(tiles[0], local), b.row(tiles[1], local), b.f32(0)},
          [&](Value j, ValueRange carried) {
            auto [expert, score] = largest(b, carried[0]);
            Value share = b.exp(b.subf(score, peak));
            return Values{b.insert(lowest, carried[0], expert),
                          b.insert(b.narrow(share, type), carried[1], j),
                          b.insert(b.toI32(expert), carried[2], j),
                          b.addf(carried[3], share)};
          });
      Value weights = b.elementwise({}, picked[1], [&](ValueRange a) {
        return b.narrow(b.divf(b.widen(a[0]), picked[3]), type);
      });
      return Values{b.insertRow(weights, tiles[0], local),
                    b.insertRow(picked[2], tiles[1], local)};
    };
    rewriter.replaceOp(op,
                       b.rowKernel("route", rowsPerWorkgroup(experts * 8),
                                   {op.getWeights(), op.getExperts()}, kernel));
    return success();
  }
};

/// A counting sort by one workgroup, then the rows in parallel.
struct DispatchKernel : OpRewritePattern<DispatchOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Adds 1 to table[i] and returns the table and what was there before.
  static std::pair<Value, Value> increment(KernelBuilder &b, Value table,
                                           Value i) {
    Value old = b.extract(table, i);
    Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
    return {b.insert(b.add(old, one), table, i), old};
  }

  /// Runs `body` for each choice (t, j) in order.
  static Values forEachChoice(
      KernelBuilder &b, Value experts, ValueRange init,
      function_ref<Values(Value t, Value j, Value expert, ValueRange)> body) {
    return b.loop(
        b.index(0), b.dim(experts, 0), init, [&](Value t, ValueRange outer) {
          return b.loop(b.index(0), b.dim(experts, 1), outer,
                        [&](Value j, ValueRange inner) {
                          Value e = b.toIndex(b.extract(experts, {t, j}));
                          return body(t, j, e, inner);
                        });
        });
  }

  /// offsets and positions, by one workgroup.
  static ValueRange order(KernelBuilder &b, DispatchOp op) {
    Value experts = op.getExperts();
    int64_t count = staticExtent(op.getOffsets(), 0) - 1;
    return b.kernel(
        "dispatch_order", b.index(1), {op.getOffsets(), op.getPositions()},
        [&](ValueRange, ValueRange outs) {
          Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
          // offsets[e + 1] counts expert e, then becomes a running sum.
          Value counts = forEachChoice(
              b, experts, b.fill(none, outs[0]),
              [&](Value, Value, Value e, ValueRange carried) {
                return Values{
                    increment(b, carried[0], b.add(e, b.index(1))).first};
              })[0];
          Value offsets =
              b.loop(b.index(0), b.index(count), counts,
                     [&](Value e, ValueRange carried) {
                       Value next = b.add(e, b.index(1));
                       Value sum = b.add(b.extract(carried[0], e),
                                         b.extract(carried[0], next));
                       return Values{b.insert(sum, carried[0], next)};
                     })[0];
          Value cursor = b.elementwise(
              b.slice(offsets, {b.getIndexAttr(0)}, {b.getIndexAttr(count)}, 1),
              b.empty({count}, b.getI32Type()),
              [&](ValueRange a) { return a[0]; });
          OpFoldResult zero = b.getIndexAttr(0);
          Indices origin{zero, zero};
          Indices whole{b.extent(experts, 0), b.extent(experts, 1)};
          Value positions = forEachChoice(
              b, experts, {cursor, b.slice(outs[1], origin, whole, 2)},
              [&](Value t, Value j, Value e, ValueRange carried) {
                auto [next, position] = increment(b, carried[0], e);
                return Values{next, b.insert(position, carried[1], {t, j})};
              })[1];
          return SmallVector<Written>{
              {offsets, {zero}, {b.extent(op.getOffsets(), 0)}},
              {positions, origin, whole}};
        });
  }

  LogicalResult matchAndRewrite(DispatchOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    Value x = op.getX();
    ValueRange ordered = order(b, op);
    Value offsets = ordered[0], positions = ordered[1];
    auto kernel = [&](ValueRange ids, ValueRange outs) {
      Value to = b.toIndex(b.extract(positions, {ids[0], ids[1]}));
      Indices at{to, b.getIndexAttr(0)};
      Indices sizes{b.getIndexAttr(1), b.extent(x, 1)};
      Value row = b.copy(b.row(x, ids[0]), b.slice(outs[0], at, sizes, 1));
      return SmallVector<Written>{{row, at, sizes}};
    };
    Value rows =
        b.kernel("dispatch_rows", {b.dim(positions, 0), b.dim(positions, 1)},
                 op.getRows(), kernel)[0];
    rewriter.replaceOp(op, {rows, offsets, positions});
    return success();
  }
};

/// A tile of tokens a workgroup; choices are added in their order. What is
/// stored narrower than float32 is rounded once, when all are added.
struct CombineKernel : OpRewritePattern<CombineOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Row positions[t, j] of rows and its share.
  static std::pair<Value, Value> choice(KernelBuilder &b, CombineOp op, Value t,
                                        Value j) {
    Value from = b.toIndex(b.extract(op.getPositions(), {t, j}));
    return {b.row(op.getRows(), from),
            b.widen(b.extract(op.getWeights(), {t, j}))};
  }

  /// Adds to float32 `out`, which is cleared, one choice after the other.
  static Value addUp(KernelBuilder &b, CombineOp op, Value t, Value out) {
    return b.loop(b.index(0), b.dim(op.getPositions(), 1),
                  b.fill(b.f32(0), out), [&](Value j, ValueRange carried) {
                    auto [row, share] = choice(b, op, t, j);
                    return Values{
                        b.elementwise({row}, carried[0], [&](ValueRange a) {
                          return b.addf(a[1], b.mulf(share, b.widen(a[0])));
                        })};
                  })[0];
  }

  /// All choices of an element together.
  static Value addTogether(KernelBuilder &b, CombineOp op, Value t, Value out) {
    Values rows, shares;
    for (int64_t j = 0; j < staticExtent(op.getPositions(), 1); ++j) {
      auto [row, share] = choice(b, op, t, b.index(j));
      rows.push_back(row);
      shares.push_back(share);
    }
    return b.elementwise(rows, out, [&](ValueRange a) {
      Value sum = b.f32(0);
      for (auto [value, share] : llvm::zip(a.drop_back(), shares))
        sum = b.addf(sum, b.mulf(share, b.widen(value)));
      return b.narrow(sum, a.back().getType());
    });
  }

  LogicalResult matchAndRewrite(CombineOp op,
                                PatternRewriter &rewriter) const override {
    bool isWide = getElementTypeOrSelf(op.getOut().getType()).isF32();
    if (!isWide && ShapedType::isDynamic(staticExtent(op.getPositions(), 1)))
      return rewriter.notifyMatchFailure(
          op, "adds an unknown number of choices in float32 only");
    KernelBuilder b(rewriter, op.getLoc());
    int64_t width = staticExtent(op.getOut(), 1);
    if (ShapedType::isDynamic(width))
      width = 1024;
    auto kernel = [&](Value t, Value local, ValueRange tiles) {
      Value out = b.row(tiles[0], local);
      Value row = isWide ? addUp(b, op, t, out) : addTogether(b, op, t, out);
      return Values{b.insertRow(row, tiles[0], local)};
    };
    rewriter.replaceOp(op, b.rowKernel("combine", rowsPerWorkgroup(width),
                                       op.getOut(), kernel));
    return success();
  }
};

} // namespace

void mm01::populateMoeKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<RouteKernel, DispatchKernel, CombineKernel>(
      patterns.getContext());
}
