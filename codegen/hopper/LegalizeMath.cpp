//===- LegalizeMath.cpp - expand math that a GPU lacks --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU has no library to call: sines, cosines and exponentials become
// arithmetic. They are used for angles and decays, whose precision is
// float64's.
//
// Before: %y = math.cos %x : f64
// After:  the nearest multiple of pi/2 taken away in three parts, and a series
//         of the rest in arith and math.fma
//
// float32 sine and cosine go through float64. Requires kernels in a gpu.module.
// Tested by test/codegen/hopper/legalize-math.mlir, and for accuracy, compiled
// for the CPU, by test/codegen/hopper/legalize-math-accuracy.test.
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <numbers>

namespace mm01 {
#define GEN_PASS_DEF_LEGALIZEMATHPASS
#include "codegen/hopper/Passes.h.inc"
} // namespace mm01

using namespace mlir;

namespace {

/// Arithmetic on float64 scalars.
struct Writer : ImplicitLocOpBuilder {
  Writer(PatternRewriter &rewriter, Location loc)
      : ImplicitLocOpBuilder(loc, rewriter.getContext(),
                             rewriter.getListener()) {
    restoreInsertionPoint(rewriter.saveInsertionPoint());
  }

  Value number(double value) {
    return arith::ConstantOp::create(*this, getF64FloatAttr(value));
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(*this, getI64IntegerAttr(value));
  }
  Value multiply(Value a, Value b) {
    return arith::MulFOp::create(*this, a, b);
  }
  /// a b + c, rounded once.
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(*this, a, b, c);
  }
  Value nearest(Value x) { return math::RoundEvenOp::create(*this, x); }
  Value toInteger(Value x) {
    return arith::FPToSIOp::create(*this, getI64Type(), x);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(*this, condition, a, b);
  }

  /// sum over k of x^k coefficients[k], by Horner's rule.
  Value series(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, number(coefficient));
    return sum;
  }
};

/// sin and cos of an angle, from sin and cos of what is left of it, |r| <=
/// pi/4, by their Taylor series: the terms left out are below 1e-17.
struct Turned {
  Value sine, cosine, quarters;
};

Turned turn(Writer &w, Value x) {
  // pi/2 in three parts: products of the first two with the number of quarter
  // turns are exact in an fma, so that angles of millions keep their digits.
  constexpr double high = 0x1.921fb54442d18p+0, middle = 0x1.1a62633145c07p-54,
                   low = -0x1.f1976b7ed8fbcp-110;
  Value quarters = w.nearest(w.multiply(x, w.number(2 / std::numbers::pi)));
  Value r = w.fma(quarters, w.number(-high), x);
  r = w.fma(quarters, w.number(-middle), r);
  r = w.fma(quarters, w.number(-low), r);
  Value square = w.multiply(r, r);
  SmallVector<double> sines, cosines;
  double factorial = 1;
  for (int k = 0; k <= 18; ++k) {
    factorial *= k > 0 ? k : 1;
    double term = (k / 2 % 2 ? -1 : 1) / factorial;
    (k % 2 ? sines : cosines).push_back(term);
  }
  return {w.multiply(r, w.series(square, sines)), w.series(square, cosines),
          w.toInteger(quarters)};
}

/// sin(x + shift · pi/2)
Value expandSine(Writer &w, Value x, int64_t shift) {
  Turned turned = turn(w, x);
  Value quarter = arith::AndIOp::create(
      w, arith::AddIOp::create(w, turned.quarters, w.integer(shift)),
      w.integer(3));
  auto hasBit = [&](int64_t bit) -> Value {
    return arith::CmpIOp::create(
        w, arith::CmpIPredicate::ne,
        arith::AndIOp::create(w, quarter, w.integer(bit)), w.integer(0));
  };
  Value value = w.select(hasBit(1), turned.cosine, turned.sine);
  return w.select(hasBit(2), arith::NegFOp::create(w, value), value);
}

