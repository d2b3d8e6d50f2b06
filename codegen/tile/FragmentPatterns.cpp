//===- FragmentPatterns.cpp - tiles in registers, element by element ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Arithmetic on a tensor becomes the same arithmetic on each register of it.
// Where bf16 takes part, registers hold two elements and arithmetic is on
// pairs. Bytes are only converted.
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/InlinePtx.h"
#include "codegen/tile/TileLowering.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

bool isFragment(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<AccumulatorAttr>(tensor.getEncoding());
}

bool isPaired(Type type) {
  return isFragment(type) && getElementTypeOrSelf(type).isBF16() &&
         cast<RankedTensorType>(type).getRank() == 2;
}

bool isOfBytes(Type type) {
  return isFragment(type) && getElementTypeOrSelf(type).isInteger(8);
}

/// A pair of two registers, or the pair that the registers already are.
Value pairAt(OpBuilder &builder, Location loc, ValueRange registers,
             bool paired, int64_t pair) {
  if (paired)
    return registers[pair];
  Value low = registers[2 * pair], high = registers[2 * pair + 1];
  auto type = VectorType::get({2}, low.getType());
  return vector::FromElementsOp::create(builder, loc, type,
                                        ValueRange{low, high});
}

/// `%c = arith.mulf %a, %b : tensor<64x64xf32, #tile.accumulator>`
///   -> `%c0 = arith.mulf %a0, %b0 : f32`, … once for each register
struct Elementwise : ConversionPattern {
  Elementwise(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
        !isFragment(op->getResult(0).getType()))
      return rewriter.notifyMatchFailure(op, "is not elementwise on a tile");
    if (isOfBytes(op->getResult(0).getType()) ||
        llvm::any_of(op->getOperandTypes(), isOfBytes))
      return rewriter.notifyMatchFailure(
          op, "tiles of i8 are converted to bf16 and no more");
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    bool pairs =
        isPaired(type) || llvm::any_of(op->getOperandTypes(), isPaired);
    int64_t count = registersOf(type);
    Type element = type.getElementType();
    if (pairs)
      element = VectorType::get({2}, element);

    SmallVector<Value> registers;
    for (int64_t i = 0; i < (pairs ? count / 2 : count); ++i) {
      OperationState state(op->getLoc(), op->getName());
      state.addAttributes(op->getAttrs());
      state.addTypes(element);
      for (auto [operand, parts] : llvm::zip_equal(op->getOperands(), operands))
        state.addOperands(!isFragment(operand.getType()) ? parts.front()
                          : !pairs ? parts[i]
                                   : pairAt(rewriter, op->getLoc(), parts,
                                            isPaired(operand.getType()), i));
      Value value = rewriter.create(state)->getResult(0);
      if (!pairs || isPaired(type)) {
        registers.push_back(value);
        continue;
      }
      for (int64_t half : {0, 1})
        registers.push_back(
            vector::ExtractOp::create(rewriter, op->getLoc(), value, half));
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// `%w = arith.sitofp %b : tensor<64x128xi8> to tensor<64x128xbf16>`: bf16 has
/// 7 bits behind the first, so that 128 + the low 7 bits of a byte, and 128 or
/// 256 by its highest, are bytes behind that of an exponent, and their
/// difference is the byte, exactly:
///
///     w    = bytes b0, 0x43, b1, 0x43
///     pair = (w & ~0x0080'0080) - (w & ~0x007f'007f)
struct WidenBytes : OpConversionPattern<arith::SIToFPOp> {
  WidenBytes(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(arith::SIToFPOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isOfBytes(op.getIn().getType()) || !isPaired(op.getType()))
      return rewriter.notifyMatchFailure(op, "is not from i8 to bf16");
    ThreadBuilder b(op.getLoc(), rewriter);
    auto pair = VectorType::get({2}, b.getBF16Type());
    auto masked = [&](Value word, int64_t mask) {
      Value bits = arith::AndIOp::create(b, word, b.i32(mask));
      return LLVM::BitcastOp::create(b, pair, bits);
    };
    Value exponents = b.i32(0x43434343), order = b.i32(0x7170);
    SmallVector<Value> registers;
    for (Value bytes : adaptor.getIn()) {
      Value word = NVVM::PermuteOp::create(b, b.getI32Type(), bytes, exponents,
                                           order, NVVM::PermuteMode::DEFAULT);
      Value number = masked(word, int32_t(0xff7fff7f));
      Value more = masked(word, int32_t(0xff80ff80));
      registers.push_back(arith::SubFOp::create(b, number, more));
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// A constant of one value in each register.
struct Constant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isFragment(op.getType()))
      return rewriter.notifyMatchFailure(op, "is not a tile");
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!splat)
      return rewriter.notifyMatchFailure(op, "has more than one value");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return rewriter.notifyMatchFailure(op, "has a type of no layout");
    TypedAttr value = splat.getSplatValue<TypedAttr>();
    if (auto pair = dyn_cast<VectorType>(types.front()))
      value = DenseElementsAttr::get(pair, value);
    Value constant = arith::ConstantOp::create(rewriter, op.getLoc(), value);
    SmallVector<Value> registers(types.size(), constant);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// `tensor.splat`: the scalar in each register.
struct Splat : OpConversionPattern<tensor::SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::SplatOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return rewriter.notifyMatchFailure(op, "has a type of no layout");
    Value value = op.getInput();
    if (isa<VectorType>(types.front()))
      value = vector::BroadcastOp::create(rewriter, op.getLoc(), types.front(),
                                          value);
    SmallVector<Value> registers(types.size(), value);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// `tile.iota`: the thread's origin plus a constant for each register;
/// registers of one row, or column, have one value.
struct Iota : OpConversionPattern<IotaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(IotaOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    bool columns = op.getDimension() == 1;
    Value lane = b.lane();
    Value origin = columns
                       ? b.mul(b.rem(lane, 4), 2)
                       : b.add(b.mul(b.warpOf(op.getType().getDimSize(0)), 16),
                               b.div(lane, 4));
    // Through an empty statement, so that what a branch computes from places
    // stays there and does not fill registers all along the loop around it.
    origin = InlinePtx{"", {}, {origin}, {}}.emit(b, b.getLoc()).front();
    DenseMap<int64_t, Value> values;
    SmallVector<Value> registers;
    for (int64_t i = 0; i < registersOf(op.getType()); ++i) {
      auto [row, column] =
          op.getType().getRank() == 1
              ? std::pair(FragmentLayout::rowPlace(i), int64_t(0))
              : FragmentLayout::place(i);
      Value &value = values[columns ? column : row];
      if (!value)
        value = b.add(origin, columns ? column : row);
      registers.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

} // namespace

void mm01::populateFragmentPatterns(const TileTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<Elementwise, WidenBytes, Constant, Splat, Iota>(
      converter, patterns.getContext());
}
