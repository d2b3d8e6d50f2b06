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
// A mm01.linear with an int8 weight is the product of one expert, but for few
// rows, which mm01-form-device-kernels makes a kernel for:
//
// Before: %y = mm01.linear %x, %w into %out
// After:  %y0 = tile.program "linear_int8_16" … outs(%out : …) { … }
//         …
//         %y = mm01.linear %x, %w into %y3 {mm01.few_rows = 4}
//
// Requires the graph phase. Tested by
// test/passes/programs/form-grouped-programs.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/programs/GroupedProgram.h"
#include "passes/programs/Passes.h"

#include "dialects/mm01/Mm01Dialect.h"
#include "passes/tiling/FewRows.h"

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

/// Rows of an int8 weight's product for which a kernel that is no program reads
/// the weight faster.
constexpr int64_t kFewRows = 4;

/// Why a product stays as it is, or nothing.
template <typename Op> StringRef refusal(Op op, Value rows) {
  WeightType weight = op.getWeight().getType();
  bool isQuantized = weight.isQuantized();
  if ((!weight.getElementType().isBF16() && !isQuantized) ||
      !getElementTypeOrSelf(rows).isBF16() ||
      !getElementTypeOrSelf(op.getOut()).isBF16())
    return "its rows and results are not bf16 and its weight bf16 or int8, "
           "which the matrix unit takes";
  int64_t features = weight.getShape().drop_back().back();
  int64_t hidden = weight.getShape().back();
  if (features % 8 != 0 || hidden % (isQuantized ? 16 : 8) != 0)
    return "rows of its weight or results are no multiple of 16 bytes";
  if (hidden <= getGroupedDepth(weight))
    return "its rows have no more than one iteration of a product";
  return {};
}

/// What is multiplied: rows of x by the weights of their experts, or of one.
struct Product {
  Value rows, offsets, out;
  SmallVector<Value, 2> weights;

  WeightType weight() const {
    return cast<WeightType>(weights.front().getType());
  }

  bool gated() const { return weights.size() == 2; }
  ArrayRef<int64_t> widths() const {
    return getGroupedWidths(weight(), gated());
  }

  std::string name() const {
    std::string name = !offsets  ? "linear"
                       : gated() ? "experts_silu"
                                 : "experts";
    return weight().isQuantized() ? name + "_int8_" : name;
  }
};

/// The clusters of a program: none where no expert can need it.
Value countClusters(TileBuilder &b, const Product &product, Value rows,
                    int64_t above, int64_t width) {
  Value needed = b.compare(arith::CmpIPredicate::ugt, rows, b.index(above));
  bool isWidest = width == product.widths().back();
  if (!product.offsets && !isWidest)
    needed = b.both(needed,
                    b.compare(arith::CmpIPredicate::ule, rows, b.index(width)));
  return b.select(needed, b.index(kGroupedClusters), b.index(0));
}

/// The programs of all widths, for parts of more than `above` rows; returns
/// what they make.
Value makePrograms(TileBuilder &b, const Product &product, int64_t above) {
  Value rows = b.createOrFold<tensor::DimOp>(product.rows, b.index(0));
  Value out = product.out;
  SmallVector<Value> ins{product.rows};
  if (product.offsets)
    ins.push_back(product.offsets);
  llvm::append_range(ins, product.weights);
  WeightType weight = product.weight();
  if (weight.isQuantized())
    for (Value each : product.weights)
      ins.push_back(
          WeightScalesOp::create(b, weight.getScalesType(), each, b.index(0)));
  for (int64_t width : product.widths()) {
    Value clusters = countClusters(b, product, rows, above, width);
    auto program =
        b.program(product.name() + std::to_string(width),
                  {clusters, b.index(1), b.index(1)}, kGroupedCluster, ins, out,
                  [&](ValueRange in, ValueRange outs) {
                    GroupedOperands operands;
                    auto take = [&](size_t count) {
                      SmallVector<Value, 2> taken(in.take_front(count));
                      in = in.drop_front(count);
                      return taken;
                    };
                    operands.rows = take(1).front();
                    if (product.offsets)
                      operands.offsets = take(1).front();
                    operands.out = outs.front();
                    operands.weights = take(product.weights.size());
                    operands.scales = take(in.size());
                    writeGroupedProgram(b, width, above, operands);
                  });
    out = program.getResult(0);
    above = width;
  }
  return out;
}

/// Replaces `op`, the last of some, by programs of all widths.
void replace(Operation *op, GroupedLinearOp product, ValueRange weights,
             PatternRewriter &rewriter) {
  TileBuilder b(op->getLoc(), rewriter);
  rewriter.replaceOp(
      op, makePrograms(b,
                       {product.getRows(), product.getOffsets(),
                        product.getOut(), SmallVector<Value, 2>(weights)},
                       /*above=*/0));
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
      if (StringRef why = refusal(product, product.getRows()); !why.empty())
        return rewriter.notifyMatchFailure(product, why);
    replace(op, gate, {gate.getWeight(), up.getWeight()}, rewriter);
    rewriter.eraseOp(gate);
    rewriter.eraseOp(up);
    return success();
  }
};

/// mm01.grouped_linear   ==>   tile.program "experts…"
struct PlainPattern : OpRewritePattern<GroupedLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GroupedLinearOp op,
                                PatternRewriter &rewriter) const override {
    if (StringRef why = refusal(op, op.getRows()); !why.empty())
      return rewriter.notifyMatchFailure(op, why);
    replace(op, op, op.getWeight(), rewriter);
    return success();
  }
};

/// mm01.linear of an int8 weight   ==>   tile.program "linear_int8_…" and, for
/// few rows, the op
struct QuantizedPattern : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getWeight().getType().isQuantized())
      return rewriter.notifyMatchFailure(op, "its weight is not int8");
    if (op->hasAttr(kFewRowsAttr))
      return rewriter.notifyMatchFailure(op, "has programs already");
    if (StringRef why = refusal(op, op.getX()); !why.empty())
      return rewriter.notifyMatchFailure(op, why);
    TileBuilder b(op->getLoc(), rewriter);
    Value many = makePrograms(
        b, {op.getX(), Value(), op.getOut(), {op.getWeight()}}, kFewRows);
    rewriter.modifyOpInPlace(op, [&] {
      op.getOutMutable().assign(many);
      op->setAttr(kFewRowsAttr, b.getI64IntegerAttr(kFewRows));
    });
    return success();
  }
};

struct FormGroupedProgramsPass
    : mm01::impl::FormGroupedProgramsPassBase<FormGroupedProgramsPass> {
  using Base::Base;

  void runOnOperation() override {
    // Gates first: the products that are left stand alone.
    if (failed(run<GatedPattern>()) || failed(run<PlainPattern>()) ||
        failed(run<QuantizedPattern>()))
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
