//===- SampleWriter.cpp - the arithmetic of choosing tokens ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/SampleWriter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numbers>

using namespace mlir;
using namespace mm01;

/// Bits of weights behind those of the whole number 1, of exponents, and of the
/// polynomial's values.
static constexpr int64_t kWeightBits = 40, kFractionBits = 24,
                         kPolynomialBits = 31;
/// From here on, halved so often, nothing is left of a weight.
static constexpr double kLeastExponent = -63;
/// 2^-x = c0 - x (c1 - x (c2 - …)) for x in [0, 1), in units of 2^-31: through
/// the six Chebyshev points, to a relative error of 1e-7.
static constexpr int64_t kCoefficients[] = {2147483527, 1488513547, 515780381,
                                            118751808,  19776564,   2033403};

Value SampleWriter::i32(int64_t value) {
  return arith::ConstantOp::create(*this, getI32IntegerAttr(value));
}

Value SampleWriter::i64(int64_t value) {
  return arith::ConstantOp::create(*this, getI64IntegerAttr(value));
}

Value SampleWriter::toI64(Value x) {
  if (x.getType().isInteger(64))
    return x;
  return arith::ExtSIOp::create(*this, getI64Type(), x);
}

Value SampleWriter::toI32(Value x) {
  if (isa<IndexType>(x.getType()))
    return KernelBuilder::toI32(x);
  return arith::TruncIOp::create(*this, getI32Type(), x);
}

Value SampleWriter::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(*this, predicate, a, b);
}

Value SampleWriter::both(Value a, Value b) {
  return arith::AndIOp::create(*this, a, b);
}

Value SampleWriter::either(Value a, Value b) {
  return arith::OrIOp::create(*this, a, b);
}

Value SampleWriter::negate(Value a) {
  Value yes = arith::ConstantOp::create(*this, getBoolAttr(true));
  return arith::XOrIOp::create(*this, a, yes);
}

Value SampleWriter::choose(Value condition, Value a, Value b) {
  return arith::SelectOp::create(*this, condition, a, b);
}

Value SampleWriter::isDrawn(Value temperature, Value topK) {
  Value warm = arith::CmpFOp::create(*this, arith::CmpFPredicate::OGT,
                                     temperature, f32(0));
  return both(warm, compare(arith::CmpIPredicate::ne, topK, i64(1)));
}

Value SampleWriter::isBelowOne(Value topP) {
  return arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, topP, f32(1));
}

Value SampleWriter::key(Value logit) {
  Value bits = arith::BitcastOp::create(*this, getI32Type(), logit);
  Value magnitude = both(bits, i32(0x7FFFFFFF));
  Value negative = compare(arith::CmpIPredicate::slt, bits, i32(0));
  Value ordered = choose(negative, sub(i32(0), magnitude), bits);
  Value isNaN =
      compare(arith::CmpIPredicate::sgt, magnitude, i32(kInfinityKey));
  return choose(isNaN, i32(kInfinityKey), ordered);
}

Value SampleWriter::logitOf(Value key) {
  Value negative = compare(arith::CmpIPredicate::slt, key, i32(0));
  Value flipped =
      either(sub(i32(0), key), i32(std::numeric_limits<int32_t>::min()));
  return arith::BitcastOp::create(*this, getF32Type(),
                                  choose(negative, flipped, key));
}

Weighing SampleWriter::weighing(Value peakKey, Value temperature) {
  double perUnit = std::numbers::log2e * (1 << kFractionBits);
  return {peakKey, logitOf(peakKey), divf(f32(perUnit), temperature)};
}

Value SampleWriter::weight(Value logit, Value key, const Weighing &weighing) {
  // No operation on floats but these two rounds.
  Value y = arith::MulFOp::create(
      *this, arith::SubFOp::create(*this, logit, weighing.peak),
      weighing.scale);
  Value least = f32(kLeastExponent * (1 << kFractionBits));
  Value inside =
      arith::CmpFOp::create(*this, arith::CmpFPredicate::OGT, y, least);
  Value exponent =
      arith::FPToSIOp::create(*this, getI32Type(), choose(inside, y, least));
  exponent = sub(i32(0), exponent);
  Value whole = arith::ShRUIOp::create(*this, exponent, i32(kFractionBits));
  Value fraction =
      arith::ShLIOp::create(*this, exponent, i32(32 - kFractionBits));

  auto widen = [&](Value x) -> Value {
    return arith::ExtUIOp::create(*this, getI64Type(), x);
  };
  Value x = widen(fraction), value = i32(std::end(kCoefficients)[-1]);
  for (int64_t c : llvm::reverse(ArrayRef(kCoefficients).drop_back())) {
    Value product =
        arith::ShRUIOp::create(*this, mul(x, widen(value)), i64(32));
    value = sub(i32(c), toI32(product));
  }
  Value scaled = arith::ShLIOp::create(*this, widen(value),
                                       i64(kWeightBits - kPolynomialBits));
  Value shifted = arith::ShRUIOp::create(*this, scaled, widen(whole));
  return choose(equal(key, weighing.peakKey), i64(int64_t(1) << kWeightBits),
                shifted);
}

Value SampleWriter::weightOfKey(Value key, const Weighing &weighing) {
  return weight(logitOf(key), key, weighing);
}

std::pair<Value, Value> SampleWriter::stay(Value logit, Value low,
                                           const Weighing &weighing) {
  Value key = this->key(logit);
  Value above = compare(arith::CmpIPredicate::sgt, key, low);
  Value made = choose(above, weight(logit, key, weighing), i64(0));
  Value tie = arith::ExtUIOp::create(*this, getI64Type(), equal(key, low));
  return {made, tie};
}

Value SampleWriter::shareOf(Value share, Value all) {
  Type f64 = getF64Type();
  auto toFloat = [&](Value x) -> Value {
    return arith::SIToFPOp::create(*this, f64, x);
  };
  Value exact = arith::MulFOp::create(
      *this, arith::ExtFOp::create(*this, f64, share), toFloat(all));
  Value below = arith::FPToSIOp::create(*this, getI64Type(), exact);
  Value isLess = arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT,
                                       toFloat(below), exact);
  Value wanted = choose(isLess, add(below, i64(1)), below);
  return minimum(maximum(wanted, i64(1)), all);
}

Value SampleWriter::fractionOf(Value draw, Value all) {
  return arith::MulUIExtendedOp::create(*this, draw, all).getHigh();
}

Value SampleWriter::problem(Value logit) {
  auto number = [&](SampleProblem problem) {
    return i32(static_cast<int32_t>(problem));
  };
  auto is = [&](arith::CmpFPredicate predicate, double value) -> Value {
    return arith::CmpFOp::create(*this, predicate, logit, f32(value));
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value found =
      choose(is(arith::CmpFPredicate::OEQ, infinity),
             number(SampleProblem::Infinite), number(SampleProblem::None));
  found = choose(is(arith::CmpFPredicate::OEQ, -infinity),
                 number(SampleProblem::AllMinusInfinity), found);
  return choose(is(arith::CmpFPredicate::UNO, 0),
                number(SampleProblem::NotANumber), found);
}
