//===- RelaxFloatOrder.cpp - let LLVM vectorise sums and products ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum in the order of the program is a chain of additions; a sum in any order
// vectorises. Products and sums contract. What is no sum of a loop keeps its
// order, and so does what is written in vectors, and no product contracts with
// a sum in another loop, through memory: results would depend on what else a
// kernel computes.
//
// Before: %s = arith.addf %sum, %b : f32      %sum carried by a loop, or loaded
//                                             from where %s is stored
// After:  %s = arith.addf %sum, %b fastmath<reassoc,contract> : f32
//
// Requires kernels. Tested by test/codegen/x86/relax-float-order.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Passes.h"
#include "dialects/exec/ExecDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mm01 {
#define GEN_PASS_DEF_RELAXFLOATORDERPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;

/// Whether `op`, an addition or a multiplication, makes the next of a loop's
/// totals: one operand is the total before, carried by the loop, the result of
/// a reduction, or loaded from where the result goes.
static bool isTotal(Operation *op) {
  return llvm::any_of(op->getOperands(), [&](Value total) {
    if (auto carried = dyn_cast<BlockArgument>(total)) {
      Operation *loop = carried.getOwner()->getParentOp();
      auto reduction = dyn_cast<linalg::LinalgOp>(loop);
      return isa<scf::ForOp>(loop) ||
             (reduction && reduction.getNumReductionLoops() > 0 &&
              llvm::is_contained(reduction.getRegionOutputArgs(), carried));
    }
    auto load = total.getDefiningOp<memref::LoadOp>();
    return load && llvm::any_of(op->getUsers(), [&](Operation *user) {
             auto store = dyn_cast<memref::StoreOp>(user);
             auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
             return store && loop && store.getMemRef() == load.getMemRef() &&
                    store.getIndices() == load.getIndices() &&
                    !llvm::is_contained(load.getIndices(),
                                        loop.getInductionVar());
           });
  });
}

namespace {

struct RelaxFloatOrderPass
    : mm01::impl::RelaxFloatOrderPassBase<RelaxFloatOrderPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!mm01::exec::isKernel(getOperation()))
      return;
    getOperation().walk([](arith::ArithFastMathInterface op) {
      if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) ||
          isa<VectorType>(op->getResult(0).getType()))
        return;
      auto flags =
          op.getFastMathFlagsAttr().getValue() | arith::FastMathFlags::contract;
      if (isa<arith::AddFOp, arith::MulFOp>(op) && isTotal(op))
        flags = flags | arith::FastMathFlags::reassoc;
      // A product that is stored is rounded, whoever loads it.
      if (isa<arith::MulFOp>(op) &&
          llvm::any_of(op->getUsers(), [](Operation *user) {
            return isa<memref::StoreOp>(user);
          }))
        flags = bitEnumClear(flags, arith::FastMathFlags::contract);
      op->setAttr(op.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(), flags));
    });
  }
};

} // namespace
