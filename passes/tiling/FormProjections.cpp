//===- FormProjections.cpp - turns products with weights into kernels -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusion puts whole ops into the kernels of the products before them, so these
// kernels must be there while the ops are still whole. Requires the graph
// phase.
//
//     %y = mm01.linear %x, %w into %out
//     %z = linalg.generic outs(%y)
//   ->
//     %y = scf.forall (%i, %j) in (%tiles, %panels) shared_outs(%o = %out) {…}
//     %z = linalg.generic outs(%y)
//
// Test: test/passes/tiling/form-projections.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/Passes.h"

#include "dialects/mm01/Mm01Dialect.h"
#include "passes/tiling/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mm01 {
#define GEN_PASS_DEF_FORMPROJECTIONSPASS
#include "passes/tiling/Passes.h.inc"
} // namespace mm01

using namespace mlir;

namespace {

struct FormProjectionsPass
    : mm01::impl::FormProjectionsPassBase<FormProjectionsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    mm01::populateLinearKernelPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
