//===- VerifyTokens.cpp - one chain a process group -------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What no op of the dialect sees alone: tokens that functions, calls and loops
// pass on, and chains that start in a function that is called.
//
//     func.func @layer(%t: !mm01.token<@TP>) { return }     // error: 0 uses
//
// Test: test/passes/graph/verify-tokens.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Passes.h"

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mm01 {
#define GEN_PASS_DEF_VERIFYTOKENSPASS
#include "passes/graph/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// The values that `op` makes, and those its regions' blocks get.
static LogicalResult verifyValues(Operation *op) {
  for (Value result : op->getResults())
    if (failed(verifyUsedOnce(op, result)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        if (failed(verifyUsedOnce(op, argument)))
          return failure();
  return success();
}

/// At most one token of each group among the arguments.
static LogicalResult verifyArguments(FunctionOpInterface function) {
  llvm::SmallPtrSet<Type, 4> seen;
  for (Type type : function.getArgumentTypes())
    if (isa<TokenType>(type) && !seen.insert(type).second)
      return function->emitError("the function takes two tokens of type ")
             << type << ", expected one chain a group";
  return success();
}

/// A callee that starts a chain has no place in the order of its caller.
static LogicalResult verifyCall(CallOpInterface call) {
  Operation *callee = call.resolveCallable();
  if (!callee)
    return success();
  TokenStartOp start;
  callee->walk([&](TokenStartOp op) { start = op; });
  if (!start)
    return success();
  InFlightDiagnostic error = call->emitError("the callee starts the chain of ")
                             << start.getType() << ": pass it a token instead";
  error.attachNote(start.getLoc()) << "started here";
  return error;
}

namespace {

struct VerifyTokensPass
    : public mm01::impl::VerifyTokensPassBase<VerifyTokensPass> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([](Operation *op) -> WalkResult {
      if (failed(verifyValues(op)))
        return WalkResult::interrupt();
      if (auto function = dyn_cast<FunctionOpInterface>(op))
        return verifyArguments(function);
      if (auto call = dyn_cast<CallOpInterface>(op))
        return verifyCall(call);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
