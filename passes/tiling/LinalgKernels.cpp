//===- LinalgKernels.cpp - kernels of upstream ops on whole tensors -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/KernelBuilder.h"
#include "passes/tiling/Patterns.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mm01;

namespace {

/// The extent of a tile in the first dimension.
int64_t firstTile(ArrayRef<int64_t> ranges) {
  if (ranges.size() == 1)
    return 16384;
  int64_t width = 1;
  for (int64_t extent : ranges.drop_front())
    width *= ShapedType::isDynamic(extent) ? 64 : extent;
  return rowsPerWorkgroup(width);
}

/// Tiles an op on tensors over its first dimension, when that is parallel, and
/// makes one workgroup of it otherwise:
///
///     %y = linalg.generic ins(%x) outs(%o)
///   ->
///     %y = scf.forall (%i) in (%tiles) shared_outs(%s = %o) {
///       linalg.generic on rows [i · tile, …) of %x and %s
///     } {mm01.kernel = "generic_addf"}
struct LinalgKernel : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    auto tiling = dyn_cast<TilingInterface>(op.getOperation());
    if (!tiling || !op.hasPureTensorSemantics() || inKernel(op))
      return rewriter.notifyMatchFailure(op, "not an op on whole tensors");
    for (OpOperand &init : op.getDpsInitsMutable())
      if (!op.getMatchingIndexingMap(&init).isProjectedPermutation())
        return rewriter.notifyMatchFailure(op, "an output is not tileable");

    KernelBuilder b(rewriter, op.getLoc());
    Indices offsets, sizes;
    for (const Range &range : tiling.getIterationDomain(b)) {
      offsets.push_back(range.offset);
      sizes.push_back(range.size);
    }
    Value tile, total, grid = b.index(1);
    if (!sizes.empty() && tiling.getLoopIteratorTypes().front() ==
                              utils::IteratorType::parallel) {
      tile = b.index(firstTile(op.getStaticLoopRanges()));
      total = getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[0]);
      grid = b.ceilDivide(total, tile);
    }

    auto kernel = [&](ValueRange ids, ValueRange outs) {
      if (tile) {
        offsets[0] = b.mul(ids[0], tile);
        sizes[0] = b.minimum(tile, b.sub(total, cast<Value>(offsets[0])));
      }
      // The tile writes into the kernel's outputs instead of the op's.
      auto whole = cast<TilingInterface>(b.clone(*op));
      for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
        whole->setOperand(init.getOperandNumber(), outs[i]);
      TilingResult tiles = *whole.getTiledImplementation(b, offsets, sizes);
      SmallVector<Written> written;
      for (auto [i, value] : llvm::enumerate(tiles.tiledValues)) {
        Written &w = written.emplace_back();
        w.value = value;
        (void)whole.getResultTilePosition(b, i, offsets, sizes, w.offsets,
                                          w.sizes);
      }
      rewriter.eraseOp(whole);
      return written;
    };
    ValueRange results =
        b.kernel(kernelName(op), grid, op.getDpsInits(), kernel);
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void mm01::populateLinalgKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<LinalgKernel>(patterns.getContext());
}
