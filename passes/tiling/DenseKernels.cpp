//===- DenseKernels.cpp - kernels of embedding, RMS norm and head ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/KernelBuilder.h"
#include "passes/tiling/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mm01;

namespace {

int64_t rowWidth(Value tensor) {
  int64_t width = cast<RankedTensorType>(tensor.getType()).getDimSize(1);
  return ShapedType::isDynamic(width) ? 1024 : width;
}

/// out[t, :] = table[tokens[t], :], a tile of rows a workgroup.
struct EmbeddingKernel : OpRewritePattern<EmbeddingOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EmbeddingOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    Value tokens = op.getTokens();
    auto kernel = [&](Value t, Value local, ValueRange tiles) {
      Value table = WeightPartOp::create(
          b, op.getTable().getType().getPartType(), op.getTable(), b.index(0));
      Value source = b.row(table, b.toIndex(b.extract(tokens, t)));
      Value written = b.copy(source, b.row(tiles[0], local));
      return Values{b.insertRow(written, tiles[0], local)};
    };
    rewriter.replaceOp(op, b.rowKernel("embedding",
                                       rowsPerWorkgroup(rowWidth(op.getOut())),
                                       op.getOut(), kernel));
    return success();
  }
};

/// Two passes over a row: the sum of squares, then the scaled row.
struct RmsNormKernel : OpRewritePattern<RmsNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RmsNormOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    Value x = op.getX();
    Type type = getElementTypeOrSelf(op.getOut().getType());
    auto kernel = [&](Value t, Value local, ValueRange tiles) {
      Value weight =
          WeightPartOp::create(b, op.getWeight().getType().getPartType(),
                               op.getWeight(), b.index(0));
      Value width = b.dim(x, 1);
      Value squares = b.sum(width, [&](Value i) {
        Value v = b.widen(b.extract(x, {t, i}));
        return b.mulf(v, v);
      });
      Value count = arith::SIToFPOp::create(
          b, b.getF32Type(),
          arith::IndexCastOp::create(b, b.getI64Type(), width));
      Value mean = b.divf(squares, count);
      Value root = math::SqrtOp::create(
          b, b.addf(mean, b.f32(op.getEps().convertToDouble())));
      Value scale = b.divf(b.f32(1), root);
      Value row = b.elementwise(
          {b.row(x, t), weight}, b.row(tiles[0], local), [&](ValueRange a) {
            Value normal = b.mulf(b.widen(a[0]), scale);
            return b.narrow(b.mulf(normal, b.widen(a[1])), type);
          });
      return Values{b.insertRow(row, tiles[0], local)};
    };
    rewriter.replaceOp(op, b.rowKernel("rms_norm",
                                       rowsPerWorkgroup(rowWidth(op.getOut())),
                                       op.getOut(), kernel));
    return success();
  }
};

/// The wanted rows are gathered, then multiplied as by mm01.linear:
///
///     %y = mm01.head %x, %rows, %w into %out
///   ->
///     %g = scf.forall … {mm01.kernel = "head_rows"}   g[r, :] = x[rows[r], :]
///     %y = mm01.linear %g, %w into %out
struct HeadKernel : OpRewritePattern<HeadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(HeadOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    Value x = op.getX(), rows = op.getRows();
    Value gathered =
        tensor::EmptyOp::create(b, Indices{b.extent(rows, 0), b.extent(x, 1)},
                                getElementTypeOrSelf(x.getType()));
    auto kernel = [&](Value r, Value local, ValueRange tiles) {
      Value source = b.row(x, b.toIndex(b.extract(rows, r)));
      Value written = b.copy(source, b.row(tiles[0], local));
      return Values{b.insertRow(written, tiles[0], local)};
    };
    Value chosen = b.rowKernel("head_rows", rowsPerWorkgroup(rowWidth(x)),
                               gathered, kernel)[0];
    rewriter.replaceOpWithNewOp<LinearOp>(op, op.getOut().getType(), chosen,
                                          op.getWeight(), op.getOut());
    return success();
  }
};

} // namespace

void mm01::populateDenseKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<EmbeddingKernel, RmsNormKernel>(patterns.getContext());
  populateHeadPatterns(patterns);
}

void mm01::populateHeadPatterns(RewritePatternSet &patterns) {
  patterns.add<HeadKernel>(patterns.getContext());
}
