//===- FuseTwins.cpp - make one kernel of two whose results meet ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that reads the results of two kernels element by element can only join
// a kernel that makes both. Requires products as kernels, other ops whole.
//
// Before: %a = scf.forall (%e, %p) in (8, 4) shared_outs(%o = %x) {… row of w1
// …}
//         %b = scf.forall (%e, %p) in (8, 4) shared_outs(%o = %y) {… row of w3
//         …} %c = linalg.generic ins(%b) outs(%a)
// After:  %a, %b = scf.forall (%e, %p) in (8, 4)
//             shared_outs(%o = %x, %q = %y) {… row of w1 … row of w3 …}
//         %c = linalg.generic ins(%b) outs(%a)
//
// A workgroup does the work of two, so that as many are busy as before. Tested
// by test/passes/fusion/fuse-twins.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/Equivalence.h"
#include "passes/fusion/FusedKernels.h"
#include "passes/fusion/Passes.h"
#include "passes/fusion/Switch.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mm01 {
#define GEN_PASS_DEF_FUSETWINSPASS
#include "passes/fusion/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// Uses the values `to` in a kernel instead of `from`, which are equivalent.
void unify(IRRewriter &rewriter, scf::ForallOp kernel,
           ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to) {
  for (auto [old, other] : llvm::zip_equal(from, to))
    if (auto value = dyn_cast<Value>(old))
      if (auto replacement = dyn_cast<Value>(other))
        rewriter.replaceUsesWithIf(value, replacement, [&](OpOperand &use) {
          return kernel->isProperAncestor(use.getOwner());
        });
}

/// Makes one kernel of the two that make `left` and `right`, operands of `op`.
LogicalResult fuseTwins(IRRewriter &rewriter, Operation *op, OpResult left,
                        OpResult right) {
  auto first = cast<scf::ForallOp>(left.getOwner());
  auto second = cast<scf::ForallOp>(right.getOwner());
  if (first->getBlock() != second->getBlock())
    return rewriter.notifyMatchFailure(op, "its producers are in two blocks");
  if (second->isBeforeInBlock(first)) {
    std::swap(first, second);
    std::swap(left, right);
  }
  if (!areEquivalent(first.getMixedUpperBound(), second.getMixedUpperBound(),
                     first, second))
    return rewriter.notifyMatchFailure(op, "its producers' grids differ");
  auto a = insertionOf(left), b = insertionOf(right);
  if (!a || !b ||
      !areEquivalent(a.getMixedOffsets(), b.getMixedOffsets(), first, second) ||
      !areEquivalent(a.getMixedSizes(), b.getMixedSizes(), first, second))
    return rewriter.notifyMatchFailure(
        op, "workgroups of its producers write different slices");
  if (!canSinkTo(first, second))
    return rewriter.notifyMatchFailure(
        op, "a result of the first producer is used before the second");

  rewriter.setInsertionPoint(second);
  Values outs = first.getOutputs();
  llvm::append_range(outs, second.getOutputs());
  auto name = [](scf::ForallOp kernel) {
    return kernel->getAttrOfType<StringAttr>(kKernelAttr).getValue();
  };
  scf::ForallOp both =
      makeKernel(rewriter, second, outs, fusedName(name(first), name(second)));
  ValueRange places = both.getRegionOutArgs();
  unsigned cut = first.getNumResults();
  moveBody(rewriter, first, both, places.take_front(cut));
  moveBody(rewriter, second, both, places.drop_front(cut));
  // What follows must see that the slices are the same.
  unify(rewriter, both, b.getMixedOffsets(), a.getMixedOffsets());
  unify(rewriter, both, b.getMixedSizes(), a.getMixedSizes());
  rewriter.replaceOp(first, both.getResults().take_front(cut));
  rewriter.replaceOp(second, both.getResults().drop_front(cut));
  return success();
}

/// Fuses the kernels of any two operands of `op` until none are left.
void fuseProducers(IRRewriter &rewriter, TilingInterface op) {
  auto fuseAnyTwo = [&] {
    for (Value left : op->getOperands())
      for (Value right : op->getOperands())
        if (scf::ForallOp first = kernelOf(left), second = kernelOf(right);
            first && second && first != second &&
            succeeded(fuseTwins(rewriter, op, cast<OpResult>(left),
                                cast<OpResult>(right))))
          return true;
    return false;
  };
  while (fuseAnyTwo())
    ;
}

struct FuseTwinsPass : mm01::impl::FuseTwinsPassBase<FuseTwinsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!wantsFusion(getOperation(), "twins"))
      return;
    SmallVector<TilingInterface> readers;
    getOperation().walk([&](TilingInterface op) {
      if (!inKernel(op))
        readers.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (TilingInterface op : readers)
      fuseProducers(rewriter, op);
  }
};

} // namespace
