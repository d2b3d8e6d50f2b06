//===- RoleTrace.cpp - what a role does to pipes, step by step ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/RoleTrace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

/// True for operations that make steps, or hold such.
bool matters(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<AcquireOp, CommitOp, AwaitOp, ReleaseOp, CopyInOp, CopyOutOp,
                   WriteOp, ReadOp, MmaOp, MmaCommitOp, MmaWaitOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

class Tracer {
public:
  explicit Tracer(int64_t iterations) : iterations(iterations) {}

  LogicalResult run(Block &block) {
    for (Operation &op : block)
      if (failed(run(&op)))
        return failure();
    return success();
  }

  SmallVector<RoleStep> steps;

private:
  LogicalResult run(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return matters(op) ? runLoop(loop) : success();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (!matters(op))
        return success();
      std::optional<int64_t> condition = evaluate(branch.getCondition());
      if (!condition)
        return op->emitOpError("holds steps of a pipe under a condition that "
                               "depends on more than the iteration");
      Region &taken =
          *condition ? branch.getThenRegion() : branch.getElseRegion();
      return taken.empty() ? success() : run(taken.front());
    }
    if (isa<AcquireOp>(op))
      return turn(RoleStep::acquire, op);
    if (isa<CommitOp>(op))
      return turn(RoleStep::commit, op);
    if (isa<AwaitOp>(op))
      return turn(RoleStep::await, op);
    if (isa<ReleaseOp>(op))
      return turn(RoleStep::release, op);
    if (isa<MmaCommitOp>(op))
      steps.push_back({RoleStep::closeGroup, op, {}});
    if (auto wait = dyn_cast<MmaWaitOp>(op))
      steps.push_back(
          {RoleStep::waitGroups, op, {}, int64_t(wait.getPending())});
    if (isa<CopyInOp, WriteOp>(op))
      return touch(RoleStep::write, op);
    if (isa<CopyOutOp, ReadOp>(op))
      return touch(RoleStep::read, op);
    if (isa<MmaOp>(op))
      return touch(RoleStep::product, op);
    return success();
  }

  LogicalResult runLoop(scf::ForOp loop) {
    std::optional<int64_t> first = evaluate(loop.getLowerBound());
    std::optional<int64_t> step = evaluate(loop.getStep());
    std::optional<int64_t> end = evaluate(loop.getUpperBound());
    if (step && *step <= 0)
      return loop.emitOpError(
          "holds steps of a pipe, expected a positive step");
    bool known = first && step && end;
    if (!end && first && step)
      end = assumeBound(loop.getUpperBound(), *first + unknownRounds() * *step);
    int64_t rounds =
        end && first && step
            ? std::max<int64_t>(0, (*end - *first + *step - 1) / *step)
            : unknownRounds();
    set(loop.getRegionIterArgs(), evaluateAll(loop.getInitArgs()));
    for (int64_t i = 0; i < rounds; ++i) {
      set(loop.getInductionVar(),
          first && step ? std::optional(*first + i * *step) : std::nullopt);
      if (!known)
        unknown.push_back(i);
      size_t before = assumed.size();
      LogicalResult ran = run(*loop.getBody());
      if (!known)
        unknown.pop_back();
      if (failed(ran))
        return failure();
      SmallVector<Number> yielded = evaluateAll(loop.getYieldedValues());
      while (assumed.size() > before)
        numbers.erase(assumed.pop_back_val());
      set(loop.getRegionIterArgs(), yielded);
    }
    set(loop.getResults(), evaluateAll(loop.getRegionIterArgs()));
    return success();
  }

  /// The value of a bound of which something is unknown, if that makes the
  /// bound `number` but for constants that are added to it or least values of
  /// it. What other loops and turns compute from it in this round follows.
  std::optional<int64_t> assumeBound(Value bound, int64_t number) {
    Value unknown = bound;
    while (Operation *op = unknown.getDefiningOp()) {
      if (!isa<arith::AddIOp, arith::SubIOp, arith::MaxSIOp>(op) ||
          !evaluate(op->getOperand(1)))
        break;
      unknown = op->getOperand(0);
    }
    numbers[unknown] = number;
    assumed.push_back(unknown);
    return evaluate(bound);
  }

  /// How often a loop of unknown length runs here. In such a loop it differs
  /// from round to round, and is 0 in the first.
  int64_t unknownRounds() const {
    return unknown.empty() ? iterations
                           : (iterations - unknown.back()) % iterations;
  }

  using Number = std::optional<int64_t>;

  SmallVector<Number> evaluateAll(ValueRange values) {
    return llvm::map_to_vector(values,
                               [&](Value value) { return evaluate(value); });
  }

  void set(Value value, Number number) {
    if (number)
      numbers[value] = *number;
    else
      numbers.erase(value);
  }

  void set(ValueRange values, ArrayRef<Number> known) {
    for (auto [value, number] : llvm::zip_equal(values, known))
      set(value, number);
  }

  LogicalResult turn(RoleStep::Kind kind, Operation *op) {
    std::optional<int64_t> number = evaluate(op->getOperand(1));
    if (!number)
      return op->emitOpError("has a turn that depends on more than the "
                             "iteration");
    steps.push_back({kind, op, op->getOperand(0), *number});
    return success();
  }

  /// The tiles of rings that an operation uses.
  LogicalResult touch(RoleStep::Kind kind, Operation *op) {
    for (Value operand : op->getOperands()) {
      if (auto rows = operand.getDefiningOp<RowsOp>())
        operand = rows.getTile();
      auto slot = operand.getDefiningOp<SlotOp>();
      auto pipe = slot ? slot.getRing().getDefiningOp<PipeOp>() : PipeOp();
      if (!pipe)
        continue;
      std::optional<int64_t> number = evaluate(slot.getIndex());
      if (!number)
        return slot.emitOpError("has a turn that depends on more than the "
                                "iteration");
      steps.push_back({kind, op, pipe.getPipe(), *number});
    }
    return success();
  }

  /// The value of arithmetic on numbers of iterations and constants.
  std::optional<int64_t> evaluate(Value value) {
    if (auto known = numbers.find(value); known != numbers.end())
      return known->second;
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() != 2)
      return std::nullopt;
    std::optional<int64_t> a = evaluate(op->getOperand(0));
    std::optional<int64_t> b = evaluate(op->getOperand(1));
    if (!a || !b)
      return std::nullopt;
    if (isa<arith::AddIOp>(op))
      return *a + *b;
    if (isa<arith::SubIOp>(op))
      return *a - *b;
    if (isa<arith::MulIOp>(op))
      return *a * *b;
    if (isa<arith::MaxSIOp>(op))
      return std::max(*a, *b);
    if (isa<arith::DivUIOp>(op) && *a >= 0 && *b > 0)
      return *a / *b;
    if (isa<arith::RemUIOp>(op) && *a >= 0 && *b > 0)
      return *a % *b;
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return arith::applyCmpPredicate(compare.getPredicate(),
                                      APInt(64, *a, true), APInt(64, *b, true));
    return std::nullopt;
  }

  int64_t iterations;
  DenseMap<Value, int64_t> numbers;
  /// Values among them that are unknown, but for what was made of them.
  SmallVector<Value> assumed;
  /// Rounds of the loops of unknown length that are under way.
  SmallVector<int64_t> unknown;
};

} // namespace

FailureOr<SmallVector<RoleStep>> mm01::traceRole(RoleOp role,
                                                 int64_t iterations) {
  Tracer tracer(iterations);
  if (failed(tracer.run(role.getBody().front())))
    return failure();
  return std::move(tracer.steps);
}
