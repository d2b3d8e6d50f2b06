//===- OutlineKernels.cpp - make a kernel function of each scf.forall ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host launches kernels; layers of one kind share theirs.
//
// Before: func.func @layer(%x: memref<?x64xf32>, %n: index) {
//           scf.forall (%i, %j) in (%n, 2) { … %x … } {mm01.kernel = "norm"}
// After:  func.func private @layer.norm(%workgroup: index,
//             %x: memref<?x64xf32>) attributes {exec.kernel} {
//           %i = arith.divui %workgroup, 2;  %j = arith.remui %workgroup, 2
//           … %x …
//         func.func @layer(%x: memref<?x64xf32>, %n: index) {
//           %grid = arith.muli %n, 2
//           exec.launch @layer.norm grid(%grid) (%x) : memref<?x64xf32>
//
// Constants and views move into the kernel, all else is captured. Then a kernel
// whose text is that of another goes away. Requires bufferized, normalised
// loops. Tested by test/passes/schedule/outline-kernels.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/Passes.h"
#include "passes/schedule/Workgroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace mm01 {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// True for what a kernel makes again rather than takes as an argument:
/// constants, and views, so that no two arguments are views of one buffer and
/// pointers need not alias.
static bool isRemade(Operation *op) {
  return op &&
         (op->hasTrait<OpTrait::ConstantLike>() ||
          isa<memref::GetGlobalOp, memref::SubViewOp, memref::ExpandShapeOp,
              memref::CollapseShapeOp, memref::CastOp>(op));
}

/// Sorts what a loop uses into arguments of the kernel and operations to be
/// made again in it, each behind those it uses.
static void collect(Value value, llvm::SetVector<Value> &captures,
                    llvm::SetVector<Operation *> &remade) {
  Operation *op = value.getDefiningOp();
  if (!isRemade(op)) {
    captures.insert(value);
    return;
  }
  if (remade.contains(op))
    return;
  for (Value operand : op->getOperands())
    collect(operand, captures, remade);
  remade.insert(op);
}

/// What the function does, in words that do not depend on its name.
static std::string getText(func::FuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << kernel.getFunctionType();
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope();
  for (Operation &op : kernel.getBody().front()) {
    op.print(stream, flags);
    stream << "\n";
  }
  return text;
}

namespace {

struct OutlineKernelsPass
    : mm01::impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      if (exec::isKernel(function))
        continue;
      SmallVector<scf::ForallOp> loops;
      function.walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
        loops.push_back(loop);
        return WalkResult::skip();
      });
      for (scf::ForallOp loop : loops)
        if (failed(outline(function, loop, symbols)))
          return signalPassFailure();
    }
    mergeEqualKernels(symbols);
  }

  LogicalResult outline(func::FuncOp function, scf::ForallOp loop,
                        SymbolTable &symbols) {
    if (!loop.isNormalized())
      return loop.emitError("expected a loop from 0 in steps of 1");
    if (!loop.getOutputs().empty())
      return loop.emitError("has tensor outputs, expected a bufferized loop");

    WalkResult calls = loop.walk([](func::CallOp call) -> WalkResult {
      return call.emitError("kernel calls ")
             << call.getCallee() << ", expected its body in place of the call";
    });
    if (calls.wasInterrupted())
      return failure();

    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    SmallVector<Value> extents = getValueOrCreateConstantIndexOp(
        builder, loc, loop.getMixedUpperBound());
    if (extents.empty())
      return loop.emitError("expected a loop of one dimension or more");
    Value grid = countWorkgroups(builder, loc, extents);

    llvm::SetVector<Value> used, captures;
    llvm::SetVector<Operation *> remade;
    getUsedValuesDefinedAbove(loop.getRegion(), used);
    used.insert(extents.begin() + 1, extents.end());
    for (Value value : used)
      collect(value, captures, remade);

    func::FuncOp kernel = makeKernel(function, loop, captures.getArrayRef(),
                                     remade.getArrayRef(), extents);
    symbols.insert(kernel);
    auto launch = exec::LaunchOp::create(
        builder, loc, SymbolRefAttr::get(kernel), grid, captures.getArrayRef());
    if (Attribute sequences = loop->getAttr(exec::kSequencesAttr))
      launch->setAttr(exec::kSequencesAttr, sequences);
    loop.erase();
    return success();
  }

  /// A function with the body of the loop, not yet in the module.
  func::FuncOp makeKernel(func::FuncOp function, scf::ForallOp loop,
                          ArrayRef<Value> captures,
                          ArrayRef<Operation *> remade,
                          ArrayRef<Value> extents) {
    auto given = loop->getAttrOfType<StringAttr>(kKernelName);
    std::string name = (function.getSymName() + "." +
                        (given ? given.getValue() : StringRef("kernel")))
                           .str();
    // Files of dumps are named by it.
    for (char &c : name)
      if (!llvm::isAlnum(c) && c != '.')
        c = '_';
    OpBuilder builder(&getContext());
    SmallVector<Type> types = {builder.getIndexType()};
    llvm::append_range(types, ValueRange(captures).getTypes());
    auto kernel = func::FuncOp::create(loop.getLoc(), name,
                                       builder.getFunctionType(types, {}));
    kernel.setPrivate();
    kernel->setAttr(exec::kKernelAttr, builder.getUnitAttr());

    Block *entry = kernel.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    IRMapping mapping;
    mapping.map(captures, entry->getArguments().drop_front());
    for (Operation *op : remade)
      builder.clone(*op, mapping);
    SmallVector<Value> inside;
    for (Value extent : extents.drop_front())
      inside.push_back(mapping.lookup(extent));
    inside.insert(inside.begin(), Value());
    mapping.map(
        loop.getInductionVars(),
        unpackWorkgroup(builder, loop.getLoc(), entry->getArgument(0), inside));
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, mapping);
    func::ReturnOp::create(builder, loop.getLoc());
    return kernel;
  }

  void mergeEqualKernels(SymbolTable &symbols) {
    llvm::StringMap<func::FuncOp> known;
    llvm::DenseMap<StringAttr, FlatSymbolRefAttr> kept;
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!exec::isKernel(kernel))
        continue;
      auto [entry, inserted] = known.try_emplace(getText(kernel), kernel);
      if (inserted)
        continue;
      kept[kernel.getSymNameAttr()] =
          FlatSymbolRefAttr::get(entry->second.getSymNameAttr());
      symbols.erase(kernel);
    }
    getOperation().walk([&](exec::LaunchOp launch) {
      auto found = kept.find(launch.getKernelAttr().getAttr());
      if (found != kept.end())
        launch.setKernelAttr(found->second);
    });
  }
};

} // namespace
