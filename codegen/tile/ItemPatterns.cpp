//===- ItemPatterns.cpp - numbers of items for the blocks of a cluster ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/InlinePtx.h"
#include "codegen/tile/TileLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

constexpr int64_t kWordBytes = 4, kBarrierBytes = 8;

struct Words : OpConversionPattern<WordsOp> {
  Words(const TypeConverter &converter, MLIRContext *context,
        const SharedPlan &plan)
      : OpConversionPattern(converter, context), plan(plan) {}

  LogicalResult
  matchAndRewrite(WordsOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, b.add(b.sharedBase(), plan.offsets.lookup(op)));
    return success();
  }

  const SharedPlan &plan;
};

struct Word : OpConversionPattern<WordOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WordOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    InlinePtx load{
        "ld.shared.u32 $0, [$1];",
        {b.getI32Type()},
        {},
        {b.element(adaptor.getWords().front(), op.getSlot(), kWordBytes)}};
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(
        op, b.getIndexType(), load.emit(b, b.getLoc()).front());
    return success();
  }
};

/// `tile.take`: block 0 adds atomically and sends the number to each block,
/// whose barrier counts its bytes.
struct Take : OpConversionPattern<TakeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TakeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    int64_t blocks = op->getParentOfType<LLVM::LLVMFuncOp>()
                         ->getAttrOfType<IntegerAttr>("tile.cluster")
                         .getInt();
    std::string text = "{\n.reg .pred p;\n.reg .b32 number, word, barrier;\n"
                       "setp.ne.u32 p, $4, 0;\n@p bra DONE;\n"
                       "atom.global.inc.u32 number, [$0], $1;\n";
    for (int64_t block = 0; block < blocks; ++block) {
      std::string rank = std::to_string(block);
      text += "mapa.shared::cluster.u32 word, $2, " + rank +
              ";\nmapa.shared::cluster.u32 barrier, $3, " + rank +
              ";\nst.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
              ".b32 [word], number, [barrier];\n";
    }
    InlinePtx{
        text + "DONE:\n}",
        {},
        {},
        {adaptor.getCounter().front(), b.narrow(op.getLast()),
         b.element(adaptor.getWords().front(), op.getSlot(), kWordBytes),
         b.element(adaptor.getBarriers().front(), op.getSlot(), kBarrierBytes),
         b.blockInCluster()}}
        .emit(b, b.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mm01::populateItemPatterns(const TileTypeConverter &converter,
                                const SharedPlan &plan,
                                RewritePatternSet &patterns) {
  patterns.add<Words>(converter, patterns.getContext(), plan);
  patterns.add<Word, Take>(converter, patterns.getContext());
}
