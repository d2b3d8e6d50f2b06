//===- PlaceResults.cpp - put results where callers find them ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callers own the memory of results: nothing that a function allocates outlives
// its call.
//
// Before: func.func @f(%n: index, %s: memref<4xf32>)
//             -> (memref<?xf32>, memref<4xf32>) {
//           %a = memref.alloc(%n) : memref<?xf32>
//           …
//           return %a, %s : …
// After:  func.func @f(%n: index, %s: memref<4xf32>)
//             attributes {exec.results =
//                 [#exec.fresh<"" : memref<?xf32>>, #exec.tied<1>]} {
//           %a = exec.result 0 (%n) : memref<?xf32>
//           …
//           return
//
// Requires bufferized functions. Tested by
// test/passes/schedule/place-results.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/CallOrder.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace mm01 {
#define GEN_PASS_DEF_PLACERESULTSPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

static Value lookThroughCasts(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  return value;
}

/// The number of the function argument that `value` is, or nothing.
static std::optional<unsigned> getArgumentNumber(Value value) {
  auto argument = dyn_cast<BlockArgument>(lookThroughCasts(value));
  if (argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return argument.getArgNumber();
  return std::nullopt;
}

/// The extents of a buffer that its type leaves open.
static SmallVector<Value> getSizes(OpBuilder &builder, Location loc,
                                   Value buffer) {
  SmallVector<Value> sizes;
  auto type = cast<MemRefType>(buffer.getType());
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(builder, loc, buffer, i));
  return sizes;
}

namespace {

struct PlaceResultsPass : mm01::impl::PlaceResultsPassBase<PlaceResultsPass> {
  using Base::Base;

  void runOnOperation() override {
    auto functions = getHostFunctionsInCallOrder(getOperation());
    if (failed(functions))
      return signalPassFailure();
    for (func::FuncOp function : *functions) {
      auto end =
          cast<func::ReturnOp>(function.getBody().front().getTerminator());
      if (failed(function.isPublic() ? placePublic(function, end)
                                     : dropPrivate(function, end)))
        return signalPassFailure();
    }
  }

  /// Drops the results of a private function that are its arguments.
  LogicalResult dropPrivate(func::FuncOp function, func::ReturnOp end) {
    SmallVector<std::optional<unsigned>> arguments;
    for (Value value : end.getOperands()) {
      arguments.push_back(getArgumentNumber(value));
      if (!arguments.back() && isa<BaseMemRefType>(value.getType()))
        return end.emitError("private function ")
               << function.getSymName()
               << " returns a buffer of its own, expected it to write into an "
                  "argument and to return that";
    }
    if (llvm::none_of(arguments, [](auto &a) { return a.has_value(); }))
      return success();
    auto uses = SymbolTable::getSymbolUses(function, getOperation());
    for (SymbolTable::SymbolUse use : *uses)
      if (auto call = dyn_cast<func::CallOp>(use.getUser()))
        replaceCall(call, arguments);

    llvm::BitVector dropped(arguments.size());
    for (unsigned i = 0; i < arguments.size(); ++i)
      dropped[i] = arguments[i].has_value();
    end->eraseOperands(dropped);
    return function.eraseResults(dropped);
  }

  /// %r = call @f(%a) : … -> memref<…>   ==>   call @f(%a); uses of %r get %a
  void replaceCall(func::CallOp call,
                   ArrayRef<std::optional<unsigned>> arguments) {
    OpBuilder builder(call);
    SmallVector<Type> kept;
    for (auto [type, argument] : llvm::zip(call.getResultTypes(), arguments))
      if (!argument)
        kept.push_back(type);
    auto other = func::CallOp::create(builder, call.getLoc(), call.getCallee(),
                                      kept, call.getOperands());
    unsigned next = 0;
    for (auto [result, argument] : llvm::zip(call.getResults(), arguments)) {
      Value value = argument ? call.getOperand(*argument)
                             : Value(other.getResult(next++));
      if (value.getType() != result.getType())
        value = memref::CastOp::create(builder, call.getLoc(), result.getType(),
                                       value);
      result.replaceAllUsesWith(value);
    }
    call.erase();
  }

  /// Describes and places the results of a public function.
  LogicalResult placePublic(func::FuncOp function, func::ReturnOp end) {
    OpBuilder builder(end);
    SmallVector<Attribute> results;
    llvm::SmallDenseSet<unsigned> tied;
    for (auto [number, value] : llvm::enumerate(end.getOperands())) {
      auto type = dyn_cast<MemRefType>(value.getType());
      if (!type)
        return end.emitError("result ")
               << number << " of public function " << function.getSymName()
               << " has type " << value.getType() << ", expected a tensor";
      // An argument's memory is one result's alone: a second one is a copy.
      auto argument = getArgumentNumber(value);
      if (argument && tied.insert(*argument).second) {
        results.push_back(exec::TiedAttr::get(&getContext(), *argument));
        continue;
      }
      auto role = function.getResultAttrOfType<StringAttr>(number, kRoleAttr);
      results.push_back(exec::FreshAttr::get(
          &getContext(), role ? role.getValue() : "", type));
      placeFresh(builder, end, number, value);
    }
    function->setAttr(exec::kResultsAttr, builder.getArrayAttr(results));
    end->setOperands({});
    return function.eraseResults(
        llvm::BitVector(function.getNumResults(), true));
  }

  /// Makes a buffer of the function the memory of result `number`, or copies
  /// the value there.
  void placeFresh(OpBuilder &builder, func::ReturnOp end, int64_t number,
                  Value value) {
    Value buffer = lookThroughCasts(value);
    if (auto alloc = buffer.getDefiningOp<memref::AllocOp>()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(alloc);
      Value result =
          exec::ResultOp::create(builder, alloc.getLoc(), buffer.getType(),
                                 number, alloc.getDynamicSizes());
      alloc.replaceAllUsesWith(result);
      alloc.erase();
      return;
    }
    auto type =
        MemRefType::Builder(cast<MemRefType>(value.getType())).setLayout({});
    Value result =
        exec::ResultOp::create(builder, end.getLoc(), MemRefType(type), number,
                               getSizes(builder, end.getLoc(), value));
    memref::CopyOp::create(builder, end.getLoc(), value, result);
  }
};

} // namespace
