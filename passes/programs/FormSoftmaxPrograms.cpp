//===- FormSoftmaxPrograms.cpp - softmax attention for a GPU --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out
//             {scale = 0.125} : tensor<?x64x128xbf16>, …
// After:  %o = tile.program "softmax" grid(%c4, %blocks, %c8) cluster 2
//             ins(%q, %keys, %values, %r, %layer : …) outs(%out : …) { … }
//
// Requires the graph phase.
// Test: test/passes/programs/form-softmax-programs.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/programs/Passes.h"
#include "passes/programs/SoftmaxProgram.h"

#include "dialects/exec/ExecDialect.h"
#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mm01 {
#define GEN_PASS_DEF_FORMSOFTMAXPROGRAMSPASS
#include "passes/programs/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// mm01.softmax_attention of bf16   ==>   tile.program "softmax"
struct SoftmaxPattern : OpRewritePattern<SoftmaxAttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxAttentionOp op,
                                PatternRewriter &rewriter) const override {
    StringRef reason;
    std::optional<SoftmaxShape> found = findSoftmaxShape(op, reason);
    if (!found)
      return rewriter.notifyMatchFailure(op, reason);
    const SoftmaxShape &shape = *found;
    TileBuilder b(op.getLoc(), rewriter);
    tile::ProgramOp program = b.program(
        "softmax", softmaxGrid(b, shape, op.getRagged()), shape.cluster(),
        {op.getQ(), op.getKeys(), op.getValues(), op.getRagged(),
         op.getLayer()},
        {op.getOut()}, [&](ValueRange ins, ValueRange outs) {
          writeSoftmaxProgram(
              b, shape, {ins[0], ins[1], ins[2], ins[3], ins[4], outs[0]});
        });
    if (shape.skipSingle)
      program->setAttr(
          exec::kSequencesAttr,
          exec::SequencesAttr::get(b.getContext(), exec::Sequences::several));
    rewriter.replaceOp(op, program);
    return success();
  }
};

struct FormSoftmaxProgramsPass
    : mm01::impl::FormSoftmaxProgramsPassBase<FormSoftmaxProgramsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SoftmaxPattern>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
