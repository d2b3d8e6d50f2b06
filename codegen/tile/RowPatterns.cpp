//===- RowPatterns.cpp - rows of tiles, for one thread --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/TileLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

constexpr int64_t kAllLanes = -1;

/// What the four lanes of a quad have, put together in each of them.
template <typename Combine> Value acrossQuad(ThreadBuilder &b, Value value) {
  for (int64_t distance : {1, 2}) {
    Value other = NVVM::ShflOp::create(b, value.getType(), b.i32(kAllLanes),
                                       value, b.i32(distance), b.i32(31),
                                       NVVM::ShflKind::bfly, UnitAttr());
    value = Combine::create(b, value, other);
  }
  return value;
}

/// `tile.row_sum` and `tile.row_maximum`: four chains over a thread's elements,
/// one for each of its rows and for columns of either parity; [m, 8] is what
/// the four are, [m] joins them and then the lanes that share a row.
template <typename Op, typename Combine>
struct RowReduction : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(
      Op op, typename Op::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> parts(adaptor.getValue().take_front(4));
    for (auto [i, value] : llvm::enumerate(adaptor.getValue()))
      if (i >= parts.size())
        parts[i % 4] = Combine::create(b, parts[i % 4], value);
    if (op.getType().getRank() == 2) {
      rewriter.replaceOpWithMultiple(op, {parts});
      return success();
    }
    SmallVector<Value> rows;
    for (int64_t row = 0; row < FragmentLayout::rowRegisters; ++row)
      rows.push_back(acrossQuad<Combine>(
          b, Combine::create(b, parts[2 * row], parts[2 * row + 1])));
    rewriter.replaceOpWithMultiple(op, {rows});
    return success();
  }
};

/// `tile.broadcast`: each register has the value of its row.
struct Broadcast : OpConversionPattern<BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BroadcastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers;
    for (int64_t i = 0; i < registersOf(op.getType()); ++i)
      registers.push_back(adaptor.getRows()[FragmentLayout::rowOf(i)]);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// `tile.any`: a vote of the warp.
struct Any : OpConversionPattern<AnyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AnyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    Value set = adaptor.getValue().front();
    for (Value value : adaptor.getValue().drop_front())
      set = arith::OrIOp::create(b, set, value);
    rewriter.replaceOpWithNewOp<NVVM::VoteSyncOp>(
        op, b.getI1Type(), b.i32(kAllLanes), set, NVVM::VoteSyncKind::any);
    return success();
  }
};

} // namespace

void mm01::populateRowPatterns(const TileTypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns.add<RowReduction<RowSumOp, arith::AddFOp>,
               RowReduction<RowMaximumOp, arith::MaxNumFOp>, Broadcast, Any>(
      converter, patterns.getContext());
}
