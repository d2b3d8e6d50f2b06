//===- MaterializeBarriers.cpp - turns of pipes as phases of barriers -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Before: %pipe, %ring = tile.pipe : !tile.pipe<4>, !tile.buffer<4x64x64xbf16,
// 128>
//         tile.role "load" … { tile.acquire %pipe[%t]
//                              tile.copy_in %map[…] to %tile
//                              tile.commit %pipe[%t] }
// After:  %ring = tile.alloc : !tile.buffer<4x64x64xbf16, 128>
//         %full = tile.barrier arrivals 1 : !tile.barriers<4>
//         %empty = tile.barrier arrivals 4 : !tile.barriers<4>
//         tile.cluster_sync
//         tile.role "load" … { %slot = %t mod 4, %parity = (%t / 4 + 1) mod 2
//                              tile.wait %empty[%slot], %parity
//                              tile.expect %full[%slot], 8192
//                              tile.copy_in %map[…] to %tile signals
//                              %full[%slot] }
//
// Requires roles and layouts. Test: test/passes/tile/materialize-barriers.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace mm01 {
#define GEN_PASS_DEF_MATERIALIZEBARRIERSPASS
#include "passes/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01::tile;

namespace {

/// Arrivals of a role at one barrier: one for each of its warps.
int64_t arrivals(RoleOp role) {
  return role.getSingle() ? 1 : kGroupWarps * role.getGroups();
}

class PipeLowering {
public:
  PipeLowering(PipeOp pipe, int64_t cluster)
      : pipe(pipe), cluster(cluster),
        stages(pipe.getPipe().getType().getStages()) {}

  LogicalResult run() {
    SmallVector<RoleOp> producers = rolesOf<AcquireOp>();
    if (producers.size() != 1 || !producers.front())
      return pipe.emitOpError("expected one role that fills it, found ")
             << producers.size();
    bool copies = producers.front().getSingle();
    int64_t released = 0;
    for (RoleOp role : rolesOf<ReleaseOp>()) {
      if (!role)
        return pipe.emitOpError("expected roles that empty it");
      released += arrivals(role) * (pipe.getMulticast() ? cluster : 1);
    }
    if (released == 0)
      return pipe.emitOpError("expected a role that empties it");

    OpBuilder b(pipe);
    Location loc = pipe.getLoc();
    int64_t bytes = 0;
    for (Value ring : pipe.getRings()) {
      auto type = cast<BufferType>(ring.getType());
      if (type.getSwizzle() == 0)
        return pipe.emitOpError("has a ring without a layout: ") << type;
      bytes += type.getLayout().bytes();
      lowerRing(ring, AllocOp::create(b, loc, type), copies);
    }
    auto barriers = BarriersType::get(b.getContext(), stages);
    full = BarrierOp::create(b, loc, barriers,
                             copies ? 1 : arrivals(producers.front()));
    empty = BarrierOp::create(b, loc, barriers, released);
    for (Operation *user :
         llvm::make_early_inc_range(pipe.getPipe().getUsers()))
      lowerTurn(user, copies ? bytes : 0);
    // Copies know their barrier by the number of their tile.
    for (CopyInOp copy : copiesIn) {
      OpBuilder at(copy);
      auto slot = copy.getBuffer().getDefiningOp<SlotOp>();
      copy.getBarriersMutable().assign(full);
      copy.getSlotMutable().assign(slot.getIndex());
    }
    pipe.erase();
    return success();
  }

private:
  /// The roles of the operations of a kind that use the pipe.
  template <typename Op> SmallVector<RoleOp> rolesOf() {
    llvm::SetVector<Operation *> parents;
    for (Operation *user : pipe.getPipe().getUsers())
      if (isa<Op>(user))
        parents.insert(user->getParentOfType<RoleOp>());
    return llvm::map_to_vector(
        parents, [](Operation *op) { return dyn_cast_if_present<RoleOp>(op); });
  }

  static Value constant(OpBuilder &b, Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  Value slotOf(OpBuilder &b, Location loc, Value turn) {
    return b.createOrFold<arith::RemUIOp>(loc, turn, constant(b, loc, stages));
  }

  /// The parity of the turn's phase, or of the one before.
  Value parityOf(OpBuilder &b, Location loc, Value turn, bool before) {
    Value phase =
        b.createOrFold<arith::DivUIOp>(loc, turn, constant(b, loc, stages));
    if (before)
      phase = b.createOrFold<arith::AddIOp>(loc, phase, constant(b, loc, 1));
    return b.createOrFold<arith::RemUIOp>(loc, phase, constant(b, loc, 2));
  }

  void lowerRing(Value ring, Value memory, bool copies) {
    for (Operation *user : ring.getUsers()) {
      auto slot = cast<SlotOp>(user);
      OpBuilder b(slot);
      slot.getIndexMutable().assign(slotOf(b, slot.getLoc(), slot.getIndex()));
      for (Operation *use : slot->getUsers())
        if (auto copy = dyn_cast<CopyInOp>(use); copy && copies)
          copiesIn.push_back(copy);
    }
    ring.replaceAllUsesWith(memory);
  }

  void lowerTurn(Operation *op, int64_t bytes) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    // Bulk copies arrive by themselves.
    if (isa<CommitOp>(op) && bytes) {
      op->erase();
      return;
    }
    Value turn = op->getOperand(1);
    Value slot = slotOf(b, loc, turn);
    auto role = op->getParentOfType<RoleOp>();
    if (isa<AcquireOp>(op)) {
      WaitOp::create(b, loc, empty, slot, parityOf(b, loc, turn, true));
      if (bytes)
        ExpectOp::create(b, loc, full, slot, bytes);
    } else if (isa<AwaitOp>(op)) {
      WaitOp::create(b, loc, full, slot, parityOf(b, loc, turn, false));
    } else if (isa<CommitOp>(op)) {
      ArriveOp::create(b, loc, full, slot, role.getSingle(),
                       /*cluster=*/false);
    } else {
      // Bulk copies out of the tiles read them after they have begun.
      if (role.getSingle())
        CopyWaitOp::create(b, loc, 0);
      ArriveOp::create(b, loc, empty, slot, role.getSingle(),
                       pipe.getMulticast());
    }
    op->erase();
  }

  PipeOp pipe;
  const int64_t cluster;
  const int64_t stages;
  Value full, empty;
  SmallVector<CopyInOp> copiesIn;
};

struct MaterializeBarriersPass
    : mm01::impl::MaterializeBarriersPassBase<MaterializeBarriersPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    Block &body = kernel.getBody().front();
    auto pipes = llvm::to_vector(body.getOps<PipeOp>());
    if (pipes.empty())
      return;
    for (PipeOp pipe : pipes) {
      if (failed(PipeLowering(pipe, kernel.getCluster()).run()))
        return signalPassFailure();
    }
    OpBuilder b(*body.getOps<RoleOp>().begin());
    ClusterSyncOp::create(b, kernel.getLoc());
    b.setInsertionPoint(body.getTerminator());
    ClusterSyncOp::create(b, kernel.getLoc());
  }
};

} // namespace
