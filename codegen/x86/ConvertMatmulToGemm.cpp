//===- ConvertMatmulToGemm.cpp - call the library for products ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dense products are the library's: nothing generated here is as fast.
//
// Before: linalg.fill ins(%zero) outs(%c)
//         linalg.matmul indexing_maps = [(m, k), (n, k), (m, n)]
//             ins(%a, %b) outs(%c)
// After:  exec.gemm %a, %b, %c
//
// Requires bufferized kernels. Tested by
// test/codegen/x86/convert-matmul-to-gemm.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Passes.h"
#include "codegen/x86/Product.h"
#include "dialects/exec/ExecDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mm01 {
#define GEN_PASS_DEF_CONVERTMATMULTOGEMMPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// c[m, n] += a[m, k] * b[n, k]   ==>   exec.gemm %a, %b, %c accumulate
struct ConvertContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(matchProduct(op, Second::Transposed, rewriter)))
      return failure();
    rewriter.replaceOpWithNewOp<exec::GemmOp>(
        op, op.getDpsInputOperand(0)->get(), op.getDpsInputOperand(1)->get(),
        op.getDpsInitOperand(0)->get(), /*accumulate=*/true);
    return success();
  }
};

/// linalg.fill ins(0) outs(%c); exec.gemm %a, %b, %c accumulate
///   ==>
/// exec.gemm %a, %b, %c
struct FoldFill : OpRewritePattern<exec::GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(exec::GemmOp gemm,
                                PatternRewriter &rewriter) const override {
    auto fill = dyn_cast_if_present<linalg::FillOp>(gemm->getPrevNode());
    if (!gemm.getAccumulate() || !fill || fill.getOutputs()[0] != gemm.getC())
      return rewriter.notifyMatchFailure(gemm, "no fill of c right before it");
    if (!matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
      return rewriter.notifyMatchFailure(gemm, "c is not filled with zero");
    if (gemm.getA() == gemm.getC() || gemm.getB() == gemm.getC())
      return rewriter.notifyMatchFailure(gemm, "the zeros are read");
    rewriter.eraseOp(fill);
    rewriter.modifyOpInPlace(gemm, [&] { gemm.setAccumulate(false); });
    return success();
  }
};

struct ConvertMatmulToGemmPass
    : mm01::impl::ConvertMatmulToGemmPassBase<ConvertMatmulToGemmPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!exec::isKernel(getOperation()))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvertContraction, FoldFill>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
