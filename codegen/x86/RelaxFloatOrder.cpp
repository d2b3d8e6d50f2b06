//===- RelaxFloatOrder.cpp - let LLVM vectorise sums and products ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum in the order of the program is a chain of additions; a sum in any order
// vectorises, and products and sums contract.
//
// Before: %s = arith.addf %a, %b : f32
// After:  %s = arith.addf %a, %b fastmath<reassoc,contract> : f32
//
// Requires kernels. Tested by test/codegen/x86/relax-float-order.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Passes.h"
#include "dialects/exec/ExecDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mm01 {
#define GEN_PASS_DEF_RELAXFLOATORDERPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;

namespace {

struct RelaxFloatOrderPass
    : mm01::impl::RelaxFloatOrderPassBase<RelaxFloatOrderPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!mm01::exec::isKernel(getOperation()))
      return;
    getOperation().walk([](arith::ArithFastMathInterface op) {
      if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
        return;
      auto flags = op.getFastMathFlagsAttr().getValue() |
                   arith::FastMathFlags::reassoc |
                   arith::FastMathFlags::contract;
      op->setAttr(op.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(), flags));
    });
  }
};

} // namespace
