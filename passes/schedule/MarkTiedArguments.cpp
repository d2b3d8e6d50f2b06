//===- MarkTiedArguments.cpp - forbid writing to borrowed arguments ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which arguments of public functions the caller donates: those whose
// new content is returned. Bufferization may write to these alone.
//
// Before: func.func @f(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32>
// After:  func.func @f(%x: tensor<4xf32> {bufferization.writable = false},
//                      %out: tensor<4xf32>) -> tensor<4xf32>
//
// Tested by test/passes/schedule/mark-tied-arguments.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/CallOrder.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace mm01 {
#define GEN_PASS_DEF_MARKTIEDARGUMENTSPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mm01

using namespace mlir;

static BlockArgument findDestination(Value value,
                                     SymbolTableCollection &symbols);

/// The value whose memory `result` overwrites, by the op that makes it; null
/// where it makes a new one.
static Value getDestination(OpResult result, SymbolTableCollection &symbols) {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return destination.getTiedOpOperand(result)->get();
  if (auto forall = dyn_cast<scf::ForallOp>(op))
    return forall.getOutputs()[number];
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    OpOperand *init = loop.getTiedLoopInit(result);
    return init ? init->get() : Value();
  }
  if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return op->getOperand(0);
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return {};
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    return {};
  Operation *terminator = callee.getBody().front().getTerminator();
  BlockArgument argument =
      findDestination(terminator->getOperand(number), symbols);
  return argument ? call.getOperand(argument.getArgNumber()) : Value();
}

/// The argument of the enclosing function that `value` is the new content of,
/// or null.
static BlockArgument findDestination(Value value,
                                     SymbolTableCollection &symbols) {
  while (auto result = dyn_cast_if_present<OpResult>(value))
    value = getDestination(result, symbols);
  auto argument = dyn_cast_if_present<BlockArgument>(value);
  if (argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return argument;
  return {};
}

namespace {

struct MarkTiedArgumentsPass
    : mm01::impl::MarkTiedArgumentsPassBase<MarkTiedArgumentsPass> {
  using Base::Base;

  void runOnOperation() override {
    // Refuses recursion, on which a trace would not end.
    auto functions = mm01::getHostFunctionsInCallOrder(getOperation());
    if (failed(functions))
      return signalPassFailure();
    SymbolTableCollection symbols;
    for (func::FuncOp function : *functions)
      if (function.isPublic())
        mark(function, symbols);
  }

  void mark(func::FuncOp function, SymbolTableCollection &symbols) {
    llvm::SmallDenseSet<unsigned> tied;
    for (Value value :
         function.getBody().front().getTerminator()->getOperands()) {
      BlockArgument argument = findDestination(value, symbols);
      if (argument && argument.getType() == value.getType())
        tied.insert(argument.getArgNumber());
    }
    StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
    for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<TensorType>(type) && !tied.contains(number))
        function.setArgAttr(number, writable,
                            BoolAttr::get(&getContext(), false));
  }
};

} // namespace
