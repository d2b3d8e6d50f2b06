//===- FormLightningPrograms.cpp - lightning attention for a GPU ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer
//             into %out, %state : tensor<?x64x128xbf16>, …
// After:  %n = mm01.ragged_size %r sequences     (several, with
// mm01.skip_single)
//         %o, %s = tile.program "lightning" grid(%n, %heads, %c1) cluster 2
//             ins(%q, %k, %v, %slopes, %r, %layer : …)
//             outs(%out, %state : …) { … }
//
// Requires the graph phase. Tested by
// test/passes/programs/form-lightning-programs.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/Switch.h"
#include "passes/programs/LightningProgram.h"
#include "passes/programs/LightningSegments.h"
#include "passes/programs/LightningShare.h"
#include "passes/programs/Passes.h"

#include "dialects/exec/ExecDialect.h"
#include "dialects/mm01/Mm01Dialect.h"
#include "passes/tiling/LightningAttributes.h"
#include "passes/tiling/LightningDecode.h"
#include "passes/tiling/Rewrite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

namespace mm01 {
#define GEN_PASS_DEF_FORMLIGHTNINGPROGRAMSPASS
#include "passes/programs/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// mm01.lightning_attention of bf16   ==>   tile.program "lightning"
struct LightningPattern : OpRewritePattern<LightningAttentionOp> {
  LightningPattern(MLIRContext *context, const Chip &chip)
      : OpRewritePattern(context), chip(chip) {}

  LogicalResult matchAndRewrite(LightningAttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto q = cast<RankedTensorType>(op.getQ().getType());
    int64_t size = q.getDimSize(2);
    if (!q.getElementType().isBF16() ||
        !getElementTypeOrSelf(op.getOut()).isBF16())
      return rewriter.notifyMatchFailure(
          op, "its activations are not all bf16, which the matrix unit takes");
    if (!getElementTypeOrSelf(op.getState()).isF32() ||
        !getElementTypeOrSelf(op.getSlopes()).isF32())
      return rewriter.notifyMatchFailure(op, "states and slopes are not f32");
    if (ShapedType::isDynamic(size) || size % 16 != 0 || size > 128)
      return rewriter.notifyMatchFailure(
          op, "its head size is no multiple of 16 up to 128");
    TileBuilder b(op.getLoc(), rewriter);
    LightningForm form{size, op->hasAttr(kSkipSingleAttr)};
    form.reverse = op->hasAttr(kLightningReverseAttr);
    Grid grid = findGrid(b, op, form);
    Operands operands;
    operands.ins = {op.getQ(),      op.getK(),      op.getV(),
                    op.getSlopes(), op.getRagged(), op.getLayer()};
    operands.outs = {op.getOut(), op.getState()};
    int64_t heads = q.getDimSize(1);
    LightningSegments segments{1, 0};
    if (!ShapedType::isDynamic(heads))
      segments = chooseLightningSegments(chip, heads, form.cluster());
    if (segments.count > 1)
      addSegments(b, op, form, segments, grid, operands.ins);
    else if (form.skipSingle &&
             wantsFusion(op->getParentOfType<ModuleOp>(), "launches"))
      addShared(b, op, form, chip, grid, operands);
    rewriter.replaceOp(op, addOutputs(b, form, "lightning", grid, operands));
    return success();
  }

private:
  using Values = TileBuilder::Values;
  struct Grid {
    Value clusters, heads;
  };
  struct Operands {
    Values ins, outs;
  };

  /// A cluster for each sequence.
  static Grid findGrid(TileBuilder &b, LightningAttentionOp op,
                       const LightningForm &form) {
    return {b.raggedSize(op.getRagged(), form.sequences()),
            b.createOrFold<tensor::DimOp>(op.getQ(), b.index(1))};
  }

