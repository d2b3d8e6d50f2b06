//===- VerifyInPlace.cpp - fail where a cache is allocated or copied -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The proof that caches are updated in place: after bufferization nothing of a
// cache's type is allocated or copied. A cache is what a public function takes
// in one of three roles, and what is passed on in calls. The module is not
// changed; this one fails:
//
//   func.func @f(%s: memref<1x4xf32> {mm01.role = "lightning_state"}) {
//     %copy = memref.alloc() : memref<1x4xf32>            // error
//
// Requires bufferized functions, before kernels are outlined. Tested by
// test/passes/schedule/verify-in-place.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

namespace mm01 {
#define GEN_PASS_DEF_VERIFYINPLACEPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mm01

using namespace mlir;

/// True where both have the same rank and element type and no extent differs.
static bool sameKind(MemRefType a, MemRefType b) {
  return a.getElementType() == b.getElementType() &&
         a.getRank() == b.getRank() &&
         llvm::all_of(llvm::zip(a.getShape(), b.getShape()), [](auto pair) {
           return mm01::compatible(std::get<0>(pair), std::get<1>(pair));
         });
}

namespace {

struct VerifyInPlacePass
    : mm01::impl::VerifyInPlacePassBase<VerifyInPlacePass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::SetVector<Value> caches = findCaches();
    SmallVector<MemRefType> types;
    for (Value cache : caches)
      if (auto type = dyn_cast<MemRefType>(cache.getType()))
        if (!llvm::is_contained(types, type))
          types.push_back(type);
    auto isCache = [&](Type type) {
      auto buffer = dyn_cast<MemRefType>(type);
      return buffer && llvm::any_of(types, [&](MemRefType cache) {
               return sameKind(buffer, cache);
             });
    };
    WalkResult walk = getOperation().walk([&](Operation *op) -> WalkResult {
      bool allocates = isa<memref::AllocOp, memref::AllocaOp>(op) &&
                       isCache(op->getResult(0).getType());
      auto copy = dyn_cast<memref::CopyOp>(op);
      if (!allocates && !(copy && isCache(copy.getTarget().getType())))
        return WalkResult::advance();
      return op->emitError(allocates ? "allocates" : "copies")
             << " a buffer of a cache's type, expected the cache to be "
                "updated in place";
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  /// Every function argument that is a cache.
  llvm::SetVector<Value> findCaches() {
    llvm::SetVector<Value> caches;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        auto role = function.getArgAttrOfType<StringAttr>(i, mm01::kRoleAttr);
        if (role && !function.isExternal() &&
            llvm::is_contained({"lightning_state", "keys", "values"},
                               role.getValue()))
          caches.insert(function.getArgument(i));
      }
    // The list grows while it is read: callees' arguments come behind.
    for (unsigned i = 0; i < caches.size(); ++i)
      for (OpOperand &use : caches[i].getUses()) {
        if (isa<memref::CastOp>(use.getOwner()))
          caches.insert(use.getOwner()->getResult(0));
        auto call = dyn_cast<func::CallOp>(use.getOwner());
        auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                                 call, call.getCalleeAttr())
                           : func::FuncOp();
        if (callee && !callee.isExternal())
          caches.insert(callee.getArgument(use.getOperandNumber()));
      }
    return caches;
  }
};

} // namespace
