//===- ArithModels.cpp - reference of arith -------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats are computed in float64 whatever their type: a cast between floats
// changes nothing, unless the run rounds storage.
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Models.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <limits>

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

//===----------------------------------------------------------------------===//
// arith.constant, ub.poison
//===----------------------------------------------------------------------===//

static double toDouble(APFloat value) {
  bool inexact;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  return value.convertToDouble();
}

static int64_t toInteger(const APInt &value) {
  return value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue();
}

static Error constant(arith::ConstantOp op, Frame &frame) {
  Scalar scalar;
  if (auto number = dyn_cast<FloatAttr>(op.getValue())) {
    scalar.f = toDouble(number.getValue());
    return frame.set(op, scalar);
  }
  if (auto number = dyn_cast<IntegerAttr>(op.getValue())) {
    scalar.i = toInteger(number.getValue());
    return frame.set(op, scalar);
  }
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!elements || !type)
    return opError(op, "is of a kind that has no reference implementation, "
                       "expected a number or dense elements of a tensor");
  if (Error error = checkShape(op, type.getShape()))
    return error;
  Tensor tensor(type.getShape(), type.getElementType());
  Scalar *to = tensor.overwrite();
  if (isa<FloatType>(type.getElementType())) {
    for (const APFloat &element : elements.getValues<APFloat>())
      (to++)->f = toDouble(element);
  } else if (type.getElementType().isIntOrIndex()) {
    for (const APInt &element : elements.getValues<APInt>())
      (to++)->i = toInteger(element);
  } else {
    return opError(op, "has elements that are no numbers");
  }
  return frame.set(op, std::move(tensor));
}

static Error poison(ub::PoisonOp op, Frame &frame) {
  if (auto type = dyn_cast<RankedTensorType>(op.getType())) {
    if (Error error = checkShape(op, type.getShape()))
      return error;
    return frame.set(op, Tensor(type.getShape(), type.getElementType()));
  }
  if (!op.getType().isIntOrIndexOrFloat())
    return opError(op, "is neither a number nor a tensor of known rank");
  return frame.set(op, *Tensor({}, op.getType()).data());
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Type elementType(mlir::Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// The bits of an integer of this type as a number without sign.
static uint64_t unsignedBits(int64_t value, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  unsigned width = integer ? integer.getWidth() : 64;
  return width >= 64 ? value : value & ((uint64_t(1) << width) - 1);
}

/// Bits of an integer type; at most the 64 that are computed with.
static unsigned bitWidth(Type type) {
  return isa<IndexType>(type) ? 64
                              : std::min(64u, type.getIntOrFloatBitWidth());
}

/// i1 is stored as 0 or 1; as a signed number its 1 is -1.
static int64_t signedBits(int64_t value, Type type) {
  return type.isInteger(1) ? -value : value;
}

template <typename OpTy, auto Function>
LaneFunction signedInteger(OpTy op, const Options &) {
  Type type = elementType(op.getResult());
  return [type](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].i = wrapToType(
          Function(signedBits(in[0][i].i, type), signedBits(in[1][i].i, type)),
          type);
    return Error::success();
  };
}

template <typename OpTy, auto Function>
LaneFunction unsignedInteger(OpTy op, const Options &) {
  Type type = elementType(op.getResult());
  return [type](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].i = wrapToType(Function(unsignedBits(in[0][i].i, type),
                                     unsignedBits(in[1][i].i, type)),
                            type);
    return Error::success();
  };
}

/// A division: refuses a divisor of 0, and the quotient that does not fit.
template <typename OpTy, auto Function>
LaneFunction signedDivision(OpTy op, const Options &) {
  Type type = elementType(op.getResult());
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i) {
      int64_t a = signedBits(in[0][i].i, type),
              b = signedBits(in[1][i].i, type);
      if (b == 0)
        return opError(op, "divides by 0");
      if (b == -1 && a == std::numeric_limits<int64_t>::min())
        return opError(op, "overflows");
      out[i].i = wrapToType(Function(a, b), type);
    }
    return Error::success();
  };
}

template <typename OpTy, auto Function>
LaneFunction unsignedDivision(OpTy op, const Options &) {
  Type type = elementType(op.getResult());
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i) {
      uint64_t b = unsignedBits(in[1][i].i, type);
      if (b == 0)
        return opError(op, "divides by 0");
      out[i].i = wrapToType(Function(unsignedBits(in[0][i].i, type), b), type);
    }
    return Error::success();
  };
}

