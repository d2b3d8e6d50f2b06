//===- ScheduleProducts.cpp - lets products run while a role goes on ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The matrix unit works beside the threads that gave it a product, and
// completes products in order. So a thread may go on until it needs a result,
// and it waits by the number of younger products that may still be under way.
//
// Before: %o = tile.mma %state, %q
//         %s = tile.mma %v, %k into %sum
//         %scaled = arith.mulf %o, %decay
// After:  tile.mma_fence …
//         %o = tile.mma %state, %q
//         tile.mma_commit
//         tile.mma_fence …
//         %s = tile.mma %v, %k into %sum
//         tile.mma_commit
//         %o1 = tile.mma_wait 1, %o
//         %scaled = arith.mulf %o1, %decay
//         …
//         %s1 = tile.mma_wait 0, %s
//
// Requires roles. Test: test/passes/tile/schedule-products.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Passes.h"

namespace mm01 {
#define GEN_PASS_DEF_SCHEDULEPRODUCTSPASS
#include "passes/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01::tile;

namespace {

/// A product that has begun and is not known to be complete.
struct Flight {
  MmaOp product;
  /// What stands behind its completion.
  SmallVector<ReleaseOp> releases;
};

bool holdsProduct(Operation *op) {
  return op->walk([](MmaOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The pipe and turn whose tile an operand of a product is, if it is one.
std::pair<Value, Value> turnOf(Value operand) {
  if (auto rows = operand.getDefiningOp<RowsOp>())
    operand = rows.getTile();
  auto slot = operand.getDefiningOp<SlotOp>();
  auto pipe = slot ? slot.getRing().getDefiningOp<PipeOp>() : PipeOp();
  if (!pipe)
    return {};
  return {pipe.getPipe(), slot.getIndex()};
}

class BlockScheduler {
public:
  explicit BlockScheduler(Block &block) : block(block) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto product = dyn_cast<MmaOp>(op))
        begin(product);
      else if (auto release = dyn_cast<ReleaseOp>(op))
        postpone(release);
      else if (holdsProduct(&op))
        nest(&op);
      else if (size_t count = needed(&op))
        wait(&op, count);
    }
    if (flights.empty())
      return;
    if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
      wait(&block.back(), flights.size());
    else
      waitAtEnd();
  }

private:
  /// Begins a product as a group of its own.
  void begin(MmaOp product) {
    SmallVector<OpOperand *> registers;
    if (isa<RankedTensorType>(product.getA().getType()))
      registers.push_back(&product.getAMutable());
    if (product.getAccumulator() && !goesOn(product.getAccumulator()))
      registers.push_back(&product.getAccumulatorMutable()[0]);
    size_t count = 0;
    for (OpOperand *operand : registers)
      count = std::max(count, flightsUpTo(operand->get()));
    if (count)
      wait(product, count);
    OpBuilder b(product);
    SmallVector<Value> values;
    for (OpOperand *operand : registers)
      values.push_back(operand->get());
    auto fence = MmaFenceOp::create(b, product.getLoc(),
                                    ValueRange(values).getTypes(), values);
    for (auto [operand, value] : llvm::zip_equal(registers, fence.getResults()))
      operand->set(value);
    b.setInsertionPointAfter(product);
    MmaCommitOp::create(b, product.getLoc());
    flights.push_back({product, {}});
  }

  /// True for the result of a product that the next product alone uses, as its
  /// accumulator: the unit itself keeps the order of the two.
  static bool goesOn(Value accumulator) {
    if (!accumulator.getDefiningOp<MmaOp>() || !accumulator.hasOneUse())
      return false;
    auto next = dyn_cast<MmaOp>(*accumulator.user_begin());
    return next && next.getAccumulator() == accumulator;
  }

  /// How many of the oldest flights must be complete for `value` to be there.
  size_t flightsUpTo(Value value) {
    for (size_t i = flights.size(); i > 0; --i)
      if (flights[i - 1].product.getResult() == value)
        return i;
    return 0;
  }

  /// The same for all that an operation uses, inside its regions too.
  size_t needed(Operation *op) {
    size_t count = 0;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        count = std::max(count, flightsUpTo(operand));
    });
    return count;
  }

  /// A release goes behind the youngest product that reads the turn's tiles.
  void postpone(ReleaseOp release) {
    std::pair<Value, Value> turn{release.getPipe(), release.getTurn()};
    for (Flight &flight : llvm::reverse(flights))
      if (turnOf(flight.product.getA()) == turn ||
          turnOf(flight.product.getB()) == turn) {
        flight.releases.push_back(release);
        return;
      }
  }

  void nest(Operation *op) {
    if (!flights.empty())
      wait(op, flights.size());
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        BlockScheduler(inner).run();
  }

  void waitAtEnd() {
    OpBuilder b = OpBuilder::atBlockEnd(&block);
    emitWait(b, block.getParentOp()->getLoc(), flights.size());
  }

  /// Waits before `op` until the oldest `count` flights are complete.
  void wait(Operation *op, size_t count) {
    OpBuilder b(op);
    emitWait(b, op->getLoc(), count);
  }

  void emitWait(OpBuilder &b, Location loc, size_t count) {
    SmallVector<Value> values;
    for (Flight &flight : MutableArrayRef(flights).take_front(count))
      if (!goesOn(flight.product.getResult()))
        values.push_back(flight.product.getResult());
    auto wait = MmaWaitOp::create(b, loc, ValueRange(values).getTypes(),
                                  flights.size() - count, values);
    for (auto [value, done] : llvm::zip_equal(values, wait.getResults()))
      value.replaceAllUsesExcept(done, wait);
    Operation *last = wait;
    for (Flight &flight : MutableArrayRef(flights).take_front(count))
      for (ReleaseOp release : flight.releases) {
        release->moveAfter(last);
        last = release;
      }
    flights.erase(flights.begin(), flights.begin() + count);
  }

  Block &block;
  SmallVector<Flight> flights;
};

struct ScheduleProductsPass
    : mm01::impl::ScheduleProductsPassBase<ScheduleProductsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      BlockScheduler(block).run();
  }
};

} // namespace
