//===- FuseLaunches.cpp - make one launch of kernels that share no data ---===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch ends when its last workgroup does; kernels that need not wait for
// each other should not.
//
// Before: scf.forall (%i, %j) in (%t, 24) { A } {mm01.kernel = "q"}
//         scf.forall (%i, %j) in (%t, 8) { B } {mm01.kernel = "gate"}
// After:  %first = arith.muli %t, 24;  %second = arith.muli %t, 8
//         %grid = arith.addi %first, %second
//         scf.forall (%w) in (%grid) {
//           %mine = arith.cmpi ult, %w, %first
//           scf.if %mine { A for workgroup %w } else { B for %w - %first }
//         } {mm01.kernel = "q|gate"}
//
// Requires bufferized, normalised loops. Tested by
// test/passes/schedule/fuse-launches.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/Switch.h"
#include "passes/schedule/Passes.h"
#include "passes/schedule/Workgroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mm01 {
#define GEN_PASS_DEF_FUSELAUNCHESPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

static bool isKernelLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForallOp>(op);
  return loop && loop->hasAttr(kKernelName) && loop.isNormalized() &&
         loop.getOutputs().empty() && loop.getRank() > 0;
}

namespace {

/// What an operation, with all inside it, does to memory that was there before.
class Accesses {
public:
  Accesses(Operation *op, const BufferViewFlowAnalysis &flow)
      : op(op), flow(flow) {
    auto effects = getEffectsRecursively(op);
    isKnown = effects && llvm::all_of(*effects, [&](const Effect &effect) {
                return isa<MemoryEffects::Allocate>(effect.getEffect()) ||
                       add(effect);
              });
  }

  /// True where the order of the two does not matter.
  bool canPass(const Accesses &other) const {
    auto meet = [](const Origins &a, const Origins &b) {
      return llvm::any_of(a, [&](Value value) { return b.contains(value); });
    };
    return isKnown && other.isKnown && !meet(writes, other.writes) &&
           !meet(writes, other.reads) && !meet(reads, other.writes);
  }

private:
  using Effect = MemoryEffects::EffectInstance;
  using Origins = llvm::DenseSet<Value>;

  /// False where the effect may be on any memory.
  bool add(const Effect &effect) {
    if (!effect.getValue())
      return false;
    bool isRead = isa<MemoryEffects::Read>(effect.getEffect());
    for (Value origin : flow.resolveReverse(effect.getValue())) {
      if (!flow.mayBeTerminalBuffer(origin))
        continue;
      Operation *made = origin.getDefiningOp();
      if (isa_and_present<exec::WeightPartOp, exec::WeightScalesOp,
                          memref::GetGlobalOp>(made)) {
        if (!isRead) // nobody may
          return false;
        continue;
      }
      bool isArgument =
          !made && isa<func::FuncOp>(origin.getParentBlock()->getParentOp());
      if (!isArgument && !(made && hasEffect<MemoryEffects::Allocate>(made)))
        return false;
      if (made && op->isProperAncestor(made))
        continue;
      (isRead ? reads : writes).insert(origin);
    }
    return true;
  }

  Operation *op;
  const BufferViewFlowAnalysis &flow;
  Origins reads, writes;
  bool isKnown;
};

} // namespace

/// The operations of the block, in order, that must be moved before `place` for
/// `kernel` to be there; fails where one of them cannot.
static FailureOr<llvm::SetVector<Operation *>>
findOperandsAfter(scf::ForallOp kernel, Operation *place) {
  llvm::SetVector<Operation *> found;
  SmallVector<Operation *> open = {kernel};
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    llvm::SetVector<Value> used;
    used.insert_range(op->getOperands());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used) {
      Operation *made = value.getDefiningOp();
      if (!made || made->getBlock() != place->getBlock() ||
          made->isBeforeInBlock(place) || !found.insert(made))
        continue;
      if (!isPure(made) && !isa<memref::AllocOp>(made))
        return failure();
      open.push_back(made);
    }
  }
  SmallVector<Operation *> sorted = found.takeVector();
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return llvm::SetVector<Operation *>(sorted.begin(), sorted.end());
}