template <typename OpTy, auto Function>
LaneFunction shift(OpTy op, const Options &) {
  Type type = elementType(op.getResult());
  unsigned width = bitWidth(type);
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i) {
      uint64_t distance = unsignedBits(in[1][i].i, type);
      if (distance >= width)
        return opError(op, "shifts by " + Twine(distance) +
                               ", expected less than " + Twine(width));
      out[i].i = wrapToType(Function(in[0][i].i, distance, type), type);
    }
    return Error::success();
  };
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t ceilDivide(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

static int64_t shiftLeft(int64_t a, uint64_t distance, Type) {
  return static_cast<uint64_t>(a) << distance;
}

static int64_t shiftSigned(int64_t a, uint64_t distance, Type type) {
  return signedBits(a, type) >> distance;
}

static int64_t shiftUnsigned(int64_t a, uint64_t distance, Type type) {
  return unsignedBits(a, type) >> distance;
}

static void attachIntegers(MLIRContext &context) {
  // Sums and products wrap: they are taken without sign.
  attachLanes<arith::AddIOp,
              unsignedInteger<arith::AddIOp, [](uint64_t a, uint64_t b) {
                return a + b;
              }>>(context);
  attachLanes<arith::SubIOp,
              unsignedInteger<arith::SubIOp, [](uint64_t a, uint64_t b) {
                return a - b;
              }>>(context);
  attachLanes<arith::MulIOp,
              unsignedInteger<arith::MulIOp, [](uint64_t a, uint64_t b) {
                return a * b;
              }>>(context);
  attachLanes<arith::AndIOp,
              unsignedInteger<arith::AndIOp, [](uint64_t a, uint64_t b) {
                return a & b;
              }>>(context);
  attachLanes<arith::OrIOp,
              unsignedInteger<arith::OrIOp, [](uint64_t a, uint64_t b) {
                return a | b;
              }>>(context);
  attachLanes<arith::XOrIOp,
              unsignedInteger<arith::XOrIOp, [](uint64_t a, uint64_t b) {
                return a ^ b;
              }>>(context);
  attachLanes<arith::MaxSIOp,
              signedInteger<arith::MaxSIOp, [](int64_t a, int64_t b) {
                return std::max(a, b);
              }>>(context);
  attachLanes<arith::MinSIOp,
              signedInteger<arith::MinSIOp, [](int64_t a, int64_t b) {
                return std::min(a, b);
              }>>(context);
  attachLanes<arith::MaxUIOp,
              unsignedInteger<arith::MaxUIOp, [](uint64_t a, uint64_t b) {
                return std::max(a, b);
              }>>(context);
  attachLanes<arith::MinUIOp,
              unsignedInteger<arith::MinUIOp, [](uint64_t a, uint64_t b) {
                return std::min(a, b);
              }>>(context);
  attachLanes<arith::DivSIOp,
              signedDivision<arith::DivSIOp, [](int64_t a, int64_t b) {
                return a / b;
              }>>(context);
  attachLanes<arith::RemSIOp,
              signedDivision<arith::RemSIOp, [](int64_t a, int64_t b) {
                return a % b;
              }>>(context);
  attachLanes<arith::FloorDivSIOp,
              signedDivision<arith::FloorDivSIOp, floorDivide>>(context);
  attachLanes<arith::CeilDivSIOp,
              signedDivision<arith::CeilDivSIOp, ceilDivide>>(context);
  attachLanes<arith::DivUIOp,
              unsignedDivision<arith::DivUIOp, [](uint64_t a, uint64_t b) {
                return a / b;
              }>>(context);
  attachLanes<arith::RemUIOp,
              unsignedDivision<arith::RemUIOp, [](uint64_t a, uint64_t b) {
                return a % b;
              }>>(context);
  attachLanes<arith::CeilDivUIOp,
              unsignedDivision<arith::CeilDivUIOp, [](uint64_t a, uint64_t b) {
                return a / b + (a % b != 0);
              }>>(context);
  attachLanes<arith::ShLIOp, shift<arith::ShLIOp, shiftLeft>>(context);
  attachLanes<arith::ShRSIOp, shift<arith::ShRSIOp, shiftSigned>>(context);
  attachLanes<arith::ShRUIOp, shift<arith::ShRUIOp, shiftUnsigned>>(context);
}

/// Low and high half of the product of two numbers without sign.
static Error extendedProduct(arith::MulUIExtendedOp op, Frame &frame) {
  if (isa<ShapedType>(op.getLhs().getType()))
    return opError(op, "is interpreted on numbers, not on tensors");
  unsigned width = bitWidth(op.getLhs().getType());
  auto read = [&](mlir::Value value) {
    return APInt(64, frame.integer(value)).trunc(width).zext(2 * width);
  };
  APInt product = read(op.getLhs()) * read(op.getRhs());
  auto set = [&](mlir::Value result, const APInt &bits) {
    return frame.setInteger(result, bits.trunc(width).getSExtValue());
  };
  if (Error error = set(op.getLow(), product))
    return error;
  return set(op.getHigh(), product.lshr(width));
}

//===----------------------------------------------------------------------===//
// Comparisons, select
//===----------------------------------------------------------------------===//

static LaneFunction compareIntegers(arith::CmpIOp op, const Options &) {
  Type type = elementType(op.getLhs());
  arith::CmpIPredicate predicate = op.getPredicate();
  unsigned width = bitWidth(type);
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i) {
      APInt a(64, signedBits(in[0][i].i, type), true);
      APInt b(64, signedBits(in[1][i].i, type), true);
      out[i].i =
          arith::applyCmpPredicate(predicate, a.trunc(width), b.trunc(width));
    }
    return Error::success();
  };
}

