//===- SplitRoles.cpp - splits a sequential program into roles ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Each role gets the operations that name it and the slice of the program that
// they need (RoleSlices.h). What is left of a loop in a role is its control and
// what the role carries through it.
//
// Before: scf.for %t … iter_args(%sum = %zero) {
//           tile.acquire %pipe[%t] {tile.role = "load"} …
//           tile.await %pipe[%t] {tile.role = "compute"}
//           %next = … }
// After:  tile.role "load" registers 40 single {
//           scf.for %t … { tile.acquire %pipe[%t] … } }
//         tile.role "compute" registers 240 {
//           scf.for %t … iter_args(%sum = %zero) {
//             tile.await %pipe[%t] … } }
//
// Requires turns. Test: test/passes/tile/split-roles.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Chips.h"
#include "passes/tile/Passes.h"
#include "passes/tile/RoleSlices.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

namespace mm01 {
#define GEN_PASS_DEF_SPLITROLESPASS
#include "passes/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

/// Registers of a thread that only starts copies.
constexpr int64_t kCopyRegisters = 40;
/// Registers that a role needs beside its tiles: addresses, indices, operands
/// of arithmetic under way.
constexpr int64_t kScalarRegisters = 72;

/// Copies the part of a program that is in a slice.
class SliceCloner {
public:
  SliceCloner(const Slice &slice, OpBuilder &builder)
      : slice(slice), b(builder) {}

  void cloneBlock(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (!slice.contains(&op) || isa<PipeOp>(op))
        continue;
      if (auto loop = dyn_cast<scf::ForOp>(op))
        cloneLoop(loop);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        cloneBranch(branch);
      else
        b.clone(op, map)->removeAttr(kTileRoleAttr);
    }
  }

private:
  SmallVector<unsigned> neededResults(Operation *op) {
    SmallVector<unsigned> needed;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      if (slice.needsResult(op, i))
        needed.push_back(i);
    return needed;
  }

  /// The values of a terminator that are needed.
  SmallVector<Value> yielded(Block &block, ArrayRef<unsigned> needed) {
    SmallVector<Value> values;
    for (unsigned i : needed)
      values.push_back(
          map.lookupOrDefault(block.getTerminator()->getOperand(i)));
    return values;
  }

  void cloneLoop(scf::ForOp loop) {
    SmallVector<unsigned> needed = neededResults(loop);
    SmallVector<Value> initial;
    for (unsigned i : needed)
      initial.push_back(map.lookupOrDefault(loop.getInitArgs()[i]));
    auto bound = [&](Value value) { return map.lookupOrDefault(value); };
    auto copy = scf::ForOp::create(
        b, loop.getLoc(), bound(loop.getLowerBound()),
        bound(loop.getUpperBound()), bound(loop.getStep()), initial,
        [](OpBuilder &, Location, Value, ValueRange) {});
    map.map(loop.getInductionVar(), copy.getInductionVar());
    for (auto [i, index] : llvm::enumerate(needed)) {
      map.map(loop.getRegionIterArg(index), copy.getRegionIterArg(i));
      map.map(loop.getResult(index), copy.getResult(i));
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(copy.getBody());
    cloneBlock(*loop.getBody());
    scf::YieldOp::create(b, loop.getLoc(), yielded(*loop.getBody(), needed));
  }

  void cloneBranch(scf::IfOp branch) {
    SmallVector<unsigned> needed = neededResults(branch);
    SmallVector<Type> types;
    for (unsigned i : needed)
      types.push_back(branch.getResult(i).getType());
    bool hasElse = !branch.getElseRegion().empty();
    auto copy = scf::IfOp::create(b, branch.getLoc(), types,
                                  map.lookupOrDefault(branch.getCondition()),
                                  /*addThenBlock=*/true, hasElse);
    for (auto [i, index] : llvm::enumerate(needed))
      map.map(branch.getResult(index), copy.getResult(i));
    for (auto [from, to] :
         llvm::zip_equal(branch.getRegions(), copy.getRegions())) {
      if (from->empty())
        continue;
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(&to->front());
      cloneBlock(from->front());
      scf::YieldOp::create(b, branch.getLoc(), yielded(from->front(), needed));
    }
  }

  const Slice &slice;
  OpBuilder &b;
  IRMapping map;
};

/// Registers that a thread needs for its elements of a tensor.
int64_t registersOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  int64_t elements = tensor.getRank() == 2
                         ? FragmentLayout{tensor.getDimSize(1)}.registers()
                         : FragmentLayout::rowRegisters;
  return llvm::divideCeil(elements * tensor.getElementTypeBitWidth(), 32);
}

/// Warp groups that hold the tiles of a role together.
int64_t groupsOf(RoleOp role) {
  int64_t rows = FragmentLayout::rows;
  role.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          tensor && tensor.getRank() > 0)
        rows = std::max(rows, tensor.getDimSize(0));
  });
  return llvm::divideCeil(rows, FragmentLayout::rows);
}

