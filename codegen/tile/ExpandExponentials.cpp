//===- ExpandExponentials.cpp - exponentials to the base that a GPU has ---===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// LLVM's NVPTX back end has base-2 exponentials and logarithms and no library
// to call for others: it ends the process over `sin`.
//
// Before: %y = math.exp %x : f32
// After:  %0 = arith.mulf %x, %log2e : f32
//         %y = math.exp2 %0 : f32
//
// Test: test/codegen/tile/expand-exponentials.mlir
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <numbers>

namespace mm01 {
#define GEN_PASS_DEF_EXPANDEXPONENTIALSPASS
#include "codegen/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;

namespace {

/// Builds on floats, or tensors or vectors of them.
struct FloatBuilder : ImplicitLocOpBuilder {
  FloatBuilder(Operation *op, PatternRewriter &rewriter)
      : ImplicitLocOpBuilder(op->getLoc(), rewriter),
        type(op->getResult(0).getType()) {}

  Value constant(double value) {
    TypedAttr attr = FloatAttr::get(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(*this, attr);
  }
  Value mul(Value a, Value b) { return arith::MulFOp::create(*this, a, b); }

  Type type;
};

/// exp(x) = exp2(x log2(e))
struct Exp : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    FloatBuilder b(op, rewriter);
    Value scaled = b.mul(op.getOperand(), b.constant(std::numbers::log2e));
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, scaled);
    return success();
  }
};

/// log(x) = log2(x) ln(2)
struct Log : OpRewritePattern<math::LogOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::LogOp op,
                                PatternRewriter &rewriter) const override {
    FloatBuilder b(op, rewriter);
    Value base2 = math::Log2Op::create(b, op.getOperand());
    rewriter.replaceOp(op, b.mul(base2, b.constant(std::numbers::ln2)));
    return success();
  }
};

/// expm1(x) = exp(x) - 1, and near 0 the first terms of its series,
/// x (1 + x/2 (1 + x/3 (1 + x/4 (1 + x/5)))), whose next is below x^6 / 720.
struct ExpM1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &rewriter) const override {
    FloatBuilder b(op, rewriter);
    Value x = op.getOperand(), one = b.constant(1);
    Value series = one;
    for (int term = 5; term >= 2; --term)
      series =
          math::FmaOp::create(b, b.mul(x, b.constant(1.0 / term)), series, one);
    Value exp = math::ExpOp::create(b, x);
    Value away = arith::SubFOp::create(b, exp, one);
    Value size = math::AbsFOp::create(b, x);
    Value near = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, size,
                                       b.constant(0.125));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, near, b.mul(x, series),
                                                 away);
    return success();
  }
};

struct ExpandExponentialsPass
    : mm01::impl::ExpandExponentialsPassBase<ExpandExponentialsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<Exp, Log, ExpM1>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
          isa<math::Exp2Op, math::Log2Op, math::FmaOp, math::AbsFOp,
              math::SqrtOp, math::RsqrtOp, math::CountLeadingZerosOp>(op))
        return;
      op->emitOpError("has no form that the device computes");
      signalPassFailure();
    });
  }
};

} // namespace
