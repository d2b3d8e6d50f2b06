//===- ApproximateMath.cpp - expand float32 math into polynomials ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of the C library are calls, which loops of them cannot vectorise.
//
// Before: %y = math.exp %x : f32
// After:  a range reduction and a polynomial in arith and math.fma
//
// Upstream has the patterns but no pass outside its tests. Requires nothing.
// Tested by test/codegen/x86/approximate-math.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Level.h"
#include "codegen/x86/Passes.h"
#include "dialects/exec/ExecDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mm01 {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;

/// True for a level without fused multiply-add, where it would be a slow call.
static bool lacksFma(Operation *op) {
  auto isa = op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
      mm01::kIsaAttr);
  return isa && !mm01::levelHasFma(isa.getValue());
}

namespace {

/// %y = math.fma %a, %b, %c
///   ==>
/// %p = arith.mulf %a, %b; %y = arith.addf %p, %c
struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    Value product =
        arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

struct ApproximateMathPass
    : mm01::impl::ApproximateMathPassBase<ApproximateMathPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!mm01::exec::isKernel(getOperation()))
      return;
    // sin and cos are left out: they lose accuracy far from zero, where rotary
    // angles are.
    auto chosen = [](StringRef name) {
      return llvm::is_contained(
          {math::ExpOp::getOperationName(), math::ExpM1Op::getOperationName(),
           math::LogOp::getOperationName(), math::Log1pOp::getOperationName(),
           math::Log2Op::getOperationName(), math::TanhOp::getOperationName(),
           math::ErfOp::getOperationName()},
          name);
    };
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, chosen);
    if (lacksFma(getOperation()))
      patterns.add<ExpandFma>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
