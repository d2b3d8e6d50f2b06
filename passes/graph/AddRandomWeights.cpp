//===- AddRandomWeights.cpp - adds what makes random weights ----*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights of `random:SEED` (docs/contract.md) are made where they are used:
// tens of gigabytes would take minutes on a host and its link to a GPU. For
// each type in which parameters are stored, the module gets one function, which
// the runtime calls for each part of each parameter.
//
//     mm01.parameter @w : !mm01.weight<96x64xbf16> from […]
//   ->
//     mm01.parameter @w : !mm01.weight<96x64xbf16> from […]
//     func.func @random_weights_bf16(%to: tensor<?xbf16>, %seed: i64,
//         %name: i64, %first: i64, %scale: f32, %offset: f32)
//         -> tensor<?xbf16> attributes {mm01.helper}
//
// Of an int8 parameter the elements are made in the type in which they are
// stored, and then quantised as the runtime does on a processor
// (runtime/core/Quantize.h):
//
//     mm01.parameter @w : !mm01.weight<96x64xi8> from […] stored bf16
//   ->
//     func.func @quantize_rows_bf16(%from: tensor<?x?xbf16>, %to:
//         tensor<?x?xi8>, %scales: tensor<?xf32>)
//         -> (tensor<?x?xi8>, tensor<?xf32>) attributes {mm01.helper}
//
// Element i of `to` is that of number first + i of the tensor whose name has
// this hash: offset + scale · u, u from word (first + i) mod 4 of Philox4x32-10
// (Salmon et al., SC 2011, section 3.3; runtime/core/Philox.cpp).
//
// Test: test/passes/graph/add-random-weights.mlir, and
// test/codegen/random-weights/RandomWeightsTest.cpp for the bits.
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Helpers.h"
#include "passes/graph/Passes.h"

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace mm01 {
#define GEN_PASS_DEF_ADDRANDOMWEIGHTSPASS
#include "passes/graph/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// Writes the arithmetic of one element. Words are i32; products are of 64
/// bits, which every target has an instruction for.
class ElementWriter {
public:
  explicit ElementWriter(ImplicitLocOpBuilder &b) : b(b) {}

  using Words = std::array<Value, 4>;

  /// The low and the high word of an i64.
  Value low(Value x) { return arith::TruncIOp::create(b, b.getI32Type(), x); }
  Value high(Value x) { return low(arith::ShRUIOp::create(b, x, number(32))); }

  /// Ten rounds; `key` is the seed's words.
  Words philox(Words counter, std::array<Value, 2> key) {
    for (int round = 0; round < 10; ++round) {
      Value product0 = product(0xD2511F53, counter[0]);
      Value product1 = product(0xCD9E8D57, counter[2]);
      counter = {exclusiveOr(high(product1), counter[1], key[0]), low(product1),
                 exclusiveOr(high(product0), counter[3], key[1]),
                 low(product0)};
      key[0] = arith::AddIOp::create(b, key[0], word(0x9E3779B9));
      key[1] = arith::AddIOp::create(b, key[1], word(0xBB67AE85));
    }
    return counter;
  }

  /// Words[lane], lane an i64 from 0 to 3.
  Value choose(const Words &words, Value lane) {
    auto isSet = [&](int64_t bit) -> Value {
      Value masked = arith::AndIOp::create(b, lane, number(bit));
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                                   number(0));
    };
    Value odd = isSet(1);
    Value first = arith::SelectOp::create(b, odd, words[1], words[0]);
    Value second = arith::SelectOp::create(b, odd, words[3], words[2]);
    return arith::SelectOp::create(b, isSet(2), second, first);
  }

  /// (word / 2^8 - 2^23) / 2^23, exactly.
  Value toFloat(Value random) {
    Value bits = arith::ShRUIOp::create(b, random, word(8));
    Value whole = arith::SubIOp::create(b, bits, word(1 << 23));
    Value value = arith::SIToFPOp::create(b, b.getF32Type(), whole);
    Value unit =
        arith::ConstantOp::create(b, b.getF32FloatAttr(0x1p-23f)).getResult();
    return arith::MulFOp::create(b, value, unit);
  }

  Value number(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }

private:
  Value word(uint32_t value) {
    return arith::ConstantOp::create(
        b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value product(uint32_t factor, Value x) {
    Value wide = arith::ExtUIOp::create(b, b.getI64Type(), x);
    return arith::MulIOp::create(b, wide, number(factor));
  }
  Value exclusiveOr(Value x, Value y, Value z) {
    return arith::XOrIOp::create(b, arith::XOrIOp::create(b, x, y), z);
  }

  ImplicitLocOpBuilder &b;
};

struct AddRandomWeightsPass
    : mm01::impl::AddRandomWeightsPassBase<AddRandomWeightsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::SetVector<Type> types, quantized;
    for (auto parameter : module.getOps<ParameterOp>()) {
      Type type = parameter.getType().getElementType();
      if (std::optional<Type> stored = parameter.getStored()) {
        type = *stored;
        quantized.insert(type);
      }
      types.insert(type);
    }
    for (Type type : types)
      if (failed(addFunction(type)))
        return signalPassFailure();
    for (Type type : quantized)
      if (failed(addQuantizer(type)))
        return signalPassFailure();
  }

private:
  static RankedTensorType tensorOf(int64_t rank, Type type) {
    return RankedTensorType::get(
        SmallVector<int64_t>(rank, ShapedType::kDynamic), type);
  }

  /// A helper with this prefix for a type, whose body is to be written at the
  /// builder's place; null where the module has it already.
  FailureOr<func::FuncOp> declare(ImplicitLocOpBuilder &b, StringRef prefix,
                                  Type type, TypeRange arguments,
                                  TypeRange results) {
    std::string name = prefix.str();
    llvm::raw_string_ostream(name) << type;
    if (Operation *other = SymbolTable::lookupSymbolIn(getOperation(), name)) {
      if (other->hasAttr(kHelperAttr))
        return func::FuncOp();
      return other->emitError("'")
             << name << "' is the name of a function that the runtime calls "
             << "to make random weights, expected another";
    }
    auto function =
        func::FuncOp::create(b, name, b.getFunctionType(arguments, results));
    function->setAttr(kHelperAttr, b.getUnitAttr());
    b.setInsertionPointToStart(function.addEntryBlock());
    return function;
  }

  ImplicitLocOpBuilder atEnd() {
    return ImplicitLocOpBuilder::atBlockEnd(getOperation().getLoc(),
                                            getOperation().getBody());
  }

  /// scales = max |row| / 127, and of each row the elements divided by it.
  LogicalResult addQuantizer(Type type) {
    ImplicitLocOpBuilder b = atEnd();
    Type f32 = b.getF32Type();
    RankedTensorType rows = tensorOf(2, b.getI8Type());
    RankedTensorType scales = tensorOf(1, f32);
    FailureOr<func::FuncOp> declared = declare(
        b, kQuantizeRowsPrefix, type,
        TypeRange{tensorOf(2, type), rows, scales}, TypeRange{rows, scales});
    if (failed(declared) || !*declared)
      return declared;
    func::FuncOp function = *declared;
    auto number = [](OpBuilder &at, Location loc, float value) -> Value {
      return arith::ConstantOp::create(at, loc, at.getF32FloatAttr(value));
    };
    auto widen = [&](OpBuilder &at, Location loc, Value value) -> Value {
      return type.isF32() ? value : arith::ExtFOp::create(at, loc, f32, value);
    };
    auto parallel = utils::IteratorType::parallel;
    AffineMap all = b.getMultiDimIdentityMap(2);
    AffineMap ofRow = AffineMap::get(2, 0, b.getAffineDimExpr(0));
    Value cleared = linalg::FillOp::create(b, number(b, b.getLoc(), 0),
                                           Value(function.getArgument(2)))
                        .getResult(0);
    Value greatest =
        linalg::GenericOp::create(
            b, scales, Value(function.getArgument(0)), cleared,
            ArrayRef{all, ofRow},
            ArrayRef{parallel, utils::IteratorType::reduction},
            [&](OpBuilder &at, Location loc, ValueRange values) {
              Value size =
                  math::AbsFOp::create(at, loc, widen(at, loc, values[0]));
              linalg::YieldOp::create(at, loc,
                                      ValueRange(arith::MaximumFOp::create(
                                          at, loc, values[1], size)));
            })
            .getResult(0);
    Value scale = linalg::GenericOp::create(
                      b, scales, ValueRange(), greatest,
                      b.getMultiDimIdentityMap(1), parallel,
                      [&](OpBuilder &at, Location loc, ValueRange values) {
                        linalg::YieldOp::create(
                            at, loc,
                            ValueRange(arith::DivFOp::create(
                                at, loc, values[0], number(at, loc, 127))));
                      })
                      .getResult(0);
    Value quantized =
        linalg::GenericOp::create(
            b, rows, ValueRange{function.getArgument(0), scale},
            function.getArgument(1), ArrayRef{all, ofRow, all},
            ArrayRef{parallel, parallel},
            [&](OpBuilder &at, Location loc, ValueRange values) {
              ImplicitLocOpBuilder inner(loc, at);
              writeQuantized(inner, widen(at, loc, values[0]), values[1]);
            })
            .getResult(0);
    func::ReturnOp::create(b, ValueRange{quantized, scale});
    return success();
  }

  /// Yields value / scale to the nearest whole number, ties to even, at most
  /// 127 in size, and 0 where the scale is.
  static void writeQuantized(ImplicitLocOpBuilder &b, Value value,
                             Value scale) {
    auto number = [&](float value) -> Value {
      return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
    };
    Value isZero =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, scale, number(0));
    Value divisor = arith::SelectOp::create(b, isZero, number(1), scale);
    Value quotient = arith::DivFOp::create(b, value, divisor);
    Value limited = arith::MinimumFOp::create(
        b, arith::MaximumFOp::create(b, quotient, number(-127)), number(127));
    Value whole = math::RoundEvenOp::create(b, limited);
    linalg::YieldOp::create(
        b, ValueRange(arith::FPToSIOp::create(b, b.getI8Type(), whole)));
  }

  LogicalResult addFunction(Type type) {
    ImplicitLocOpBuilder b = atEnd();
    RankedTensorType tensor = tensorOf(1, type);
    Type i64 = b.getI64Type(), f32 = b.getF32Type();
    FailureOr<func::FuncOp> declared =
        declare(b, kRandomWeightsPrefix, type,
                TypeRange{tensor, i64, i64, i64, f32, f32}, tensor);
    if (failed(declared) || !*declared)
      return declared;
    func::FuncOp function = *declared;
    AffineMap identity = b.getMultiDimIdentityMap(1);
    auto made = linalg::GenericOp::create(
        b, tensor, ValueRange(), function.getArgument(0), identity,
        utils::IteratorType::parallel,
        [&](OpBuilder &nested, Location loc, ValueRange) {
          ImplicitLocOpBuilder inner(loc, nested);
          writeElement(inner, type, function.getArguments().drop_front());
        });
    func::ReturnOp::create(b, made.getResults());
    return success();
  }

  /// `inputs`: seed, name, first, scale, offset.
  static void writeElement(ImplicitLocOpBuilder &b, Type type,
                           Block::BlockArgListType inputs) {
    ElementWriter writer(b);
    Value at = arith::IndexCastOp::create(b, b.getI64Type(),
                                          linalg::IndexOp::create(b, 0));
    Value element = arith::AddIOp::create(b, inputs[2], at);
    Value block = arith::ShRUIOp::create(b, element, writer.number(2));
    ElementWriter::Words words =
        writer.philox({writer.low(block), writer.high(block),
                       writer.low(inputs[1]), writer.high(inputs[1])},
                      {writer.low(inputs[0]), writer.high(inputs[0])});
    Value lane = arith::AndIOp::create(b, element, writer.number(3));
    Value random = writer.toFloat(writer.choose(words, lane));
    // A product and a sum of which one is exact: rounded once, fused or not.
    Value value = arith::AddFOp::create(
        b, inputs[4], arith::MulFOp::create(b, inputs[3], random));
    if (!type.isF32())
      value = arith::TruncFOp::create(b, type, value);
    linalg::YieldOp::create(b, value);
  }
};

} // namespace