/// The most registers that tiles of a role need at once, in its innermost
/// loops; what surrounds them runs less often, and the assembler makes room.
/// Constants and numbers of elements are made again where they are used; any
/// other value lives from its operation to the last that uses it, in the order
/// of the program.
int64_t registersOfTiles(RoleOp role) {
  DenseMap<Operation *, std::pair<int64_t, int64_t>> place;
  int64_t count = 0;
  std::function<void(Operation *)> number = [&](Operation *op) {
    int64_t begin = count++;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        number(&inner);
    place[op] = {begin, count - 1};
  };
  number(role);
  SmallVector<int64_t> live(count + 1);
  auto addLife = [&](Value value, Block *block, int64_t begin) {
    int64_t end = begin;
    for (Operation *user : value.getUsers())
      end = std::max(end, place[block->findAncestorOpInBlock(*user)].second);
    live[begin] += registersOf(value.getType());
    live[end] -= registersOf(value.getType());
  };
  bool loops = false;
  role.walk([&](Operation *op) {
    if (!op->hasTrait<OpTrait::ConstantLike>() && !isa<IotaOp>(op))
      for (Value result : op->getResults())
        addLife(result, op->getBlock(), place[op].first);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      loops = true;
      for (Value argument : loop.getRegionIterArgs())
        addLife(argument, loop.getBody(), place[op].first);
    }
  });
  SmallVector<int64_t> alive(count);
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i)
    alive[i] = sum += live[i];
  auto isInnermost = [](scf::ForOp loop) {
    return loop &&
           !loop.getBody()
                ->walk([](scf::ForOp) { return WalkResult::interrupt(); })
                .wasInterrupted();
  };
  int64_t most = 0;
  role.walk([&](Operation *op) {
    if (!loops || isInnermost(op->getParentOfType<scf::ForOp>()))
      most = std::max(most, alive[place[op].first]);
  });
  return most;
}

struct SplitRolesPass : mm01::impl::SplitRolesPassBase<SplitRolesPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<const Chip *> chosen = chipOf(kernel, chip);
    if (failed(chosen))
      return signalPassFailure();
    const Chip *found = *chosen;
    Block &body = kernel.getBody().front();
    SmallVector<Operation *> sequential;
    for (Operation &op : body.without_terminator())
      if (!isa<PipeOp>(op))
        sequential.push_back(&op);
    OpBuilder b(body.getTerminator());
    SmallVector<RoleOp> groups;
    bool copies = false;
    for (StringRef name : allRoles(kernel)) {
      bool single = isCopyRole(name);
      auto role =
          RoleOp::create(b, kernel.getLoc(), name, kCopyRegisters, single);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&role.getBody().emplaceBlock());
      SliceCloner(sliceOf(kernel, name), b).cloneBlock(body);
      copies |= single;
      if (!single)
        groups.push_back(role);
    }
    for (Operation *op : llvm::reverse(sequential))
      op->erase();
    shareRegisters(groups, copies, *found, kernel.getResident());
  }

private:
  /// Gives each role what its tiles need, and what is left, or missing, to
  /// those that need most. A block begins with an equal share for each thread,
  /// in steps of 8, and roles exchange what they got: a role that asks for more
  /// than others give away waits for ever.
  static void shareRegisters(ArrayRef<RoleOp> groups, bool copies,
                             const Chip &chip, int64_t resident) {
    if (groups.empty())
      return;
    int64_t all = copies;
    for (RoleOp role : groups) {
      role.setGroups(groupsOf(role));
      all += role.getGroups();
    }
    int64_t left =
        llvm::alignDown(chip.registers / resident / (kGroupThreads * all), 8) *
        all;
    if (copies)
      left -= kCopyRegisters;
    SmallVector<RoleOp> greatest;
    int64_t most = -1;
    for (RoleOp role : groups) {
      int64_t tiles = registersOfTiles(role);
      int64_t registers = std::min<int64_t>(
          llvm::alignTo(tiles + kScalarRegisters, 8), chip.registersOfThread);
      role.setRegisters(registers);
      left -= registers * int64_t(role.getGroups());
      if (tiles > most)
        greatest.clear();
      if (tiles >= most) {
        most = tiles;
        greatest.push_back(role);
      }
    }
    int64_t count = 0;
    for (RoleOp role : greatest)
      count += role.getGroups();
    for (RoleOp role : greatest) {
      int64_t registers = int64_t(role.getRegisters()) + left / count;
      role.setRegisters(std::clamp<int64_t>(
          llvm::alignDown(std::max<int64_t>(registers, 0), 8), 24,
          chip.registersOfThread));
    }
  }
};

} // namespace