/// x = n ln(2) + r with |r| <= ln(2) / 2, for x from `least` to `greatest`;
/// beyond these it is taken for them, and NaN for any.
struct Reduced {
  Value n, r;
};

Reduced reduce(Writer &w, Value x, double least, double greatest) {
  constexpr double high = 0x1.62e42fefa39efp-1, low = 0x1.abc9e3b39803fp-56;
  Value clamped = arith::MaxNumFOp::create(
      w, arith::MinNumFOp::create(w, x, w.number(greatest)), w.number(least));
  Value n = w.nearest(w.multiply(clamped, w.number(std::numbers::log2e)));
  Value r = w.fma(n, w.number(-high), clamped);
  return {w.toInteger(n), w.fma(n, w.number(-low), r)};
}

/// 1 / k! for k from `first` on, as far as terms of r^k count.
SmallVector<double> getTerms(int first) {
  SmallVector<double> terms;
  double factorial = 1;
  for (int k = 0; k <= 14; ++k) {
    factorial *= k > 0 ? k : 1;
    if (k >= first)
      terms.push_back(1 / factorial);
  }
  return terms;
}

/// 2^n, which is a float64.
Value makePower(Writer &w, Value n) {
  Value bits = arith::ShLIOp::create(
      w, arith::AddIOp::create(w, n, w.integer(1023)), w.integer(52));
  return arith::BitcastOp::create(w, w.getF64Type(), bits);
}

Value orNaN(Writer &w, Value x, Value value) {
  Value isNumber = arith::CmpFOp::create(w, arith::CmpFPredicate::ORD, x, x);
  return w.select(isNumber, value, x);
}

/// exp(x) = 2^n exp(r)
Value expandExp(Writer &w, Value x) {
  // Beyond these the result is 0 or infinite.
  auto [n, r] = reduce(w, x, -760, 720);
  // Two factors, since 2^n itself may be no float64.
  Value half = arith::ShRSIOp::create(w, n, w.integer(1));
  Value rest = arith::SubIOp::create(w, n, half);
  Value value = w.multiply(w.series(r, getTerms(0)), makePower(w, half));
  return orNaN(w, x, w.multiply(value, makePower(w, rest)));
}

/// exp(x) - 1 = 2^n (exp(r) - 1) + (2^n - 1), which loses no digits near 0.
Value expandExpM1(Writer &w, Value x) {
  auto [n, r] = reduce(w, x, -60, 1);
  Value power = makePower(w, n);
  Value minusOne = w.number(-1);
  Value near = w.fma(w.multiply(r, w.series(r, getTerms(1))), power,
                     arith::AddFOp::create(w, power, minusOne));
  Value far = arith::AddFOp::create(w, expandExp(w, x), minusOne);
  Value isFar =
      arith::CmpFOp::create(w, arith::CmpFPredicate::OGT, x, w.number(0.5));
  return orNaN(w, x, w.select(isFar, far, near));
}

/// math.sin, cos, exp or expm1 of scalars   ==>   arithmetic on float64
template <typename Op, auto expand> struct Expand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF64() && !type.isF32())
      return rewriter.notifyMatchFailure(op, "is none of f32 or f64");
    Writer w(rewriter, op.getLoc());
    Value x = op.getOperand();
    if (type.isF32())
      x = arith::ExtFOp::create(w, w.getF64Type(), x);
    Value y = expand(w, x);
    if (type.isF32())
      y = arith::TruncFOp::create(w, type, y);
    rewriter.replaceOp(op, y);
    return success();
  }
};

Value expandSin(Writer &w, Value x) { return expandSine(w, x, 0); }
Value expandCos(Writer &w, Value x) { return expandSine(w, x, 1); }

struct LegalizeMathPass : mm01::impl::LegalizeMathPassBase<LegalizeMathPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<Expand<math::SinOp, expandSin>, Expand<math::CosOp, expandCos>,
                 Expand<math::ExpOp, expandExp>,
                 Expand<math::ExpM1Op, expandExpM1>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
