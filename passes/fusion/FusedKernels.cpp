//===- FusedKernels.cpp - what fusion asks of kernels on tensors ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/FusedKernels.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mm01;

scf::ForallOp mm01::kernelOf(Value value) {
  auto loop = value.getDefiningOp<scf::ForallOp>();
  return loop && loop->hasAttr(kKernelAttr) ? loop : nullptr;
}

tensor::ParallelInsertSliceOp mm01::insertionOf(OpResult result) {
  auto kernel = cast<scf::ForallOp>(result.getOwner());
  SmallVector<Operation *> written =
      kernel.getCombiningOps(kernel.getTiedBlockArgument(result));
  auto insertion =
      written.size() == 1
          ? dyn_cast<tensor::ParallelInsertSliceOp>(written.front())
          : nullptr;
  if (!insertion || !insertion.hasUnitStride() ||
      insertion.getSourceType().getRank() != insertion.getDestType().getRank())
    return nullptr;
  return insertion;
}

bool mm01::canSinkTo(Operation *op, Operation *op2, Operation *but) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    Operation *here = op2->getBlock()->findAncestorOpInBlock(*user);
    return here && (here == but || op2->isBeforeInBlock(here));
  });
}

scf::ForallOp mm01::makeKernel(RewriterBase &rewriter, scf::ForallOp kernel,
                               ValueRange outs, StringRef name) {
  auto made = scf::ForallOp::create(rewriter, kernel.getLoc(),
                                    kernel.getMixedUpperBound(), outs,
                                    kernel.getMapping());
  made->setAttr(kKernelAttr, rewriter.getStringAttr(name));
  return made;
}

void mm01::moveBody(RewriterBase &rewriter, scf::ForallOp from,
                    scf::ForallOp to, ValueRange outs) {
  scf::InParallelOp end = to.getTerminator();
  Values arguments = to.getInductionVars();
  llvm::append_range(arguments, outs);
  rewriter.inlineBlockBefore(from.getBody(), end, arguments);
  auto moved = cast<scf::InParallelOp>(end->getPrevNode());
  Block *written = &end.getRegion().front();
  rewriter.inlineBlockBefore(&moved.getRegion().front(), written,
                             written->end());
  rewriter.eraseOp(moved);
}

void mm01::eraseDeadUsers(RewriterBase &rewriter, Operation *op) {
  llvm::SetVector<Operation *> users(op->user_begin(), op->user_end());
  for (Operation *user : users)
    if (isOpTriviallyDead(user))
      rewriter.eraseOp(user);
}

std::string mm01::fusedName(StringRef first, StringRef second) {
  return (first + "+" + second).str();
}
