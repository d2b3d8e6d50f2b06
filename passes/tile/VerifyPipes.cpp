//===- VerifyPipes.cpp - that roles keep to their turns -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Roles wait for each other through pipes alone and their control flow depends
// on nothing but how often loops run. Such programs behave the same however
// fast each role goes (they are Kahn process networks), so running them once
// for a number of iterations shows all that can happen with it. Turns repeat
// with the stages of the pipes: after twice the most stages nothing new
// happens, so every number of iterations up to that is run.
//
// Refused: tile.release %pipe[%t] before the tile.mma_wait of a product that
// reads
//          a tile of turn %t
//
// Requires roles, and turns that are arithmetic on iterations.
// Test: test/passes/tile/verify-pipes.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Passes.h"
#include "passes/tile/RoleTrace.h"

#include "llvm/ADT/MapVector.h"

namespace mm01 {
#define GEN_PASS_DEF_VERIFYPIPESPASS
#include "passes/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

/// Where one role stands with one pipe.
struct Turns {
  /// Turns that it has begun (acquired or awaited) and ended (committed,
  /// released).
  int64_t begun = 0, ended = 0;
};

/// A role at some point of its trace.
struct Runner {
  RoleOp role;
  SmallVector<RoleStep> steps;
  size_t next = 0;
  llvm::MapVector<Value, Turns> produces, consumes;
  /// Products that may still read: groups in order, the open one last.
  std::vector<SmallVector<RoleStep>> products{{}};

  bool done() const { return next == steps.size(); }
};

class Simulation {
public:
  LogicalResult add(RoleOp role, int64_t iterations) {
    FailureOr<SmallVector<RoleStep>> steps = traceRole(role, iterations);
    if (failed(steps))
      return failure();
    Runner &runner = runners.emplace_back();
    runner.role = role;
    runner.steps = std::move(*steps);
    for (const RoleStep &step : runner.steps) {
      if (step.kind == RoleStep::acquire)
        runner.produces.insert({step.pipe, {}});
      if (step.kind == RoleStep::await)
        runner.consumes.insert({step.pipe, {}});
    }
    return success();
  }

  LogicalResult run() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (Runner &runner : runners)
        while (!runner.done() && mayGoOn(runner)) {
          if (failed(take(runner, runner.steps[runner.next++])))
            return failure();
          moved = true;
        }
    }
    for (Runner &runner : runners)
      if (!runner.done())
        return runner.steps[runner.next].op->emitOpError("waits for ever for "
                                                         "turn ")
               << runner.steps[runner.next].turn;
    return checkEnds();
  }

private:
  /// Turns of a pipe that are full, and that all consumers have released.
  int64_t full(Value pipe) {
    for (Runner &runner : runners)
      if (auto turns = runner.produces.find(pipe);
          turns != runner.produces.end())
        return turns->second.ended;
    return 0;
  }
  int64_t empty(Value pipe) {
    int64_t least = INT64_MAX;
    for (Runner &runner : runners)
      if (auto turns = runner.consumes.find(pipe);
          turns != runner.consumes.end())
        least = std::min(least, turns->second.ended);
    return least == INT64_MAX ? 0 : least;
  }

  bool mayGoOn(Runner &runner) {
    const RoleStep &step = runner.steps[runner.next];
    if (step.kind == RoleStep::acquire)
      return step.turn - cast<PipeType>(step.pipe.getType()).getStages() <
             empty(step.pipe);
    if (step.kind == RoleStep::await)
      return step.turn < full(step.pipe);
    return true;
  }

  static LogicalResult begin(Turns &turns, const RoleStep &step) {
    if (step.turn != turns.begun)
      return step.op->emitOpError("begins turn ")
             << step.turn << ", expected turn " << turns.begun;
    ++turns.begun;
    return success();
  }

  static LogicalResult end(Turns &turns, const RoleStep &step) {
    if (step.turn != turns.ended || step.turn >= turns.begun)
      return step.op->emitOpError("ends turn ")
             << step.turn << ", expected turn " << turns.ended
             << ", begun before";
    ++turns.ended;
    return success();
  }

  static LogicalResult isOpen(const llvm::MapVector<Value, Turns> &all,
                              const RoleStep &step) {
    auto turns = all.find(step.pipe);
    if (turns == all.end() || step.turn < turns->second.ended ||
        step.turn >= turns->second.begun)
      return step.op->emitOpError("uses a tile of turn ")
             << step.turn << " outside of the turn";
    return success();
  }

  static LogicalResult take(Runner &runner, const RoleStep &step) {
    switch (step.kind) {
    case RoleStep::acquire:
      return begin(runner.produces[step.pipe], step);
    case RoleStep::commit:
      return end(runner.produces[step.pipe], step);
    case RoleStep::await:
      return begin(runner.consumes[step.pipe], step);
    case RoleStep::release:
      for (ArrayRef<RoleStep> group : runner.products)
        for (const RoleStep &product : group)
          if (product.pipe == step.pipe && product.turn == step.turn)
            return step.op->emitOpError("releases turn ")
                   << step.turn << " while a product may read it";
      return end(runner.consumes[step.pipe], step);
    case RoleStep::write:
      return isOpen(runner.produces, step);
    case RoleStep::read:
      return isOpen(runner.consumes, step);
    case RoleStep::product:
      runner.products.back().push_back(step);
      return isOpen(runner.consumes, step);
    case RoleStep::closeGroup:
      runner.products.emplace_back();
      return success();
    case RoleStep::waitGroups: {
      int64_t complete = int64_t(runner.products.size()) - 1 - step.turn;
      if (complete > 0)
        runner.products.erase(runner.products.begin(),
                              runner.products.begin() + complete);
      return success();
    }
    }
    return success();
  }

  /// Each turn that was begun has ended, and each that was filled was emptied.
  LogicalResult checkEnds() {
    for (Runner &runner : runners) {
      for (auto &[pipe, turns] : runner.produces)
        if (turns.begun != turns.ended)
          return runner.role.emitOpError("acquires ")
                 << turns.begun << " turns of a pipe and commits "
                 << turns.ended;
      for (auto &[pipe, turns] : runner.consumes)
        if (turns.begun != turns.ended || turns.ended != full(pipe))
          return runner.role.emitOpError("awaits ")
                 << turns.begun << " and releases " << turns.ended
                 << " turns of a pipe of which " << full(pipe) << " are filled";
    }
    return success();
  }

  std::vector<Runner> runners;
};

struct VerifyPipesPass : mm01::impl::VerifyPipesPassBase<VerifyPipesPass> {
  using Base::Base;

  void runOnOperation() override {
    Region &body = getOperation().getBody();
    int64_t most = 1;
    for (PipeOp pipe : body.getOps<PipeOp>())
      most = std::max(most, pipe.getPipe().getType().getStages());
    for (int64_t iterations = 0; iterations <= 2 * most + 1; ++iterations) {
      Simulation simulation;
      for (RoleOp role : body.getOps<RoleOp>())
        if (failed(simulation.add(role, iterations)))
          return signalPassFailure();
      if (failed(simulation.run()))
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
