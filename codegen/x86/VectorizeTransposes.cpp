//===- VectorizeTransposes.cpp - transpose matrices in registers ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element by element, a transpose costs a load and a store each, and as much
// time as the products around it. A square of vectors is transposed by log2(n)
// rounds in which rows r and r + s exchange the columns whose bit s differs:
//
// Before: linalg.generic ins(%x) outs(%y)      y[j, i] = x[i, j]
// After:  scf.for %i = 0 to m step 16
//           scf.for %j = 0 to n step 16
//             16 vectors from x[i …][j], shuffled, to y[j …][i]
//
// Requires bufferized kernels. Tested by
// test/codegen/x86/vectorize-transposes.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Isa.h"
#include "codegen/x86/Passes.h"
#include "dialects/exec/ExecDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mm01 {
#define GEN_PASS_DEF_VECTORIZETRANSPOSESPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;

/// True for a static matrix of float32 with contiguous rows.
static bool isRows(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && type.getRank() == 2 && type.getElementType().isF32() &&
         type.hasStaticShape() && type.isLastDimUnitStride();
}

/// The vectors of a square's rows become those of its columns.
static void transposeSquare(ImplicitLocOpBuilder &b,
                            MutableArrayRef<Value> rows) {
  auto lanes = static_cast<int64_t>(rows.size());
  for (int64_t bit = 1; bit < lanes; bit *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool set = lane & bit;
      low.push_back(set ? lanes + lane - bit : lane);
      high.push_back(set ? lanes + lane : lane + bit);
    }
    for (int64_t row = 0; row < lanes; ++row) {
      if (row & bit)
        continue;
      Value first = rows[row], second = rows[row + bit];
      rows[row] = vector::ShuffleOp::create(b, first, second, low);
      rows[row + bit] = vector::ShuffleOp::create(b, first, second, high);
    }
  }
}

namespace {

/// y[j, i] = x[i, j]   ==>   loops over squares in registers
struct VectorizeTranspose : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    AffineExpr i, j;
    bindDims(op.getContext(), i, j);
    SmallVector<AffineMap> expected = {
        AffineMap::get(2, 0, {j, i}, op.getContext()),
        AffineMap::get(2, 0, {i, j}, op.getContext())};
    auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
    if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
        op.getIndexingMapsArray() != expected ||
        yield.getOperand(0) != op.getBody()->getArgument(0))
      return rewriter.notifyMatchFailure(op, "is no transpose");
    Value x = op.getDpsInputOperand(0)->get();
    Value y = op.getDpsInitOperand(0)->get();
    if (!isRows(x) || !isRows(y))
      return rewriter.notifyMatchFailure(
          op, "operands are not static matrices of f32 with contiguous rows");
    ArrayRef<int64_t> size = cast<MemRefType>(x.getType()).getShape();
    int64_t lanes = mm01::lanesOf(mm01::isaOf(op->getParentOfType<ModuleOp>()));
    while (lanes >= 4 && (size[0] % lanes != 0 || size[1] % lanes != 0))
      lanes /= 2;
    if (lanes < 4)
      return rewriter.notifyMatchFailure(op, "no square divides the extents");

    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    auto plus = [&](Value first, int64_t offset) -> Value {
      return arith::AddIOp::create(b, first, index(offset));
    };
    auto loop = [&](int64_t end) {
      auto made = scf::ForOp::create(b, index(0), index(end), index(lanes));
      b.setInsertionPointToStart(made.getBody());
      return made.getInductionVar();
    };
    Value row = loop(size[0]), column = loop(size[1]);
    auto type = VectorType::get({lanes}, b.getF32Type());
    SmallVector<Value> vectors;
    for (int64_t r = 0; r < lanes; ++r)
      vectors.push_back(
          vector::LoadOp::create(b, type, x, ValueRange{plus(row, r), column}));
    transposeSquare(b, vectors);
    for (int64_t r = 0; r < lanes; ++r)
      vector::StoreOp::create(b, vectors[r], y,
                              ValueRange{plus(column, r), row});
    rewriter.eraseOp(op);
    return success();
  }
};

struct VectorizeTransposesPass
    : mm01::impl::VectorizeTransposesPassBase<VectorizeTransposesPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!mm01::exec::isKernel(getOperation()))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<VectorizeTranspose>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