static LaneFunction compareFloats(arith::CmpFOp op, const Options &) {
  arith::CmpFPredicate predicate = op.getPredicate();
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].i = arith::applyCmpPredicate(predicate, APFloat(in[0][i].f),
                                          APFloat(in[1][i].f));
    return Error::success();
  };
}

static LaneFunction select(arith::SelectOp, const Options &) {
  return [](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i)
      out[i] = in[0][i].i ? in[1][i] : in[2][i];
    return Error::success();
  };
}

/// A select between whole tensors, weights or ragged batches by one condition
/// needs no lanes, and its operands need not have one shape.
struct SelectModel
    : ReferenceOpInterface::ExternalModel<SelectModel, arith::SelectOp> {
  Error evaluate(Operation *op, Frame &frame) const {
    auto selectOp = cast<arith::SelectOp>(op);
    if (isa<ShapedType>(selectOp.getCondition().getType()))
      return evaluateElementwise(op, frame);
    bool condition = frame.integer(selectOp.getCondition());
    return frame.set(selectOp.getResult(),
                     frame.value(condition ? selectOp.getTrueValue()
                                           : selectOp.getFalseValue()));
  }
  LaneFunction getLaneFunction(Operation *op, const Options &options) const {
    return select(cast<arith::SelectOp>(op), options);
  }
};

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

template <typename OpTy> LaneFunction signedCast(OpTy op, const Options &) {
  Type from = elementType(op.getIn()), to = elementType(op.getOut());
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].i = wrapToType(signedBits(in[0][i].i, from), to);
    return Error::success();
  };
}

template <typename OpTy> LaneFunction unsignedCast(OpTy op, const Options &) {
  Type from = elementType(op.getIn()), to = elementType(op.getOut());
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].i = wrapToType(unsignedBits(in[0][i].i, from), to);
    return Error::success();
  };
}

static LaneFunction signedToFloat(arith::SIToFPOp op, const Options &) {
  Type from = elementType(op.getIn());
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].f = signedBits(in[0][i].i, from);
    return Error::success();
  };
}

static LaneFunction unsignedToFloat(arith::UIToFPOp op, const Options &) {
  Type from = elementType(op.getIn());
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].f = unsignedBits(in[0][i].i, from);
    return Error::success();
  };
}

/// Toward zero; refuses what no 64-bit integer can hold.
template <typename OpTy> LaneFunction floatToInteger(OpTy op, const Options &) {
  Type to = elementType(op.getOut());
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i) {
      double value = in[0][i].f;
      if (!(std::fabs(value) < 9.2e18))
        return opError(op, "casts " + std::to_string(value) +
                               ", expected a number that fits an integer");
      out[i].i = wrapToType(static_cast<int64_t>(value), to);
    }
    return Error::success();
  };
}

