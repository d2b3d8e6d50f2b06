//===- FormKernels.cpp - turns ops on whole tensors into kernel candidates ===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the conversions of this folder. Requires the graph phase; leaves,
// per op, one or more `scf.forall … {mm01.kernel = "name"}`:
//
//     %y = mm01.linear %x, %w into %out
//   ->
//     %y = scf.forall (%i, %j) in (%tiles, %panels) shared_outs(%o = %out) {…}
//
// Test: test/passes/tiling/form-kernels*.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/Passes.h"

#include "dialects/mm01/Mm01LibraryOps.h"
#include "passes/tiling/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mm01 {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "passes/tiling/Passes.h.inc"
} // namespace mm01

using namespace mlir;

namespace {

struct FormKernelsPass : mm01::impl::FormKernelsPassBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    mm01::populateDenseKernelPatterns(patterns);
    mm01::populateLinearKernelPatterns(patterns);
    mm01::populateRotaryKernelPatterns(patterns);
    mm01::populateLightningKernelPatterns(patterns);
    mm01::populateSoftmaxKernelPatterns(patterns);
    mm01::populateMoeKernelPatterns(patterns);
    mm01::populateSampleKernelPatterns(patterns);
    mm01::populateLinalgKernelPatterns(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();

    getOperation()->walk([&](Operation *op) {
      if (!isa<mm01::Mm01Dialect>(op->getDialect()) ||
          !isa<DestinationStyleOpInterface>(op) ||
          isa<mm01::LibraryLinearOp>(op))
        return;
      op->emitOpError("has no kernel for these types: expected float32 "
                      "activations and static head sizes and expert counts");
      signalPassFailure();
    });
  }
};

} // namespace
