//===- InsertProxyFences.cpp - fences after writes by threads -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Before: tile.write %p to %tile
//         tile.arrive %full[%slot]
// After:  tile.write %p to %tile
//         tile.proxy_fence
//         tile.arrive %full[%slot]
//
// Requires explicit barriers. Test: test/passes/tile/insert-proxy-fences.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mm01 {
#define GEN_PASS_DEF_INSERTPROXYFENCESPASS
#include "passes/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01::tile;

namespace {

/// True if threads write to a buffer by `op`; bulk copies write through the
/// asynchronous proxy itself.
bool writesByThreads(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || isa<CopyInOp>(op))
    return false;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::any_of(all, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue() &&
           isa<BufferType>(effect.getValue().getType());
  });
}

struct InsertProxyFencesPass
    : mm01::impl::InsertProxyFencesPassBase<InsertProxyFencesPass> {
  using Base::Base;

  void runOnOperation() override {
    // In the order of the program; what a loop leaves written is fenced before
    // its next iteration arrives, or after it.
    bool written = false;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<RoleOp>(op)) {
        written = false;
      } else if (isa<ArriveOp>(op) && written) {
        OpBuilder b(op);
        ProxyFenceOp::create(b, op->getLoc());
        written = false;
      } else if (writesByThreads(op)) {
        written = true;
      }
    });
  }
};

} // namespace
