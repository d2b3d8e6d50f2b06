//===- FormBranches.cpp - launches for different sequences side by side ---===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What does single tokens and what does several read and write different rows
// and slots, so that neither needs to wait for the other.
//
// Before: exec.launch @decode grid(%g) (%x, %r)
//             {exec.sequences = #exec.sequences<single>}
//         %n = mm01.ragged_size %r several
//         tile.program "prefill" grid(%n, %c1, %c1) ins(%x, %r : …) {…}
//             {exec.sequences = #exec.sequences<several>}
// After:  %n = mm01.ragged_size %r several
//         exec.concurrent { tile.program … }, { exec.launch @decode … }
//
// What takes longer by itself comes first: blocks of single tokens fill the
// gaps that it leaves.
//
// Requires kernels outlined and buffers not yet laid out: a branch's buffers
// live as long as all branches do. Tested by
// test/passes/schedule/form-branches.mlir.
//
//===----------------------------------------------------------------------===//

#include "dialects/exec/ExecDialect.h"
#include "passes/fusion/Switch.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

#include <map>

namespace mm01 {
#define GEN_PASS_DEF_FORMBRANCHESPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// Of a launch on buffers; one that gives tensors has an order.
static exec::SequencesAttr getSequences(Operation *op) {
  if (op->getNumResults() > 0)
    return {};
  return op->getAttrOfType<exec::SequencesAttr>(exec::kSequencesAttr);
}

namespace {

/// Launches for sequences of one batch with nothing between them that does more
/// than compute numbers, or make buffers.
struct Run {
  SmallVector<Operation *> launches, others;
  /// In the order of the branches to be.
  std::map<exec::Sequences, SmallVector<Operation *>> branches;
};

struct FormBranchesPass : mm01::impl::FormBranchesPassBase<FormBranchesPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!wantsFusion(getOperation(), "launches"))
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<Block *> blocks;
    getOperation().walk([&](Operation *op) {
      // What runs inside a launch is not the host's.
      if (getSequences(op) && !isa<exec::ConcurrentOp>(op->getParentOp()) &&
          !is_contained(blocks, op->getBlock()))
        blocks.push_back(op->getBlock());
    });
    for (Block *block : blocks)
      for (const Run &run : findRuns(*block, rewriter))
        if (run.branches.size() > 1)
          form(run, rewriter);
  }

private:
  static SmallVector<Run> findRuns(Block &block, IRRewriter &rewriter) {
    SmallVector<Run> runs;
    Run run;
    SmallVector<Operation *> between;
    auto end = [&](Operation *by) {
      if (run.branches.size() == 1)
        (void)rewriter.notifyMatchFailure(
            by, "ends launches for the same sequences");
      if (!run.launches.empty())
        runs.push_back(std::move(run));
      run = {};
      between.clear();
    };
    for (Operation &op : block) {
      if (exec::SequencesAttr sequences = getSequences(&op)) {
        if (!run.launches.empty() &&
            exec::getRagged(run.launches.front()) != exec::getRagged(&op))
          end(&op);
        run.launches.push_back(&op);
        run.branches[sequences.getValue()].push_back(&op);
        run.others.append(between);
        between.clear();
      } else if (!run.launches.empty() &&
                 (isMemoryEffectFree(&op) || isa<memref::AllocOp>(op))) {
        between.push_back(&op);
      } else {
        end(&op);
      }
    }
    if (!run.launches.empty())
      runs.push_back(std::move(run));
    return runs;
  }

  static void form(const Run &run, IRRewriter &rewriter) {
    Operation *first = run.launches.front();
    for (Operation *op : run.others)
      rewriter.moveOpBefore(op, first);
    rewriter.setInsertionPoint(first);
    auto concurrent = exec::ConcurrentOp::create(rewriter, first->getLoc(),
                                                 run.branches.size());
    for (auto [region, branch] :
         llvm::zip_equal(concurrent.getBranches(), run.branches)) {
      Block *block = rewriter.createBlock(&region);
      for (Operation *op : branch.second)
        rewriter.moveOpBefore(op, block, block->end());
    }
  }
};

} // namespace