  /// The program of outputs.
  static ValueRange addOutputs(TileBuilder &b, const LightningForm &form,
                               StringRef name, const Grid &grid,
                               const Operands &operands) {
    tile::ProgramOp program = b.program(
        name, {grid.clusters, grid.heads, b.index(1)}, form.cluster(),
        operands.ins, operands.outs, [&](ValueRange ins, ValueRange outs) {
          LightningOperands in = {ins[0], ins[1], ins[2],  ins[3],
                                  ins[4], ins[5], outs[0], outs[1]};
          if (ins.size() > 6) {
            in.segmentTokens = ins[6];
            in.segmentStates = ins[7];
          }
          writeLightningOutputs(b, form, in);
        });
    markSequences(program, form);
    return program->getResults();
  }

  /// Puts a program for prefills that hide beside single tokens before that for
  /// others; one of them has no clusters.
  static void addShared(TileBuilder &b, LightningAttentionOp op,
                        LightningForm form, const Chip &chip, Grid &grid,
                        Operands &operands) {
    LightningShare share =
        shareHeads(b, chip, op.getRagged(), grid.heads, form.cluster());
    form.severalHeads = true;
    Value none = b.index(0);
    Grid shared{b.select(share.hides, grid.clusters, none), share.heads};
    operands.outs = llvm::to_vector(
        addOutputs(b, form, "lightning_heads", shared, operands));
    grid.clusters = b.select(share.hides, none, grid.clusters);
  }

  /// Says that a program leaves sequences of one token alone.
  static void markSequences(tile::ProgramOp program,
                            const LightningForm &form) {
    if (form.skipSingle)
      program->setAttr(exec::kSequencesAttr,
                       exec::SequencesAttr::get(program.getContext(),
                                                exec::Sequences::several));
  }

  /// Puts the program of segments' states before that of outputs, and tells
  /// this of them.
  static void addSegments(TileBuilder &b, LightningAttentionOp op,
                          const LightningForm &form,
                          const LightningSegments &segments, Grid &grid,
                          Values &ins) {
    Value tokens = b.raggedSize(op.getRagged(), RaggedExtent::tokens);
    Value share = b.ceilDivide(tokens, segments.count * kLightningBlock);
    Value many = b.compare(arith::CmpIPredicate::sge, tokens,
                           b.index(segments.leastTokens));
    many = b.both(
        many, b.compare(arith::CmpIPredicate::ne, grid.clusters, b.index(0)));
    // A segment of all tokens is none.
    Value length = b.select(many, b.mul(share, b.index(kLightningBlock)),
                            b.maximum(tokens, b.index(kLightningBlock)));
    auto state = cast<RankedTensorType>(op.getState().getType());
    SmallVector<int64_t> shape(state.getShape().drop_front(1));
    shape[0] = segments.entries();
    Value memory = tensor::EmptyOp::create(b, shape, state.getElementType());
    Value entries = b.select(many, b.index(segments.entries()), b.index(0));
    tile::ProgramOp program = b.program(
        "lightning_segments", {entries, grid.heads, b.index(1)}, form.cluster(),
        {op.getK(), op.getV(), op.getSlopes(), op.getRagged(), op.getLayer(),
         op.getState(), length},
        {memory}, [&](ValueRange ins, ValueRange outs) {
          writeLightningSegments(b, form,
                                 {nullptr, ins[0], ins[1], ins[2], ins[3],
                                  ins[4], nullptr, ins[5], ins[6], outs[0]});
        });
    markSequences(program, form);
    ins.append({length, program->getResult(0)});
    grid.clusters = b.add(grid.clusters, entries);
  }

  const Chip &chip;
};

struct FormLightningProgramsPass
    : mm01::impl::FormLightningProgramsPassBase<FormLightningProgramsPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<const Chip *> chip = chipOf(getOperation());
    if (failed(chip))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<LightningPattern>(&getContext(), **chip);
    if (failed(rewriteOnly(getOperation(), std::move(patterns))))
      return signalPassFailure();
    // Loops over workgroups know one direction alone.
    getOperation().walk([&](LightningAttentionOp op) {
      if (!op->hasAttr(kLightningReverseAttr))
        return;
      op.emitOpError("has no program in reverse for these types: expected bf16 "
                     "activations, f32 slopes and states and a head size that "
                     "is a multiple of 16 up to 128");
      signalPassFailure();
    });
  }
};

} // namespace
