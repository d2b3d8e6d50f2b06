//===- SyncPatterns.cpp - barriers and fences -----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/InlinePtx.h"
#include "codegen/tile/TileLowering.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

constexpr int64_t kBarrierBytes = 8;

/// `tile.barrier`: thread 0 sets the barriers up.
struct Barrier : OpConversionPattern<BarrierOp> {
  Barrier(const TypeConverter &converter, MLIRContext *context,
          const SharedPlan &plan)
      : OpConversionPattern(converter, context), plan(plan) {}

  LogicalResult
  matchAndRewrite(BarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    Value base = b.add(b.sharedBase(), plan.offsets.lookup(op));
    Value first = b.word(b.isZero(b.thread()));
    for (int64_t i = 0; i < op.getType().getCount(); ++i)
      InlinePtx{
          "{\n.reg .pred p;\nsetp.ne.b32 p, $2, 0;\n"
          "@p mbarrier.init.shared::cta.b64 [$0], $1;\n}",
          {},
          {},
          {b.add(base, i * kBarrierBytes), b.i32(op.getArrivals()), first}}
          .emit(b, b.getLoc());
    rewriter.replaceOp(op, base);
    return success();
  }

  const SharedPlan &plan;
};

/// `tile.wait`: tries until the phase is complete; the unit sleeps in between.
struct Wait : OpConversionPattern<tile::WaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::WaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    InlinePtx{
        "{\n.reg .pred p;\nTRY:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\n"
        "@p bra DONE;\nbra TRY;\nDONE:\n}",
        {},
        {},
        {b.element(adaptor.getBarriers().front(), op.getSlot(), kBarrierBytes),
         b.narrow(op.getParity())}}
        .emit(b, b.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

/// `tile.arrive`: the first lanes of a warp, one for each block to arrive at. A
/// remote arrival has no memory order of its own, which would cost a fence:
/// what it hands over has been read, not written.
struct Arrive : OpConversionPattern<ArriveOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ArriveOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    int64_t blocks = op.getCluster()
                         ? op->getParentOfType<LLVM::LLVMFuncOp>()
                               ->getAttrOfType<IntegerAttr>("tile.cluster")
                               .getInt()
                         : 1;
    Value barrier =
        b.element(adaptor.getBarriers().front(), op.getSlot(), kBarrierBytes);
    const std::string local = "mbarrier.arrive.shared::cta.b64 _, [$0];\n";
    const std::string remote =
        "mapa.shared::cluster.u32 remote, $0, $1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [remote];\n";
    if (op.getSingle()) {
      for (int64_t block = 0; block < blocks; ++block)
        InlinePtx{blocks == 1 ? local : "{\n.reg .b32 remote;\n" + remote + "}",
                  {},
                  {},
                  {barrier, b.i32(block)}}
            .emit(b, b.getLoc());
      rewriter.eraseOp(op);
      return success();
    }
    InlinePtx{"bar.warp.sync 0xffffffff;\n{\n.reg .pred p;\n.reg .b32 remote;\n"
              "setp.ge.u32 p, $1, " +
                  std::to_string(blocks) + ";\n@p bra DONE;\n" +
                  (blocks == 1 ? local : remote) + "DONE:\n}",
              {},
              {},
              {barrier, b.lane()}}
        .emit(b, b.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct Expect : OpConversionPattern<ExpectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ExpectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    InlinePtx{
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
        {},
        {},
        {b.element(adaptor.getBarriers().front(), op.getSlot(), kBarrierBytes),
         b.i32(op.getBytes())}}
        .emit(b, b.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ProxyFence : OpConversionPattern<ProxyFenceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ProxyFenceOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    InlinePtx{"fence.proxy.async.shared::cta;", {}, {}, {}}.emit(rewriter,
                                                                 op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

/// `tile.cluster_sync`: what thread 0 set up is made visible first. Threads may
/// come here one by one, so the form is not `aligned`.
struct ClusterSync : OpConversionPattern<ClusterSyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ClusterSyncOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    InlinePtx{"fence.mbarrier_init.release.cluster;\n"
              "barrier.cluster.arrive;\nbarrier.cluster.wait;",
              {},
              {},
              {}}
        .emit(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Indices of blocks, clusters and threads, and the extents of the grid, along
/// x, y or z.
template <typename Op, typename X, typename Y, typename Z>
struct Index : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    Value value;
    if (op.getDimension() == gpu::Dimension::x)
      value = X::create(b, b.getI32Type());
    else if (op.getDimension() == gpu::Dimension::y)
      value = Y::create(b, b.getI32Type());
    else
      value = Z::create(b, b.getI32Type());
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, b.getIndexType(),
                                                      value);
    return success();
  }
};

} // namespace

void mm01::populateSyncPatterns(const TileTypeConverter &converter,
                                const SharedPlan &plan,
                                RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Barrier>(converter, context, plan);
  patterns.add<Wait, Arrive, Expect, ProxyFence, ClusterSync,
               Index<gpu::BlockIdOp, NVVM::BlockIdXOp, NVVM::BlockIdYOp,
                     NVVM::BlockIdZOp>,
               Index<gpu::GridDimOp, NVVM::GridDimXOp, NVVM::GridDimYOp,
                     NVVM::GridDimZOp>,
               Index<gpu::ThreadIdOp, NVVM::ThreadIdXOp, NVVM::ThreadIdYOp,
                     NVVM::ThreadIdZOp>,
               Index<gpu::ClusterIdOp, NVVM::ClusterIdXOp, NVVM::ClusterIdYOp,
                     NVVM::ClusterIdZOp>,
               Index<gpu::ClusterBlockIdOp, NVVM::BlockInClusterIdXOp,
                     NVVM::BlockInClusterIdYOp, NVVM::BlockInClusterIdZOp>>(
      converter, context);
}
