//===- TakeItems.cpp - clusters that take items as they are done ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A loop from tile.first_item is every role's, and all roles of a cluster must
// take the same items. The role that copies tiles in is ahead of all others: it
// takes the next item while it works on one, and sends the number to a ring of
// two words in each block of the cluster, from which every role reads it. An
// item's number is a turn like that of any pipe: a role waits for it and
// releases it at once.
//
// Before: tile.role "load" … { scf.for %item = %first to %n step %c1 {…} }
// After:  tile.role "load" … {
//           tile.take … to %words[%c0] signals %full
//           scf.while (%t = %c0) {
//             tile.wait %full[%slot], %parity
//             %item = tile.word %words[%slot]
//             tile.arrive %empty[%slot] single cluster
//             scf.condition(%item < %n) %item, %t
//           } do { tile.take … to %words[%next] signals %full … } }
//
// Requires explicit barriers. Test: test/passes/tile/take-items.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace mm01 {
#define GEN_PASS_DEF_TAKEITEMSPASS
#include "passes/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01::tile;

namespace {

/// Numbers that are on their way or in use at a time.
constexpr int64_t kNumbers = 2;

/// Where numbers of items are sent.
struct Ring {
  Value words, full, empty;
};

Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value slotOf(ImplicitLocOpBuilder &b, Value turn) {
  return arith::RemUIOp::create(b, turn, constant(b, kNumbers));
}

/// The parity of the turn's phase, or of the one before.
Value parityOf(ImplicitLocOpBuilder &b, Value turn, bool before) {
  Value phase = arith::DivUIOp::create(b, turn, constant(b, kNumbers));
  if (before)
    phase = arith::AddIOp::create(b, phase, constant(b, 1));
  return arith::RemUIOp::create(b, phase, constant(b, 2));
}

/// The loop from tile.first_item in a role, if there is one.
FailureOr<scf::ForOp> itemLoop(RoleOp role) {
  scf::ForOp found;
  WalkResult result = role.walk([&](FirstItemOp first) {
    for (Operation *user : first->getUsers()) {
      auto loop = dyn_cast<scf::ForOp>(user);
      if (!loop || loop.getLowerBound() != first || found ||
          loop->getParentOp() != role ||
          !matchPattern(loop.getStep(), m_One())) {
        user->emitOpError("expected one loop by 1 around all that a role does "
                          "with items");
        return WalkResult::interrupt();
      }
      found = loop;
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return found;
}

/// Gives a role's loop the numbers of the ring.
class LoopLowering {
public:
  LoopLowering(RoleOp role, scf::ForOp loop, const Ring &ring, int64_t cluster)
      : role(role), loop(loop), ring(ring), cluster(cluster),
        b(loop.getLoc(), loop) {}

  void run(bool takes) {
    auto first = loop.getLowerBound().getDefiningOp<FirstItemOp>();
    counter = first.getCounter();
    Value zero = constant(b, 0);
    if (takes) {
      // Every cluster finds once that none is left; the last to do so leaves
      // the counter at 0.
      Value blocks = gpu::GridDimOp::create(b, gpu::Dimension::x);
      Value clusters = arith::DivUIOp::create(b, blocks, constant(b, cluster));
      last = arith::SubIOp::create(
          b, arith::AddIOp::create(b, loop.getUpperBound(), clusters),
          constant(b, 1));
      take(zero);
    }
    SmallVector<Value> start{zero};
    llvm::append_range(start, loop.getInitArgs());
    SmallVector<Type> types{b.getIndexType(), b.getIndexType()};
    llvm::append_range(types, loop.getResultTypes());
    auto items = scf::WhileOp::create(
        b, types, start,
        [&](OpBuilder &inner, Location loc, ValueRange carried) {
          read(inner, loc, carried);
        },
        [&](OpBuilder &, Location, ValueRange) {});
    // The body: the item's number and the turn come before what is carried.
    Block *body = items.getAfterBody();
    ValueRange arguments = body->getArguments();
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    b.setInsertionPointToEnd(body);
    Value next = arith::AddIOp::create(b, arguments[1], constant(b, 1));
    if (takes)
      take(next);
    SmallVector<Value> replacements{arguments[0]};
    llvm::append_range(replacements, arguments.drop_front(2));
    for (auto [argument, value] :
         llvm::zip_equal(loop.getBody()->getArguments(), replacements))
      argument.replaceAllUsesWith(value);
    SmallVector<Value> results{next};
    llvm::append_range(results, yield.getOperands());
    yield.erase();
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    b.setInsertionPointToEnd(body);
    scf::YieldOp::create(b, results);
    loop.replaceAllUsesWith(items.getResults().drop_front(2));
    loop.erase();
    if (first.use_empty())
      first.erase();
  }

private:
  void take(Value turn) {
    Value slot = slotOf(b, turn);
    mm01::tile::WaitOp::create(b, ring.empty, slot,
                               parityOf(b, turn, /*before=*/true));
    ExpectOp::create(b, ring.full, slot, 4);
    TakeOp::create(b, counter, last, ring.words, slot, ring.full);
  }

  void read(OpBuilder &inner, Location loc, ValueRange carried) {
    ImplicitLocOpBuilder at(loc, inner);
    Value turn = carried.front(), slot = slotOf(at, turn);
    mm01::tile::WaitOp::create(at, ring.full, slot,
                               parityOf(at, turn, /*before=*/false));
    Value item = WordOp::create(at, at.getIndexType(), ring.words, slot);
    ArriveOp::create(at, ring.empty, slot, role.getSingle(), /*cluster=*/true);
    Value more = arith::CmpIOp::create(at, arith::CmpIPredicate::ult, item,
                                       loop.getUpperBound());
    SmallVector<Value> values{item};
    llvm::append_range(values, carried);
    scf::ConditionOp::create(at, more, values);
  }

  RoleOp role;
  scf::ForOp loop;
  Ring ring;
  int64_t cluster;
  ImplicitLocOpBuilder b;
  Value counter, last;
};

struct TakeItemsPass : mm01::impl::TakeItemsPassBase<TakeItemsPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<std::pair<RoleOp, scf::ForOp>> loops;
    RoleOp taker;
    int64_t arrivals = 0;
    for (RoleOp role : kernel.getBody().getOps<RoleOp>()) {
      FailureOr<scf::ForOp> loop = itemLoop(role);
      if (failed(loop))
        return signalPassFailure();
      if (!*loop)
        continue;
      loops.push_back({role, *loop});
      arrivals += role.getSingle() ? 1 : kGroupWarps;
      if (role.getSingle() && !taker)
        taker = role;
    }
    if (loops.empty())
      return;
    int64_t cluster = kernel.getCluster();
    if (!taker || cluster < 2) {
      kernel.emitOpError("takes items, expected a role of one thread and a "
                         "cluster of two blocks or more");
      return signalPassFailure();
    }
    auto sync = kernel.getBody().getOps<ClusterSyncOp>();
    if (sync.empty()) {
      kernel.emitOpError("takes items, expected explicit barriers");
      return signalPassFailure();
    }
    ImplicitLocOpBuilder b(kernel.getLoc(), *sync.begin());
    auto barriers = BarriersType::get(&getContext(), kNumbers);
    Ring ring;
    ring.words = WordsOp::create(b, WordsType::get(&getContext(), kNumbers));
    ring.full = BarrierOp::create(b, barriers, 1);
    ring.empty = BarrierOp::create(b, barriers, arrivals * cluster);
    for (auto [role, loop] : loops)
      LoopLowering(role, loop, ring, cluster).run(role == taker);
  }
};

} // namespace