/// The first kernel before `kernel` that it can join.
static scf::ForallOp findPartner(scf::ForallOp kernel, IRRewriter &rewriter) {
  BufferViewFlowAnalysis flow(kernel->getParentOfType<func::FuncOp>());
  Accesses own(kernel, flow);
  scf::ForallOp partner;
  for (Operation *op = kernel->getPrevNode(); op; op = op->getPrevNode()) {
    if (!own.canPass(Accesses(op, flow))) {
      (void)rewriter.notifyMatchFailure(
          op, "shares memory with the kernel, or its effects are not known");
      break;
    }
    if (!isKernelLoop(op))
      continue;
    if (failed(findOperandsAfter(kernel, op))) {
      (void)rewriter.notifyMatchFailure(
          op, "a value that the kernel uses cannot be made before this one");
      break;
    }
    partner = cast<scf::ForallOp>(op);
  }
  return partner;
}

/// Puts the body of a kernel where the builder is, for one workgroup of it.
static void writeBody(OpBuilder &builder, scf::ForallOp kernel, Value workgroup,
                      ArrayRef<Value> extents) {
  IRMapping mapping;
  mapping.map(kernel.getInductionVars(),
              unpackWorkgroup(builder, kernel.getLoc(), workgroup, extents));
  for (Operation &op : kernel.getBody()->without_terminator())
    builder.clone(op, mapping);
}

/// One kernel in the place of the first.
static void fuse(IRRewriter &rewriter, scf::ForallOp first,
                 scf::ForallOp second) {
  Location loc = first.getLoc();
  FailureOr<llvm::SetVector<Operation *>> late =
      findOperandsAfter(second, first);
  for (Operation *op : *late)
    rewriter.moveOpBefore(op, first);
  rewriter.setInsertionPoint(first);
  auto extentsOf = [&](scf::ForallOp kernel) {
    return getValueOrCreateConstantIndexOp(rewriter, loc,
                                           kernel.getMixedUpperBound());
  };
  SmallVector<Value> extents = extentsOf(first), others = extentsOf(second);
  Value count = countWorkgroups(rewriter, loc, extents);
  Value grid = arith::AddIOp::create(rewriter, loc, count,
                                     countWorkgroups(rewriter, loc, others));
  std::optional<ArrayAttr> mapping = first.getMapping();
  if (mapping)
    mapping = rewriter.getArrayAttr(mapping->getValue().take_front());
  auto fused = scf::ForallOp::create(rewriter, loc, OpFoldResult(grid),
                                     ValueRange(), mapping);
  auto name = [](scf::ForallOp kernel) {
    return kernel->getAttrOfType<StringAttr>(kKernelName).getValue();
  };
  fused->setAttr(kKernelName,
                 rewriter.getStringAttr(name(first) + "|" + name(second)));
  rewriter.setInsertionPointToStart(fused.getBody());
  Value workgroup = fused.getInductionVar(0);
  Value isFirst = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ult, workgroup, count);
  auto branch = scf::IfOp::create(rewriter, loc, isFirst, /*withElse=*/true);
  OpBuilder then = branch.getThenBodyBuilder();
  writeBody(then, first, workgroup, extents);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  writeBody(otherwise, second,
            arith::SubIOp::create(otherwise, loc, workgroup, count), others);
  rewriter.eraseOp(second);
  rewriter.eraseOp(first);
}

namespace {

struct FuseLaunchesPass : mm01::impl::FuseLaunchesPassBase<FuseLaunchesPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!wantsFusion(getOperation(), "launches"))
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForallOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        for (Operation &op : block)
          if (isKernelLoop(&op))
            kernels.push_back(cast<scf::ForallOp>(op));
    for (scf::ForallOp kernel : kernels)
      if (scf::ForallOp partner = findPartner(kernel, rewriter))
        fuse(rewriter, partner, kernel);
  }
};

} // namespace
