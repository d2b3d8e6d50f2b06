//===- AssignRoles.cpp - says which role does each effect of a kernel -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A recurrence is a chain: one block's state waits for the one before. Whatever
// of a block does not depend on the state can be computed by other threads
// while the chain is at an earlier block, and memory is read before that, by a
// thread that does nothing else. The flow of data tells these parts from each
// other.
//
// Before: tile.copy_in %q[…] to %tile
//         tile.write %scores to %p
//         tile.write %output to %o        (%output depends on a carried tile)
// After:  tile.copy_in %q[…] to %tile {tile.role = "load"}
//         tile.write %scores to %p {tile.role = "ahead"}
//         tile.write %output to %o {tile.role = "recurrence"}
//
// Requires a sequential program. Test: test/passes/tile/assign-roles.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"

namespace mm01 {
#define GEN_PASS_DEF_ASSIGNROLESPASS
#include "passes/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01::tile;

namespace {

/// True if a tile that a loop carries is among what `value` is computed from.
bool dependsOnCarriedTile(Value value) {
  SmallVector<Value> work{value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(next);
    auto loop = argument
                    ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                    : next.getDefiningOp<scf::ForOp>();
    if (loop && isa<RankedTensorType>(next.getType()))
      return true;
    if (Operation *op = next.getDefiningOp())
      op->walk([&](Operation *inner) {
        llvm::append_range(work, inner->getOperands());
      });
  }
  return false;
}

struct AssignRolesPass : mm01::impl::AssignRolesPassBase<AssignRolesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> ahead, recurrence;
    auto set = [&](Operation *op, StringRef role) {
      op->setAttr(mm01::kTileRoleAttr, StringAttr::get(&getContext(), role));
    };
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (isa<CopyInOp>(op)) {
        set(op, "load");
      } else if (isa<CopyOutOp>(op)) {
        set(op, "store");
      } else if (isa<WriteOp, StoreOp>(op)) {
        Value value = op->getOperand(0);
        (dependsOnCarriedTile(value) ? recurrence : ahead).push_back(op);
      } else if (isa<RoleOp, PipeOp, BarrierOp>(op)) {
        op->emitOpError("stands in a program that has roles already");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    bool both = !ahead.empty() && !recurrence.empty();
    for (Operation *op : ahead)
      set(op, both ? "ahead" : "compute");
    for (Operation *op : recurrence)
      set(op, both ? "recurrence" : "compute");
  }
};

} // namespace
