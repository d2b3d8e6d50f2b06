//===- GlobalPatterns.cpp - elements of global memory ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/RaggedFields.h"
#include "codegen/tile/InlinePtx.h"
#include "codegen/tile/TileLowering.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

/// The address of element `index` of a memref.
Value elementAddress(ThreadBuilder &b, Value base, Type element, Value index) {
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(), index);
  return LLVM::GEPOp::create(b, base.getType(), element, base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// Calls `body` with the number of each register of a tile and its element's
/// address: offset + row * strides[0] + column * strides[1], or of a vector
/// offset + row * strides[0].
template <typename Body>
void forEachElement(ThreadBuilder &b, RankedTensorType type, Value memory,
                    Value offset, ValueRange strides, Body body) {
  auto index = [&](Value value) {
    return arith::IndexCastOp::create(b, b.getIndexType(), value).getResult();
  };
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, value).getResult();
  };
  Value lane = b.lane();
  Value row =
      index(b.add(b.mul(b.warpOf(type.getDimSize(0)), 16), b.div(lane, 4)));
  auto plus = [&](Value at, Value by, Value stride) {
    return b.createOrFold<arith::AddIOp>(
        at, b.createOrFold<arith::MulIOp>(by, stride));
  };
  Value origin = plus(offset, row, strides[0]);
  if (type.getRank() == 1) {
    for (int64_t i = 0; i < FragmentLayout::rowRegisters; ++i) {
      Value at =
          plus(origin, constant(FragmentLayout::rowPlace(i)), strides[0]);
      body(i, elementAddress(b, memory, type.getElementType(), at));
    }
    return;
  }
  Value column = index(b.mul(b.rem(lane, 4), 2));
  origin = plus(origin, column, strides[1]);
  int64_t count = FragmentLayout{type.getDimSize(1)}.registers();
  for (int64_t i = 0; i < count; ++i) {
    auto [rows, columns] = FragmentLayout::place(i);
    Value at = plus(plus(origin, constant(rows), strides[0]), constant(columns),
                    strides[1]);
    body(i, elementAddress(b, memory, type.getElementType(), at));
  }
}

/// `tile.load`: a guarded load of each register.
struct Load : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> registers;
    forEachElement(b, op.getType(), adaptor.getMemory().front(), op.getOffset(),
                   op.getStrides(), [&](int64_t i, Value address) {
                     InlinePtx load{
                         "{\n.reg .pred p;\nsetp.ne.b32 p, $2, 0;\n"
                         "mov.b32 $0, 0;\n@p ld.global.f32 $0, [$1];\n}",
                         {b.getF32Type()},
                         {},
                         {address, b.word(adaptor.getMask()[i])}};
                     // The zero is written before the address is read.
                     registers.push_back(load.emit(b, b.getLoc()).front());
                   });
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// `tile.store`: a guarded store of each register.
struct Store : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    forEachElement(b, op.getValue().getType(), adaptor.getMemory().front(),
                   op.getOffset(), op.getStrides(),
                   [&](int64_t i, Value address) {
                     InlinePtx store{"{\n.reg .pred p;\nsetp.ne.b32 p, $2, 0;\n"
                                     "@p st.global.f32 [$0], $1;\n}",
                                     {},
                                     {},
                                     {address, adaptor.getValue()[i],
                                      b.word(adaptor.getMask()[i])}};
                     store.emit(b, b.getLoc());
                   });
    rewriter.eraseOp(op);
    return success();
  }
};

/// `memref.load` of a scalar.
struct LoadScalar : OpConversionPattern<memref::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getMemRefType();
    if (type.getRank() > 1 ||
        (type.getRank() == 1 && !type.getLayout().isIdentity()))
      return rewriter.notifyMatchFailure(
          op, "a kernel loads from memrefs of one dimension without a layout, "
              "or of none");
    ThreadBuilder b(op.getLoc(), rewriter);
    Value address = adaptor.getMemref().front();
    if (type.getRank() == 1)
      address = elementAddress(b, address, type.getElementType(),
                               op.getIndices().front());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type.getElementType(),
                                              address);
    return success();
  }
};

/// `memref.reinterpret_cast` to one element: its address.
struct ElementAt : OpConversionPattern<memref::ReinterpretCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::ReinterpretCastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getType().getRank() != 0)
      return rewriter.notifyMatchFailure(
          op, "in a kernel a view is of one element");
    ThreadBuilder b(op.getLoc(), rewriter);
    OpFoldResult offset = op.getMixedOffsets().front();
    Value index = getValueOrCreateConstantIndexOp(b, b.getLoc(), offset);
    rewriter.replaceOp(op,
                       elementAddress(b, adaptor.getSource().front(),
                                      op.getType().getElementType(), index));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Ragged batches
//===----------------------------------------------------------------------===//

/// A field of a ragged batch, as an index.
Value raggedIndex(ThreadBuilder &b, Value value) {
  return arith::IndexCastOp::create(b, b.getIndexType(), value);
}

/// `mm01.ragged_size`: a field of the structure.
struct RaggedSize : OpConversionPattern<RaggedSizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RaggedSizeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    Value size = loadRaggedSize(b, b.getLoc(), adaptor.getRagged().front(),
                                op.getExtent());
    rewriter.replaceOp(op, raggedIndex(b, size));
    return success();
  }
};

/// `mm01.ragged_get`: an element of an array that the structure points to.
struct RaggedGet : OpConversionPattern<RaggedGetOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RaggedGetOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> indices;
    for (Value index : op.getIndices())
      indices.push_back(arith::IndexCastOp::create(b, b.getI64Type(), index));
    Value element = loadRaggedElement(
        b, b.getLoc(), adaptor.getRagged().front(), op.getField(), indices);
    rewriter.replaceOp(op, raggedIndex(b, element));
    return success();
  }
};

} // namespace

void mm01::populateGlobalPatterns(const TileTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<Load, Store, LoadScalar, ElementAt, RaggedSize, RaggedGet>(
      converter, patterns.getContext());
}
