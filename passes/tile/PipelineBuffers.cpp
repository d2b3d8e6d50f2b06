//===- PipelineBuffers.cpp - gives buffers versions and their uses turns --===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A buffer that a loop allocates anew in each iteration becomes a ring, so that
// the producer can fill the next tiles while consumers still read these. Who
// may touch a tile when is said by turns of a pipe; how that is done is left
// for later.
//
// Before: scf.for %t … {
//           %tile = tile.alloc : !tile.buffer<64x64xbf16>
//           tile.copy_in %from[…] to %tile {tile.role = "load"}
//           tile.copy_out %tile to %to[…] {tile.role = "store"} }
// After:  %pipe, %ring = tile.pipe : !tile.pipe<4>, !tile.buffer<4x64x64xbf16>
//         scf.for %t … {
//           %tile = tile.slot %ring[%t]
//           tile.acquire %pipe[%t] {tile.role = "load"}
//           tile.copy_in %from[…] to %tile {tile.role = "load"}
//           tile.commit %pipe[%t] {tile.role = "load"}
//           tile.await %pipe[%t] {tile.role = "store"}
//           tile.copy_out %tile to %to[…] {tile.role = "store"}
//           tile.release %pipe[%t] {tile.role = "store"} }
//
// Requires roles. Test: test/passes/tile/pipeline-buffers.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Chips.h"
#include "passes/tile/LoopTurns.h"
#include "passes/tile/Overlap.h"
#include "passes/tile/Passes.h"
#include "passes/tile/RoleSlices.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace mm01 {
#define GEN_PASS_DEF_PIPELINEBUFFERSPASS
#include "passes/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01::tile;

namespace {

/// Buffers that take turns together.
struct Group {
  SmallVector<AllocOp> buffers;
  StringRef producer;
  bool multicast = false;

  /// Loops around the buffers.
  int64_t depth() const {
    int64_t loops = 0;
    Operation *op = buffers.front();
    while ((op = op->getParentOfType<scf::ForOp>()))
      ++loops;
    return loops;
  }

  /// Bytes of one turn's tiles.
  int64_t bytes() const {
    int64_t sum = 0;
    for (AllocOp alloc : buffers)
      sum += defaultLayout(alloc.getType()).bytes();
    return sum;
  }

  /// The layout that a buffer will get.
  static SharedLayout defaultLayout(BufferType type) {
    return type
        .withSwizzle(
            chooseSwizzle(type.getColumns() *
                          type.getElementType().getIntOrFloatBitWidth() / 8))
        .getLayout();
  }
};

/// What uses a buffer, or rows of it.
SmallVector<Operation *> usersOf(Value buffer) {
  SmallVector<Operation *> users;
  for (Operation *user : buffer.getUsers())
    if (auto rows = dyn_cast<RowsOp>(user))
      llvm::append_range(users, usersOf(rows));
    else
      users.push_back(user);
  return users;
}

/// The first and last operation of `block` that are, or hold, one of `ops`.
std::pair<Operation *, Operation *> span(Block *block,
                                         ArrayRef<Operation *> ops) {
  Operation *first = nullptr, *last = nullptr;
  for (Operation *op : ops) {
    Operation *here = block->findAncestorOpInBlock(*op);
    if (!first || here->isBeforeInBlock(first))
      first = here;
    if (!last || last->isBeforeInBlock(here))
      last = here;
  }
  return {first, last};
}

struct PipelineBuffersPass
    : mm01::impl::PipelineBuffersPassBase<PipelineBuffersPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<const mm01::Chip *> chosen = mm01::chipOf(getOperation(), chip);
    if (failed(chosen))
      return signalPassFailure();
    const mm01::Chip *found = *chosen;
    turns = mm01::LoopTurns();
    FailureOr<SmallVector<Group>> groups = collect();
    if (failed(groups))
      return signalPassFailure();
    int64_t copied = 0, depth = 0;
    for (Group &group : *groups)
      if (mm01::isCopyRole(group.producer) && group.depth() > 0) {
        copied += group.bytes();
        depth = std::max(depth, group.depth());
      }
    int64_t resident = getOperation().getResident();
    int64_t sharedBytes = found->sharedBytesOf(resident);
    int64_t asked =
        copied ? llvm::divideCeil(found->bytesInFlight() / resident, copied) + 2
               : 0;
    // What threads fill is needed at once by the next role: two tiles, one to
    // fill and one to empty. Where that leaves too little for the copies, one
    // has to do for what is not filled in the innermost loop. What is filled
    // once has one.
    auto versions = [&](Group &group, bool fewer) {
      return group.depth() == 0 || (fewer && group.depth() < depth) ? 1 : 2;
    };
    auto isRepeatedCopy = [](Group &group) {
      return mm01::isCopyRole(group.producer) && group.depth() > 0;
    };
    auto leftWith = [&](bool fewer) {
      int64_t left = sharedBytes - kBarrierSpace;
      for (Group &group : *groups)
        if (!isRepeatedCopy(group))
          left -= versions(group, fewer) * group.bytes();
      return left;
    };
    bool fewer = leftWith(false) < asked * copied;
    int64_t left = leftWith(fewer);
    for (Group &group : *groups) {
      int64_t stages = isRepeatedCopy(group) ? std::min(asked, left / copied)
                                             : versions(group, fewer);
      if (left < 0 || stages < 1) {
        group.buffers.front().emitOpError("does not fit: the tiles of one "
                                          "iteration need more than the ")
            << sharedBytes << " bytes of shared memory of a block";
        return signalPassFailure();
      }
      if (failed(pipeline(group, stages)))
        return signalPassFailure();
    }
  }

