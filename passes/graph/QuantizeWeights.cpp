//===- QuantizeWeights.cpp - makes weights of linear maps int8 --*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which weights are int8; the runtime quantises them when it binds
// them. Only types change: of parameters, and of the arguments by which they
// reach their ops.
//
//     module attributes {mm01.quantize = "int8"} {
//       mm01.parameter @w : !mm01.weight<96x64xbf16> from [#mm01.source<…>]
//       func.func @f(…, %w: !mm01.weight<96x64xbf16> {mm01.parameter = @w}, …)
//         mm01.linear %x, %w into %out
//   becomes
//       mm01.parameter @w : !mm01.weight<96x64xi8> from [#mm01.source<…>]
//           stored bf16
//       func.func @f(…, %w: !mm01.weight<96x64xi8> {mm01.parameter = @w}, …)
//
// Test: test/passes/graph/quantize-weights.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Passes.h"

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mm01 {
#define GEN_PASS_DEF_QUANTIZEWEIGHTSPASS
#include "passes/graph/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// The function that a call runs, if its body is known.
static FunctionOpInterface calleeOf(CallOpInterface call) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  return callee && !callee.isExternal() ? callee : FunctionOpInterface();
}

namespace {

/// The linear maps whose results decide the routing: the nearest ones that the
/// logits of a mm01.route are computed from.
class RouterGates {
public:
  explicit RouterGates(ModuleOp module) {
    SmallVector<Value> values;
    module->walk([&](RouteOp route) { values.push_back(route.getLogits()); });
    while (!values.empty()) {
      Operation *op = values.pop_back_val().getDefiningOp();
      if (op && seen.insert(op).second && !isa<LinearOp>(op))
        llvm::append_range(values, op->getOperands());
    }
  }

  bool contains(LinearOp linear) const { return seen.contains(linear); }

private:
  llvm::SmallPtrSet<Operation *, 16> seen;
};

/// Sets of function arguments and parameters that must have one type, because
/// a call passes one to the other or because they are bound to each other.
class WeightGroups {
public:
  explicit WeightGroups(ModuleOp module) {
    module->walk([&](FunctionOpInterface function) {
      for (auto [index, argument] : llvm::enumerate(function.getArguments()))
        if (isa<WeightType>(argument.getType()))
          addArgument(function, index, argument);
    });
    module->walk([&](CallOpInterface call) {
      FunctionOpInterface callee = calleeOf(call);
      if (!callee)
        return;
      for (auto [passed, argument] :
           llvm::zip(call.getArgOperands(), callee.getArguments()))
        if (isa<WeightType>(argument.getType()))
          groups.unionSets(passed.getAsOpaquePointer(),
                           argument.getAsOpaquePointer());
    });
  }

  ArrayRef<BlockArgument> getArguments() const { return arguments; }

  /// The name of the argument's group; valid as long as the groups are.
  const void *leaderOf(BlockArgument argument) const {
    return groups.getLeaderValue(argument.getAsOpaquePointer());
  }

private:
  void addArgument(FunctionOpInterface function, unsigned index,
                   BlockArgument argument) {
    arguments.push_back(argument);
    groups.insert(argument.getAsOpaquePointer());
    auto symbol =
        function.getArgAttrOfType<FlatSymbolRefAttr>(index, kParameterAttr);
    if (!symbol)
      return;
    Operation *parameter =
        SymbolTable::lookupNearestSymbolFrom<ParameterOp>(function, symbol);
    groups.unionSets(argument.getAsOpaquePointer(), parameter);
  }

  SmallVector<BlockArgument> arguments;
  llvm::EquivalenceClasses<const void *> groups;
};

struct QuantizeWeightsPass
    : mm01::impl::QuantizeWeightsPassBase<QuantizeWeightsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Attribute wanted = module->getAttr(kQuantizeAttr);
    if (!wanted)
      return markAllAnalysesPreserved();
    auto kind = dyn_cast<StringAttr>(wanted);
    if (!kind || (kind != "int8" && kind != "int8-experts")) {
      module.emitError("'mm01.quantize' is ")
          << wanted << ", expected \"int8\" or \"int8-experts\"";
      return signalPassFailure();
    }

    RouterGates gates(module);
    WeightGroups groups(module);
    auto isCovered = [&](OpOperand &use) {
      Operation *op = use.getOwner();
      if (auto linear = dyn_cast<LinearOp>(op))
        return kind == "int8" && !gates.contains(linear);
      return isa<GroupedLinearOp>(op);
    };
    // A group has one type, so all of its uses must be covered.
    llvm::SmallPtrSet<const void *, 32> used, refused;
    for (BlockArgument argument : groups.getArguments())
      for (OpOperand &use : argument.getUses()) {
        const void *group = groups.leaderOf(argument);
        if (isCovered(use))
          used.insert(group);
        else if (auto call = dyn_cast<CallOpInterface>(use.getOwner());
                 !call || !calleeOf(call))
          refused.insert(group);
      }
    for (BlockArgument argument : groups.getArguments()) {
      const void *group = groups.leaderOf(argument);
      if (used.contains(group) && !refused.contains(group) &&
          !cast<WeightType>(argument.getType()).isQuantized())
        quantize(argument);
    }
  }

private:
  /// Gives an argument, and the parameter that it is bound to, the int8 type.
  void quantize(BlockArgument argument) {
    auto type = cast<WeightType>(argument.getType());
    auto quantized = WeightType::get(&getContext(), type.getShape(),
                                     IntegerType::get(&getContext(), 8));
    argument.setType(quantized);
    auto function =
        cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    function.setType(function.cloneTypeWith(
        argument.getOwner()->getArgumentTypes(), function.getResultTypes()));
    auto symbol = function.getArgAttrOfType<FlatSymbolRefAttr>(
        argument.getArgNumber(), kParameterAttr);
    if (!symbol)
      return;
    auto parameter =
        SymbolTable::lookupNearestSymbolFrom<ParameterOp>(function, symbol);
    // Several entries may take one parameter.
    if (parameter.getType().isQuantized())
      return;
    parameter.setStored(type.getElementType());
    parameter.setType(quantized);
  }
};

} // namespace