template <typename OpTy>
LaneFunction floatToFloat(OpTy op, const Options &options) {
  Type to = elementType(op.getOut());
  bool round = options.roundStorage;
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].f = round ? roundToType(in[0][i].f, to) : in[0][i].f;
    return Error::success();
  };
}

/// The bits of a number that its type holds, which are rounded to it where
/// the interpreter has more of them.
static APInt bitsOf(Scalar value, Type type) {
  auto floats = dyn_cast<FloatType>(type);
  if (!floats)
    return APInt(64, signedBits(value.i, type), true).trunc(bitWidth(type));
  APFloat number(value.f);
  bool losesInfo = false;
  number.convert(floats.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.bitcastToAPInt();
}

static LaneFunction bitcast(arith::BitcastOp op, const Options &) {
  Type from = elementType(op.getIn()), to = elementType(op.getOut());
  return [=](ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) -> Error {
    for (int64_t i = 0; i < lanes; ++i) {
      APInt bits = bitsOf(in[0][i], from);
      if (auto floats = dyn_cast<FloatType>(to))
        out[i].f = toDouble(APFloat(floats.getFloatSemantics(), bits));
      else
        out[i].i = wrapToType(bits.getSExtValue(), to);
    }
    return Error::success();
  };
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b)
             ? std::numeric_limits<double>::quiet_NaN()
             : std::fmax(a, b);
}

static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b)
             ? std::numeric_limits<double>::quiet_NaN()
             : std::fmin(a, b);
}

template <typename OpTy, auto Function>
void attachBinary(MLIRContext &context) {
  attachLanes<OpTy, binaryFloat<OpTy, Function>>(context);
}

static void attachFloats(MLIRContext &context) {
  attachBinary<arith::AddFOp, [](double a, double b) { return a + b; }>(
      context);
  attachBinary<arith::SubFOp, [](double a, double b) { return a - b; }>(
      context);
  attachBinary<arith::MulFOp, [](double a, double b) { return a * b; }>(
      context);
  attachBinary<arith::DivFOp, [](double a, double b) { return a / b; }>(
      context);
  attachBinary<arith::RemFOp,
               [](double a, double b) { return std::fmod(a, b); }>(context);
  attachBinary<arith::MaximumFOp, maximum>(context);
  attachBinary<arith::MinimumFOp, minimum>(context);
  attachBinary<arith::MaxNumFOp,
               [](double a, double b) { return std::fmax(a, b); }>(context);
  attachBinary<arith::MinNumFOp,
               [](double a, double b) { return std::fmin(a, b); }>(context);
  attachLanes<arith::NegFOp,
              unaryFloat<arith::NegFOp, [](double a) { return -a; }>>(context);
}

void registerArithModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attach<arith::ConstantOp, constant>(*context);
    attachIntegers(*context);
    attachFloats(*context);
    attachLanes<arith::CmpIOp, compareIntegers>(*context);
    attachLanes<arith::CmpFOp, compareFloats>(*context);
    arith::SelectOp::attachInterface<SelectModel>(*context);
    attach<arith::MulUIExtendedOp, extendedProduct>(*context);
    attachLanes<arith::BitcastOp, bitcast>(*context);
    attachLanes<arith::ExtSIOp, signedCast<arith::ExtSIOp>>(*context);
    attachLanes<arith::TruncIOp, signedCast<arith::TruncIOp>>(*context);
    attachLanes<arith::IndexCastOp, signedCast<arith::IndexCastOp>>(*context);
    attachLanes<arith::ExtUIOp, unsignedCast<arith::ExtUIOp>>(*context);
    attachLanes<arith::IndexCastUIOp, unsignedCast<arith::IndexCastUIOp>>(
        *context);
    attachLanes<arith::SIToFPOp, signedToFloat>(*context);
    attachLanes<arith::UIToFPOp, unsignedToFloat>(*context);
    attachLanes<arith::FPToSIOp, floatToInteger<arith::FPToSIOp>>(*context);
    attachLanes<arith::FPToUIOp, floatToInteger<arith::FPToUIOp>>(*context);
    attachLanes<arith::ExtFOp, floatToFloat<arith::ExtFOp>>(*context);
    attachLanes<arith::TruncFOp, floatToFloat<arith::TruncFOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, ub::UBDialect *) {
    attach<ub::PoisonOp, poison>(*context);
  });
}

} // namespace mm01::reference