private:
  /// Room for barriers.
  static constexpr int64_t kBarrierSpace = 1024;

  FailureOr<SmallVector<Group>> collect() {
    SmallVector<Group> groups;
    // Buffers that one role copies into in one block, those apart that the
    // second of two overlapping products reads.
    llvm::MapVector<std::tuple<Block *, StringRef, unsigned>, size_t> shared;
    WalkResult result = getOperation().walk([&](AllocOp alloc) {
      StringRef producer;
      bool multicast = false;
      for (Operation *user : usersOf(alloc)) {
        if (!isa<CopyInOp, WriteOp>(user))
          continue;
        auto role = user->getAttrOfType<StringAttr>(mm01::kTileRoleAttr);
        if (!role || (!producer.empty() && producer != role.getValue())) {
          user->emitOpError("expected one role for all that fills a buffer");
          return WalkResult::interrupt();
        }
        producer = role.getValue();
        auto copy = dyn_cast<CopyInOp>(user);
        multicast |= copy && copy.getMulticast();
      }
      if (producer.empty()) {
        alloc.emitOpError("is never filled");
        return WalkResult::interrupt();
      }
      size_t index = groups.size();
      if (mm01::isCopyRole(producer))
        index = shared
                    .try_emplace({alloc->getBlock(), producer,
                                  unsigned(isReadLater(alloc))},
                                 index)
                    .first->second;
      if (index == groups.size())
        groups.emplace_back().producer = producer;
      groups[index].buffers.push_back(alloc);
      groups[index].multicast |= multicast;
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    return groups;
  }

  /// True if the products of the loop around a buffer will overlap, and the
  /// second of them reads it: it is read an iteration later than the others.
  static bool isReadLater(AllocOp alloc) {
    auto loop = dyn_cast<scf::ForOp>(alloc->getParentOp());
    StringRef reason;
    std::optional<mm01::Overlap> overlap =
        loop ? mm01::findOverlap(loop, reason) : std::nullopt;
    return overlap && overlap->isOfSecond(alloc);
  }

  LogicalResult pipeline(Group &group, int64_t stages) {
    KernelOp kernel = getOperation();
    Location loc = group.buffers.front().getLoc();
    auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    FailureOr<Value> number =
        turns.turnOf(group.buffers.front()->getBlock(), builder);
    if (failed(number))
      return failure();
    Block *block = group.buffers.front()->getBlock();
    SmallVector<Type> types{PipeType::get(&getContext(), stages)};
    for (AllocOp alloc : group.buffers)
      types.push_back(alloc.getType().getRing(stages));
    auto pipe = PipeOp::create(builder, loc, types, group.multicast);

    SmallVector<Operation *> writes;
    llvm::MapVector<StringRef, SmallVector<Operation *>> reads;
    for (AllocOp alloc : group.buffers)
      for (Operation *user : usersOf(alloc)) {
        if (isa<CopyInOp, WriteOp>(user))
          writes.push_back(user);
        else
          for (StringRef role : mm01::rolesOf(user))
            reads[role].push_back(user);
      }
    auto put = [&](auto kind, StringRef role) {
      auto op = decltype(kind)::create(builder, loc, pipe.getPipe(), *number);
      op->setAttr(mm01::kTileRoleAttr, builder.getStringAttr(role));
    };
    auto [firstWrite, lastWrite] = span(block, writes);
    builder.setInsertionPoint(firstWrite);
    put(AcquireOp(), group.producer);
    builder.setInsertionPointAfter(lastWrite);
    put(CommitOp(), group.producer);
    for (auto &[role, ops] : reads) {
      auto [firstRead, lastRead] = span(block, ops);
      builder.setInsertionPoint(firstRead);
      put(AwaitOp(), role);
      builder.setInsertionPointAfter(lastRead);
      put(ReleaseOp(), role);
    }
    for (auto [alloc, ring] : llvm::zip_equal(group.buffers, pipe.getRings())) {
      builder.setInsertionPoint(alloc);
      Value slot = SlotOp::create(builder, alloc.getLoc(), alloc.getType(),
                                  ring, *number);
      alloc.replaceAllUsesWith(slot);
      alloc.erase();
    }
    return success();
  }

  mm01::LoopTurns turns;
};

} // namespace
