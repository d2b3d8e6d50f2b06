//===- SoftmaxKernels.cpp - kernels of softmax attention and its cache ----===//
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

/// One workgroup a token: its row of k and v goes to the row of its position.
struct CacheUpdateKernel : OpRewritePattern<CacheUpdateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CacheUpdateOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    Value ragged = op.getRagged();
    Value pageSize = b.dim(op.getKeys(), 2);
    OpFoldResult one = b.getIndexAttr(1), zero = b.getIndexAttr(0);
    Indices sizes{one, one, one, b.extent(op.getKeys(), 3),
                  b.extent(op.getKeys(), 4)};

    auto kernel = [&](ValueRange ids, ValueRange outs) {
      Value t = ids[0];
      Value n = b.raggedGet(ragged, RaggedField::token_sequence, t);
      Value position = b.raggedGet(ragged, RaggedField::token_position, t);
      Value page = b.raggedGet(ragged, RaggedField::page_table,
                               {n, b.divide(position, pageSize)});
      Indices at{op.getLayer(), page, b.remainder(position, pageSize), zero,
                 zero};
      SmallVector<Written> written;
      for (auto [source, out] :
           {std::pair(op.getK(), outs[0]), std::pair(op.getV(), outs[1])})
        written.push_back(
            {b.copy(b.row(source, t), b.slice(out, at, sizes, 2)), at, sizes});
      return written;
    };
    rewriter.replaceOp(op, b.kernel("cache_update", b.dim(op.getK(), 0),
                                    {op.getKeys(), op.getValues()}, kernel));
    return success();
  }
};

/// One workgroup for a token and a head, one page of keys after another with a
/// running maximum m, a running sum l and a running output (the online
/// softmax):
///
///     m' = max(m, max_j s_j);  c = exp(m - m');  p_j = exp(s_j - m')
///     l = c l + Σ p_j;  o = c o + Σ p_j v_j;  out = o / l
struct SoftmaxAttentionKernel : OpRewritePattern<SoftmaxAttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  struct Running {
    Value maximum, total, out;
  };

  /// scores[j] = scale · q · keys[j], and the largest of them and `maximum`.
  static std::pair<Value, Value> scores(KernelBuilder &b, Value q, Value keys,
                                        Value scale, Value maximum,
                                        Value buffer) {
    Value count = b.dim(keys, 0), size = b.dim(keys, 1);
    Values done = b.loop(
        b.index(0), count, {buffer, maximum}, [&](Value j, ValueRange carried) {
          Value dot = b.sum(size, [&](Value i) {
            return b.mulf(b.widen(b.extract(q, i)),
                          b.widen(b.extract(keys, {j, i})));
          });
          Value score = b.mulf(dot, scale);
          Value larger =
              arith::MaximumFOp::create(b, carried[1], score).getResult();
          return Values{b.insert(score, carried[0], j), larger};
        });
    return {done[0], done[1]};
  }

  static Running page(KernelBuilder &b, Value q, Value keys, Value values,
                      Value scale, int64_t pageSize, Running running) {
    Value count = b.dim(keys, 0);
    Value buffer =
        b.rows(b.empty({pageSize}, b.getF32Type()), b.index(0), count);
    auto [raw, maximum] = scores(b, q, keys, scale, running.maximum, buffer);
    Value correction = b.exp(b.subf(running.maximum, maximum));
    Value shares = b.elementwise(
        {}, raw, [&](ValueRange a) { return b.exp(b.subf(a[0], maximum)); });
    Value total = b.sum(count, [&](Value j) { return b.extract(shares, j); });
    Value corrected = b.elementwise({}, running.out, [&](ValueRange a) {
      return b.mulf(a[0], correction);
    });
    Value out = b.generic(
        {shares, values}, corrected, {{0}, {0, 1}, {1}},
        {utils::IteratorType::reduction, utils::IteratorType::parallel},
        [&](ValueRange a) {
          return b.addf(a[2], b.mulf(a[0], b.widen(a[1])));
        });
    return {maximum, b.addf(b.mulf(running.total, correction), total), out};
  }

  LogicalResult matchAndRewrite(SoftmaxAttentionOp op,
                                PatternRewriter &rewriter) const override {
    int64_t width = cast<ShapedType>(op.getQ().getType()).getDimSize(2);
    if (ShapedType::isDynamic(width))
      return rewriter.notifyMatchFailure(op, "the head size must be static");
    KernelBuilder b(rewriter, op.getLoc());
    Value ragged = op.getRagged(), keys = op.getKeys();
    int64_t pageSize = cast<ShapedType>(keys.getType()).getDimSize(2);
    Type type = getElementTypeOrSelf(op.getOut().getType());
    Value tokens = b.dim(op.getQ(), 0), heads = b.dim(op.getQ(), 1);
    Value group = b.divide(heads, b.dim(keys, 3));
    OpFoldResult one = b.getIndexAttr(1), zero = b.getIndexAttr(0);
    OpFoldResult size = b.getIndexAttr(width);

    auto kernel = [&](ValueRange ids, ValueRange outs) {
      Value t = ids[0], h = ids[1];
      Value n = b.raggedGet(ragged, RaggedField::token_sequence, t);
      Value visible = b.add(b.raggedGet(ragged, RaggedField::token_position, t),
                            b.index(1));
      Indices at{t, h, zero}, sizes{one, one, size};
      Value q = b.slice(op.getQ(), at, sizes, 1);
      Value scale = b.f32(op.getScale().convertToDouble());
      Value rows = b.index(pageSize);
      Value start = b.fill(b.f32(0), b.empty({width}, b.getF32Type()));
      Value lowest = b.f32(-std::numeric_limits<float>::infinity());
      Values done = b.loop(
          b.index(0), b.ceilDivide(visible, rows), {lowest, b.f32(0), start},
          [&](Value i, ValueRange carried) {
            Value id = b.raggedGet(ragged, RaggedField::page_table, {n, i});
            Value count = b.minimum(rows, b.sub(visible, b.mul(i, rows)));
            Indices pageAt{op.getLayer(), id, zero, b.divide(h, group), zero};
            Indices pageSizes{one, one, count, one, size};
            Running next =
                page(b, q, b.slice(keys, pageAt, pageSizes, 2),
                     b.slice(op.getValues(), pageAt, pageSizes, 2), scale,
                     pageSize, {carried[0], carried[1], carried[2]});
            return Values{next.maximum, next.total, next.out};
          });
      Value inverse = b.divf(b.f32(1), done[1]);
      Value row = b.elementwise(
          {done[2]}, b.slice(outs[0], at, sizes, 1),
          [&](ValueRange a) { return b.narrow(b.mulf(a[0], inverse), type); });
      return SmallVector<Written>{{row, at, sizes}};
    };
    rewriter.replaceOp(op, b.kernel("softmax_attention", {tokens, heads},
                                    op.getOut(), kernel));
    return success();
  }
};

} // namespace

void mm01::populateSoftmaxKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<CacheUpdateKernel, SoftmaxAttentionKernel>(
      patterns.getContext());
}
