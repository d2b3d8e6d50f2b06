//===- CallOrder.cpp - host functions, callees before callers ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/CallOrder.h"
#include "dialects/exec/ExecDialect.h"

using namespace mlir;

namespace {

/// A depth-first walk over calls.
struct CallOrder {
  SymbolTableCollection symbols;
  llvm::DenseMap<Operation *, bool> done; // false while its calls are visited
  SmallVector<func::FuncOp> order;

  LogicalResult visit(func::FuncOp function) {
    done[function] = false;
    WalkResult walk = function.walk([&](func::CallOp call) -> WalkResult {
      auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (!callee || callee.isExternal())
        return call.emitError("calls ")
               << call.getCallee() << ", expected a function with a body";
      auto found = done.find(callee);
      if (found == done.end())
        return visit(callee);
      if (!found->second)
        return call.emitError("calls ")
               << call.getCallee() << ", which calls this function: programs "
               << "have no recursion";
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    done[function] = true;
    order.push_back(function);
    return success();
  }
};

} // namespace

FailureOr<SmallVector<func::FuncOp>>
mm01::getHostFunctionsInCallOrder(ModuleOp module) {
  CallOrder state;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && !exec::isKernel(function) &&
        !state.done.contains(function) && failed(state.visit(function)))
      return failure();
  return state.order;
}
