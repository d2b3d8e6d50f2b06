//===- MathModels.cpp - reference of math ---------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Models.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

template <typename OpTy, double (*Function)(double)>
void attachUnary(MLIRContext &context) {
  attachLanes<OpTy, unaryFloat<OpTy, Function>>(context);
}

template <typename OpTy, double (*Function)(double, double)>
void attachBinary(MLIRContext &context) {
  attachLanes<OpTy, binaryFloat<OpTy, Function>>(context);
}

static double reciprocalRoot(double a) { return 1 / std::sqrt(a); }

static LaneFunction multiplyAdd(math::FmaOp, const Options &) {
  return [](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].f = std::fma(in[0][i].f, in[1][i].f, in[2][i].f);
    return Error::success();
  };
}

static LaneFunction clamp(math::ClampFOp, const Options &) {
  return [](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].f = std::fmin(std::fmax(in[0][i].f, in[1][i].f), in[2][i].f);
    return Error::success();
  };
}

static LaneFunction integerPower(math::FPowIOp, const Options &) {
  return [](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].f = std::pow(in[0][i].f, static_cast<double>(in[1][i].i));
    return Error::success();
  };
}

static LaneFunction absoluteInteger(math::AbsIOp op, const Options &) {
  Type type = getElementTypeOrSelf(op.getResult().getType());
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].i = in[0][i].i < 0
                     ? wrapToType(-static_cast<uint64_t>(in[0][i].i), type)
                     : in[0][i].i;
    return Error::success();
  };
}

void registerMathModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachUnary<math::AbsFOp, std::fabs>(*context);
    attachUnary<math::AtanOp, std::atan>(*context);
    attachUnary<math::CbrtOp, std::cbrt>(*context);
    attachUnary<math::CeilOp, std::ceil>(*context);
    attachUnary<math::CosOp, std::cos>(*context);
    attachUnary<math::CoshOp, std::cosh>(*context);
    attachUnary<math::ErfOp, std::erf>(*context);
    attachUnary<math::ErfcOp, std::erfc>(*context);
    attachUnary<math::ExpOp, std::exp>(*context);
    attachUnary<math::Exp2Op, std::exp2>(*context);
    attachUnary<math::ExpM1Op, std::expm1>(*context);
    attachUnary<math::FloorOp, std::floor>(*context);
    attachUnary<math::LogOp, std::log>(*context);
    attachUnary<math::Log10Op, std::log10>(*context);
    attachUnary<math::Log1pOp, std::log1p>(*context);
    attachUnary<math::Log2Op, std::log2>(*context);
    attachUnary<math::RoundOp, std::round>(*context);
    attachUnary<math::RoundEvenOp, std::nearbyint>(*context);
    attachUnary<math::RsqrtOp, reciprocalRoot>(*context);
    attachUnary<math::SinOp, std::sin>(*context);
    attachUnary<math::SinhOp, std::sinh>(*context);
    attachUnary<math::SqrtOp, std::sqrt>(*context);
    attachUnary<math::TanOp, std::tan>(*context);
    attachUnary<math::TanhOp, std::tanh>(*context);
    attachUnary<math::TruncOp, std::trunc>(*context);
    attachBinary<math::Atan2Op, std::atan2>(*context);
    attachBinary<math::CopySignOp, std::copysign>(*context);
    attachBinary<math::PowFOp, std::pow>(*context);
    attachLanes<math::AbsIOp, absoluteInteger>(*context);
    attachLanes<math::ClampFOp, clamp>(*context);
    attachLanes<math::FmaOp, multiplyAdd>(*context);
    attachLanes<math::FPowIOp, integerPower>(*context);
  });
}

} // namespace mm01::reference
