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
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// %y = arith.truncf %x : f32 to f16
///   ==>
/// ties to even, in integers: a normal result is the upper bits after the
/// exponent is moved and half a unit added; a subnormal one is what an addition
/// of 0.5 leaves in the lowest bits; from 2^16 on it is infinite or a NaN.
struct ExpandNarrowingToHalf : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isF32() || !op.getType().isF16())
      return rewriter.notifyMatchFailure(op, "narrows no f32 scalar to f16");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type i32 = b.getI32Type(), f32 = b.getF32Type();
    auto constant = [&](uint32_t value) -> Value {
      return arith::ConstantOp::create(
          b, b.getIntegerAttr(i32, static_cast<int32_t>(value)));
    };
    auto isBelow = [&](Value x, uint32_t limit) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x,
                                   constant(limit));
    };
    Value bits = arith::BitcastOp::create(b, i32, op.getIn());
    Value magnitude = arith::AndIOp::create(b, bits, constant(0x7fffffff));
    Value sign = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, bits, constant(16)), constant(0x8000));

    Value odd = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, magnitude, constant(13)), constant(1));
    Value moved =
        arith::AddIOp::create(b, magnitude, constant(0xfffu - (112u << 23)));
    Value normal = arith::ShRUIOp::create(
        b, arith::AddIOp::create(b, moved, odd), constant(13));

    constexpr uint32_t half = 0x3f000000; // 0.5
    Value sum = arith::AddFOp::create(
        b, arith::BitcastOp::create(b, f32, magnitude),
        arith::ConstantOp::create(b, b.getF32FloatAttr(0.5f)));
    Value subnormal = arith::SubIOp::create(
        b, arith::BitcastOp::create(b, i32, sum), constant(half));

    Value special = arith::SelectOp::create(b, isBelow(magnitude, 0x7f800001),
                                            constant(0x7c00), constant(0x7e00));
    Value finite = arith::SelectOp::create(b, isBelow(magnitude, 113u << 23),
                                           subnormal, normal);
    Value chosen = arith::SelectOp::create(b, isBelow(magnitude, 143u << 23),
                                           finite, special);
    Value narrow = arith::TruncIOp::create(
        b, b.getI16Type(), arith::OrIOp::create(b, chosen, sign));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

/// Whether the division may trap on x86: by 0, or of the least number by -1.
bool mayTrap(Value divisor) {
  if (!divisor.getType().isIntOrIndex())
    return false;
  std::optional<int64_t> constant = getConstantIntValue(divisor);
  return !constant || *constant == 0 || *constant == -1;
}

/// %q = arith.divsi %a, %b
///   ==>
/// a division by 1 where %b is 0 or -1, and then 0 or -%a instead of its
/// quotient.
void guardSigned(arith::DivSIOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value divisor = op.getRhs();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(divisor.getType(), value));
  };
  Value zero = constant(0);
  auto is = [&](Value value) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, divisor, value);
  };
  Value isZero = is(zero), isMinusOne = is(constant(-1));
  Value unsafe = arith::OrIOp::create(b, isZero, isMinusOne);
  Value safe = arith::SelectOp::create(b, unsafe, constant(1), divisor);
  Value quotient = arith::DivSIOp::create(b, op.getLhs(), safe);
  Value negated = arith::SubIOp::create(b, zero, op.getLhs());
  Value other = arith::SelectOp::create(b, isMinusOne, negated, quotient);
  Value result = arith::SelectOp::create(b, isZero, zero, other);
  op.replaceAllUsesWith(result);
  op.erase();
}

/// %r = arith.remsi %a, %b
///   ==>
/// the remainder of a division by 1, which is 0, where %b is 0 or -1. Unsigned
/// divisions are guarded from 0 in the same way, and a quotient is 0 then.
template <typename Op> void guard(Op op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value divisor = op.getRhs();
  auto is = [&](int64_t value) -> Value {
    Value constant = arith::ConstantOp::create(
        b, b.getIntegerAttr(divisor.getType(), value));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, divisor,
                                 constant);
  };
  Value isZero = is(0), unsafe = isZero;
  if (isa<arith::RemSIOp>(op))
    unsafe = arith::OrIOp::create(b, isZero, is(-1));
  Value one =
      arith::ConstantOp::create(b, b.getIntegerAttr(divisor.getType(), 1));
  Value safe = arith::SelectOp::create(b, unsafe, one, divisor);
  Value result = Op::create(b, op.getLhs(), safe);
  if (isa<arith::DivUIOp>(op)) {
    Value zero =
        arith::ConstantOp::create(b, b.getIntegerAttr(divisor.getType(), 0));
    result = arith::SelectOp::create(b, isZero, zero, result);
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

struct ExpandArithPass : mm01::impl::ExpandArithPassBase<ExpandArithPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateExpandBFloat16Patterns(patterns);
    patterns.add<ExpandHalf, ExpandNarrowingToHalf>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    // No pattern: it would match what it makes.
    getOperation()->walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case([](arith::DivSIOp division) {
            if (mayTrap(division.getRhs()))
              guardSigned(division);
          })
          .Case<arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
              [](auto division) {
                if (mayTrap(division.getRhs()))
                  guard(division);
              });
    });
  }
};

} // namespace
