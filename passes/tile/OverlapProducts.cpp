//===- OverlapProducts.cpp - runs products of two iterations together -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Between the two products of an attention stands its softmax, and while
// threads compute that the matrix unit waits. So the loop is turned: each of
// its iterations begins the scores of the next block and the second product of
// this one together, and the softmax of the next follows while the second
// product runs.
//
// Before: scf.for %t = 0 to %n iter_args(%o) {
//           %s = tile.mma %q, %k[%t]
//           %p, %o1 = softmax(%s, %o)
//           %o2 = tile.mma %p, %v[%t] into %o1
//           scf.yield %o2 }
// After:  %s0 = tile.mma %q, %k[0]
//         %p0, %o0 = softmax(%s0, …)
//         scf.for %t = 0 to %n - 1 iter_args(%p, %o1) {
//           %s = tile.mma %q, %k[%t + 1]
//           %o2 = tile.mma %p, %v[%t] into %o1
//           %pn, %on = softmax(%s, %o2)
//           scf.yield %pn, %on }
//         tile.mma %p, %v[%n - 1] into %o1
//
// Requires roles. Test: test/passes/tile/overlap-products.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Overlap.h"
#include "passes/tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace mm01 {
#define GEN_PASS_DEF_OVERLAPPRODUCTSPASS
#include "passes/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

/// True if the loop is known to run at least once: its bound is a maximum with
/// a positive number.
bool runsAtLeastOnce(scf::ForOp loop) {
  APInt number;
  if (!matchPattern(loop.getLowerBound(), m_Zero()) ||
      !matchPattern(loop.getStep(), m_One()))
    return false;
  if (matchPattern(loop.getUpperBound(), m_ConstantInt(&number)))
    return number.isStrictlyPositive();
  auto most = loop.getUpperBound().getDefiningOp<arith::MaxSIOp>();
  return most && llvm::any_of(most->getOperands(), [&](Value operand) {
           return matchPattern(operand, m_ConstantInt(&number)) &&
                  number.isStrictlyPositive();
         });
}

/// The pipe whose tile a buffer is, or null.
Value pipeOf(Value buffer) {
  auto slot = buffer.getDefiningOp<SlotOp>();
  auto pipe = slot ? slot.getRing().getDefiningOp<PipeOp>() : PipeOp();
  return pipe ? pipe.getPipe() : Value();
}

/// A loop and its iteration's two parts: the second product with the turns of
/// what it reads, and all else.
class Rotation {
public:
  Rotation(scf::ForOp loop, Overlap overlap) : loop(loop), overlap(overlap) {
    Value pipe = pipeOf(overlap.second.getB());
    for (Operation &op : *loop.getBody())
      if (&op == overlap.second ||
          (pipe && isa<AwaitOp, ReleaseOp>(op) && op.getOperand(0) == pipe))
        second.insert(&op);
    for (Operation *op : second)
      addCrossing(op);
    for (auto [i, value] :
         llvm::enumerate(loop.getBody()->getTerminator()->getOperands()))
      if (value == overlap.second.getResult())
        closed = i;
  }

  void run() {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    // The first iteration's part.
    IRMapping map;
    map.map(loop.getInductionVar(), loop.getLowerBound());
    for (auto [argument, init] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
      map.map(argument, init);
    SmallVector<Value> carried = first(b, map, [](OpBuilder &) {});
    // Of one iteration the second part, of the next the first.
    Value last = arith::SubIOp::create(b, loc, loop.getUpperBound(), one);
    auto turned = scf::ForOp::create(
        b, loc, loop.getLowerBound(), last, loop.getStep(), carried,
        [](OpBuilder &, Location, Value, ValueRange) {});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(turned.getBody());
      IRMapping next;
      Value ahead =
          arith::AddIOp::create(b, loc, turned.getInductionVar(), one);
      next.map(loop.getInductionVar(), ahead);
      mapCarried(next, turned.getRegionIterArgs());
      SmallVector<Value> values = first(b, next, [&](OpBuilder &at) {
        next.map(
            loop.getRegionIterArg(closed),
            rest(at, turned.getInductionVar(), turned.getRegionIterArgs()));
      });
      scf::YieldOp::create(b, loc, values);
    }
    // The last iteration's second part.
    Value result = rest(b, last, turned.getResults());
    unsigned next = 0;
    for (auto [i, value] : llvm::enumerate(loop.getResults()))
      value.replaceAllUsesWith(i == closed ? result : turned.getResult(next++));
    loop.erase();
  }

private:
  /// Tiles that an operation of the second part takes from the first, and what
  /// the loop carries of which its turns are computed.
  void addCrossing(Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (isa<RankedTensorType>(operand.getType()) ||
          llvm::is_contained(loop.getRegionIterArgs(), operand))
        crossing.insert(operand);
      else if (source && loop->isProperAncestor(source))
        addCrossing(source);
    }
  }

  /// What the turned loop carries: what the loop does but for the second
  /// product's result, then what the second part needs of the first.
  void mapCarried(IRMapping &map, ValueRange values) {
    unsigned next = 0;
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (i != closed)
        map.map(argument, values[next++]);
  }

  /// Clones the first part, calls `afterProduct` behind its product, and
  /// returns what is carried.
  SmallVector<Value> first(OpBuilder &b, IRMapping &map,
                           function_ref<void(OpBuilder &)> afterProduct) {
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (second.contains(&op))
        continue;
      b.clone(op, map);
      if (&op == overlap.first)
        afterProduct(b);
    }
    SmallVector<Value> values;
    for (auto [i, value] :
         llvm::enumerate(loop.getBody()->getTerminator()->getOperands()))
      if (i != closed)
        values.push_back(map.lookupOrDefault(value));
    for (Value value : crossing)
      values.push_back(map.lookupOrDefault(value));
    return values;
  }

  /// Clones the second part of iteration `number` and returns its product.
  Value rest(OpBuilder &b, Value number, ValueRange carried) {
    IRMapping map;
    map.map(loop.getInductionVar(), number);
    for (auto [value, given] :
         llvm::zip_equal(crossing, carried.take_back(crossing.size())))
      map.map(value, given);
    for (Operation *op : second)
      cloneWithSources(b, op, map);
    return map.lookup(overlap.second.getResult());
  }

  /// Clones an operation and the index arithmetic that it needs.
  void cloneWithSources(OpBuilder &b, Operation *op, IRMapping &map) {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && loop->isProperAncestor(source) && !map.contains(operand))
        cloneWithSources(b, source, map);
    }
    b.clone(*op, map);
  }

  scf::ForOp loop;
  Overlap overlap;
  llvm::SetVector<Operation *> second;
  llvm::SetVector<Value> crossing;
  /// Which result of the loop is the second product.
  size_t closed = 0;
};

struct OverlapProductsPass
    : mm01::impl::OverlapProductsPassBase<OverlapProductsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      StringRef reason;
      std::optional<Overlap> overlap = findOverlap(loop, reason);
      if (!overlap)
        continue;
      Value pipe = pipeOf(overlap->second.getB());
      if (pipe && pipe == pipeOf(overlap->first.getB()))
        continue;
      if (runsAtLeastOnce(loop))
        Rotation(loop, *overlap).run();
    }
  }
};

} // namespace
