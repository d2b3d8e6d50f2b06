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
// Two results that share no product need not share threads either: a program
// that says the same thing for two parts of a tile is done by two warp groups,
// each with its own accumulators, on the tiles that both read.
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
#include "passes/tile/RoleSlices.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

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

/// Warp groups that the writes of one kind are shared among at most: there are
/// registers for two with large accumulators.
constexpr size_t kMostChains = 2;

/// The writes by which group does them: those that share a product, directly or
/// through others, together.
SmallVector<SmallVector<Operation *>> chains(ArrayRef<Operation *> writes,
                                             KernelOp kernel) {
  llvm::EquivalenceClasses<Operation *> classes;
  llvm::MapVector<Operation *, Operation *> firstProducts;
  for (Operation *write : writes) {
    mm01::Slice slice;
    slice.add(write);
    Operation *&first = firstProducts[write];
    kernel.walk([&](MmaOp product) {
      if (!slice.contains(product))
        return;
      if (!first)
        first = product;
      classes.unionSets(first, product);
    });
  }
  SmallVector<SmallVector<Operation *>> groups;
  llvm::MapVector<Operation *, size_t> numbers;
  for (auto [write, product] : firstProducts) {
    // What needs no product goes with the first that does.
    Operation *leader = product ? classes.getLeaderValue(product) : nullptr;
    size_t number =
        leader ? numbers.try_emplace(leader, numbers.size() % kMostChains)
                     .first->second
               : 0;
    groups.resize(std::max(groups.size(), number + 1));
    groups[number].push_back(write);
  }
  return groups;
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
    auto setChains = [&](ArrayRef<Operation *> ops, StringRef name) {
      auto groups = chains(ops, getOperation());
      for (auto [i, group] : llvm::enumerate(groups))
        for (Operation *op : group)
          set(op, groups.size() > 1 ? (name + Twine(i)).str() : name.str());
    };
    if (both) {
      setChains(ahead, "ahead");
      setChains(recurrence, "recurrence");
    } else {
      setChains(ahead.empty() ? recurrence : ahead, "compute");
    }
  }
};

} // namespace
