//===- RotaryKernels.cpp - kernel of the rotary embedding -*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/KernelBuilder.h"
#include "passes/tiling/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mm01;

namespace {

/// A tile of tokens a workgroup: a token's row is copied, then its first
/// features are rotated in place. Angle, sine and cosine are float64, once a
/// token and frequency for all heads.
struct RotaryKernel : OpRewritePattern<RotaryOp> {
  using OpRewritePattern::OpRewritePattern;

  /// theta^(-i / half) for i < half.
  static Value frequencies(KernelBuilder &b, RotaryOp op, int64_t half) {
    SmallVector<double> values;
    for (int64_t i = 0; i < half; ++i)
      values.push_back(
          std::pow(op.getTheta().convertToDouble(), -double(i) / half));
    auto type = RankedTensorType::get({half}, b.getF64Type());
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, llvm::ArrayRef(values)));
  }

  LogicalResult matchAndRewrite(RotaryOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    int64_t half = op.getRotaryDim() / 2;
    Value x = op.getX();
    Value heads = b.dim(x, 1);
    Type type = getElementTypeOrSelf(op.getOut().getType());
    Value table = half ? frequencies(b, op, half) : Value();

    // Rotates features i and i + half of every head of one token.
    auto rotate = [&](Value row, Value position, Value i) {
      Value angle = arith::MulFOp::create(b, position, b.extract(table, i));
      Value cosine = b.narrow(math::CosOp::create(b, angle), b.getF32Type());
      Value sine = b.narrow(math::SinOp::create(b, angle), b.getF32Type());
      Value j = b.add(i, b.index(half));
      return b.loop(b.index(0), heads, row, [&](Value h, ValueRange carried) {
        Value a = b.widen(b.extract(carried[0], {h, i}));
        Value c = b.widen(b.extract(carried[0], {h, j}));
        Value first = b.subf(b.mulf(a, cosine), b.mulf(c, sine));
        Value second = b.addf(b.mulf(c, cosine), b.mulf(a, sine));
        Value next = b.insert(b.narrow(first, type), carried[0], {h, i});
        return Values{b.insert(b.narrow(second, type), next, {h, j})};
      })[0];
    };

    auto kernel = [&](Value t, Value local, ValueRange tiles) {
      Value row = b.copy(b.row(x, t), b.row(tiles[0], local));
      if (half) {
        Value at = b.raggedGet(op.getRagged(), RaggedField::token_position, t);
        Value position = arith::SIToFPOp::create(
            b, b.getF64Type(),
            arith::IndexCastOp::create(b, b.getI64Type(), at));
        row = b.loop(b.index(0), b.index(half), row,
                     [&](Value i, ValueRange carried) {
                       return Values{rotate(carried[0], position, i)};
                     })[0];
      }
      return Values{b.insertRow(row, tiles[0], local)};
    };
    rewriter.replaceOp(
        op, b.rowKernel("rotary", rowsPerWorkgroup(1024), op.getOut(), kernel));
    return success();
  }
};

} // namespace

void mm01::populateRotaryKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<RotaryKernel>(patterns.getContext());
}
