//===- FormSoftmaxDecode.cpp - single tokens of softmax attention ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out
//             {scale = 0.125} : tensor<?x64x128xbf16>, …
// After:  %parts:2 = tile.program "softmax_decode" grid(%items, %pieces, %c1)
//             resident 2 ins(%q, %keys, %values, %r, %layer : …)
//             outs(%sums, %outputs : tensor<?x64x16x2xf32>, …) { … }
//             {exec.sequences = #exec.sequences<single>}
//         %o1 = scf.forall (%n, %h) in (%sequences, 8) shared_outs(%out) {…}
//             {exec.sequences = #exec.sequences<single>,
//             mm01.kernel = "softmax_merge"}
//         %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %o1
//             {mm01.skip_single, scale = 0.125} : tensor<?x64x128xbf16>, …
//
// Requires the graph phase.
// Test: test/passes/programs/form-softmax-decode.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/programs/Passes.h"
#include "passes/programs/SoftmaxDecode.h"

#include "dialects/exec/ExecDialect.h"
#include "passes/tiling/LightningDecode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

namespace mm01 {
#define GEN_PASS_DEF_FORMSOFTMAXDECODEPASS
#include "passes/programs/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// Puts the program and the kernel before an op.
void splitOff(IRRewriter &rewriter, SoftmaxAttentionOp op,
              const SoftmaxShape &shape, const Chip &chip) {
  rewriter.setInsertionPoint(op);
  TileBuilder b(op.getLoc(), rewriter);
  SoftmaxPieces pieces = chooseSoftmaxPieces(chip, shape.keyHeads);
  Value ragged = op.getRagged();
  Value all = b.raggedSize(ragged, RaggedExtent::sequences);
  auto scratch = [&](ArrayRef<int64_t> extents) -> Value {
    SmallVector<int64_t> type{ShapedType::kDynamic};
    llvm::append_range(type, extents);
    return tensor::EmptyOp::create(b, type, b.getF32Type(), all);
  };
  Value sums = scratch({shape.queryHeads, pieces.most, 2});
  Value outputs = scratch({pieces.most, shape.queryHeads, shape.size});
  tile::ProgramOp program = b.program(
      "softmax_decode", softmaxDecodeGrid(b, shape, pieces, ragged),
      /*cluster=*/1,
      {op.getQ(), op.getKeys(), op.getValues(), ragged, op.getLayer()},
      {sums, outputs},
      [&](ValueRange ins, ValueRange outs) {
        writeSoftmaxDecode(b, shape, pieces,
                           {ins[0], ins[1], ins[2], ins[3], ins[4], nullptr},
                           {outs[0], outs[1]});
      },
      SoftmaxPieces::resident);
  Value sequences = countSingleSequences(b, ragged);
  rewriter.setInsertionPoint(op);
  KernelBuilder kernels(rewriter, op.getLoc());
  Value merged = writeSoftmaxMerge(
      kernels, shape, pieces, ragged,
      {program->getResult(0), program->getResult(1)}, sequences, op.getOut());
  auto single =
      exec::SequencesAttr::get(b.getContext(), exec::Sequences::single);
  for (Operation *made : {program.getOperation(), merged.getDefiningOp()})
    made->setAttr(exec::kSequencesAttr, single);
  rewriter.modifyOpInPlace(op, [&] {
    op.getOutMutable().set(merged);
    op->setAttr(kSkipSingleAttr, rewriter.getUnitAttr());
  });
}

struct FormSoftmaxDecodePass
    : mm01::impl::FormSoftmaxDecodePassBase<FormSoftmaxDecodePass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<const Chip *> chip = chipOf(getOperation());
    if (failed(chip))
      return signalPassFailure();
    SmallVector<SoftmaxAttentionOp> ops;
    getOperation().walk([&](SoftmaxAttentionOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (SoftmaxAttentionOp op : ops) {
      StringRef reason;
      std::optional<SoftmaxShape> shape = findSoftmaxShape(op, reason);
      // What has no program does single tokens itself.
      if (shape && !shape->skipSingle && shape->group() <= kSoftmaxDecodeRows)
        splitOff(rewriter, op, *shape, **chip);
    }
  }
};

} // namespace
