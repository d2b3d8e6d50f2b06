//===- ExpandArith.cpp - expand what neither LLVM nor x86 has -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without it LLVM would call conversions of the compiler's own library, element
// by element.
//
// Before: %y = arith.extf %x : bf16 to f32
// After:  %bits = arith.bitcast %x : bf16 to i16
//         %y = %bits, shifted into the upper half of an i32, and bitcast to f32
//
// Requires nothing. Tested by test/codegen/x86/expand-arith.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mm01 {
#define GEN_PASS_DEF_EXPANDARITHPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;

namespace {

/// %y = arith.extf %x : f16 to f32
///   ==>
/// the bits of exponent and mantissa, moved to their places in an f32, are the
/// value divided by 2^112, subnormals included; one product restores it, and
/// what has the greatest exponent (infinities, NaNs) gets the greatest of f32.
struct ExpandHalf : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isF16() || !op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "widens no f16 scalar to f32");
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type(), f32 = rewriter.getF32Type();
    auto constant = [&](uint32_t value) -> Value {
      return arith::ConstantOp::create(
          rewriter, loc,
          rewriter.getIntegerAttr(i32, static_cast<int32_t>(value)));
    };
    Value half = arith::BitcastOp::create(rewriter, loc, rewriter.getI16Type(),
                                          op.getIn());
    Value bits = arith::ExtUIOp::create(rewriter, loc, i32, half);
    Value magnitude = arith::ShLIOp::create(
        rewriter, loc,
        arith::AndIOp::create(rewriter, loc, bits, constant(0x7fff)),
        constant(13));
    Value sign = arith::ShLIOp::create(
        rewriter, loc,
        arith::AndIOp::create(rewriter, loc, bits, constant(0x8000)),
        constant(16));
    Value scale = arith::ConstantOp::create(rewriter, loc,
                                            rewriter.getF32FloatAttr(0x1p112f));
    Value finite = arith::BitcastOp::create(
        rewriter, loc, i32,
        arith::MulFOp::create(
            rewriter, loc,
            arith::BitcastOp::create(rewriter, loc, f32, magnitude), scale));
    Value special =
        arith::OrIOp::create(rewriter, loc, magnitude, constant(0x7f800000));
    Value isFinite =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                              magnitude, constant(0x7c00u << 13));
    Value chosen =
        arith::SelectOp::create(rewriter, loc, isFinite, finite, special);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(
        op, f32, arith::OrIOp::create(rewriter, loc, chosen, sign));
    return success();
  }
};

struct ExpandArithPass : mm01::impl::ExpandArithPassBase<ExpandArithPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateExpandBFloat16Patterns(patterns);
    patterns.add<ExpandHalf>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
