//===- FormGroupedPrograms.cpp - products of experts as programs ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Before: %g = mm01.grouped_linear %x, %offsets, %w1 into %a :
// tensor<?x64xbf16>, …
//         %u = mm01.grouped_linear %x, %offsets, %w3 into %b
//         %y = linalg.generic ins(%u) outs(%g) { silu(gate) * up }
// After:  %n = arith.select %more, %clusters, %c0       0 where none is as wide
//         %y0 = tile.program "experts_silu16" grid(%n0, …) cluster 2
//             ins(%x, %offsets, %w1, %w3 : …) outs(%a : …) { … }
//         %y1 = tile.program "experts_silu32" … outs(%y0 : …) { … }
//         …
//
// Requires the graph phase. Tested by
// test/passes/programs/form-grouped-programs.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/programs/GroupedProgram.h"
#include "passes/programs/Passes.h"

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mm01 {
#define GEN_PASS_DEF_FORMGROUPEDPROGRAMSPASS
#include "passes/programs/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// Why an op stays as it is, or nothing.
StringRef refusal(GroupedLinearOp op) {
  auto weight = cast<WeightType>(op.getWeight().getType());
  if (!weight.getElementType().isBF16() ||
      !getElementTypeOrSelf(op.getRows()).isBF16() ||
      !getElementTypeOrSelf(op.getOut()).isBF16())
    return "its rows, weight and results are not all bf16, which the matrix "
           "unit takes";
  if (weight.getShape()[1] % 8 != 0 || weight.getShape()[2] % 8 != 0)
    return "rows of its weight or results are no multiple of 16 bytes";
  if (weight.getShape()[2] <= kGroupedStep)
    return "its rows have no more than one step of a product";
  return {};
}

/// Replaces `op`, the last of some, by programs of all widths.
void replace(Operation *op, GroupedLinearOp product, ValueRange weights,
             PatternRewriter &rewriter) {
  TileBuilder b(op->getLoc(), rewriter);
  Value rows = b.createOrFold<tensor::DimOp>(product.getRows(), b.index(0));
  Value out = product.getOut();
  SmallVector<Value> ins{product.getRows(), product.getOffsets()};
  llvm::append_range(ins, weights);
  int64_t above = 0;
  for (int64_t width : kGroupedWidths) {
    Value needed = b.compare(arith::CmpIPredicate::ugt, rows, b.index(above));
    Value clusters = b.select(needed, b.index(kGroupedClusters), b.index(0));
    std::string name = (weights.size() == 2 ? "experts_silu" : "experts") +
                       std::to_string(width);
    auto program = b.program(
        name, {clusters, b.index(1), b.index(1)}, kGroupedCluster, ins, out,
        [&](ValueRange in, ValueRange outs) {
          GroupedOperands operands{in[0], in[1], outs[0],
                                   SmallVector<Value, 2>(in.drop_front(2))};
          writeGroupedProgram(b, width, above, operands);
        });
    out = program.getResult(0);
    above = width;
  }
  rewriter.replaceOp(op, out);
}

Value strip(Value value) {
  if (auto wide = value.getDefiningOp<arith::ExtFOp>())
    return wide.getIn();
  return value;
}

/// True for `silu(out) * in`, element by element.
bool isSiluTimes(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return false;
  Block *body = op.getBody();
  Value result = body->getTerminator()->getOperand(0);
  if (auto narrow = result.getDefiningOp<arith::TruncFOp>())
    result = narrow.getIn();
  auto times = result.getDefiningOp<arith::MulFOp>();
  if (!times || strip(times.getRhs()) != body->getArgument(0))
    return false;
  auto silu = times.getLhs().getDefiningOp<arith::DivFOp>();
  auto sum = silu ? silu.getRhs().getDefiningOp<arith::AddFOp>() : nullptr;
  auto exp = sum ? sum.getLhs().getDefiningOp<math::ExpOp>() : nullptr;
  auto minus = exp ? exp.getOperand().getDefiningOp<arith::NegFOp>() : nullptr;
  return minus && matchPattern(sum.getRhs(), m_OneFloat()) &&
         strip(minus.getOperand()) == body->getArgument(1) &&
         strip(silu.getLhs()) == body->getArgument(1);
}

/// silu(grouped_linear) * grouped_linear   ==>   tile.program "experts_silu…"
struct GatedPattern : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSiluTimes(op))
      return rewriter.notifyMatchFailure(op, "is not silu(out) * in");
    auto gate = op.getDpsInits()[0].getDefiningOp<GroupedLinearOp>();
    auto up = op.getDpsInputs()[0].getDefiningOp<GroupedLinearOp>();
    if (!gate || !up || !gate->hasOneUse() || !up->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "its operands are not products of experts for it alone");
    if (gate.getRows() != up.getRows() ||
        gate.getOffsets() != up.getOffsets() ||
        gate.getWeight().getType() != up.getWeight().getType())
      return rewriter.notifyMatchFailure(
          op, "the products are of other rows or of weights of other shapes");
    for (GroupedLinearOp product : {gate, up})
      if (StringRef why = refusal(product); !why.empty())
        return rewriter.notifyMatchFailure(product, why);
    replace(op, gate, {gate.getWeight(), up.getWeight()}, rewriter);
    rewriter.eraseOp(gate);
    rewriter.eraseOp(up);
    return success();
  }
};

/// mm01.grouped_linear of bf16   ==>   tile.program "experts…"
struct PlainPattern : OpRewritePattern<GroupedLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GroupedLinearOp op,
                                PatternRewriter &rewriter) const override {
    if (StringRef why = refusal(op); !why.empty())
      return rewriter.notifyMatchFailure(op, why);
    replace(op, op, op.getWeight(), rewriter);
    return success();
  }
};

struct FormGroupedProgramsPass
    : mm01::impl::FormGroupedProgramsPassBase<FormGroupedProgramsPass> {
  using Base::Base;

  void runOnOperation() override {
    // Gates first: the products that are left stand alone.
    if (failed(run<GatedPattern>()) || failed(run<PlainPattern>()))
      signalPassFailure();
  }

private:
  template <typename Pattern> LogicalResult run() {
    RewritePatternSet patterns(&getContext());
    patterns.add<Pattern>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    return applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};

} // namespace
