//===- FormDeviceKernels.cpp - ops that a GPU does in its own way ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops whose kernel for the CPU is one thread's work for too long, or wants a
// thread's own cache: products with weights become a kernel for few rows and a
// call of the device's library for many; routing takes a row a warp, dispatch
// is a few sums, and the rotary embedding one operation on all heads. Requires
// the graph phase.
//
//     %y = mm01.linear %x, %w into %out
//   ->
//     %few = scf.forall (%i, %j) in (%tiles, %panels) shared_outs(%o = %out)
//     {…} %y = mm01.library_linear %x, %w into %few above 4
//
// Test: test/passes/tiling/form-device-kernels.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/Passes.h"

#include "dialects/mm01/Mm01Dialect.h"
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
#define GEN_PASS_DEF_FORMDEVICEKERNELSPASS
#include "passes/tiling/Passes.h.inc"
} // namespace mm01

using namespace mlir;

namespace {

struct FormDeviceKernelsPass
    : mm01::impl::FormDeviceKernelsPassBase<FormDeviceKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    mm01::populateHeadPatterns(patterns);
    mm01::populateDeviceLinearPatterns(patterns);
    mm01::populateDeviceDispatchPatterns(patterns);
    mm01::populateDeviceRotaryPatterns(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
