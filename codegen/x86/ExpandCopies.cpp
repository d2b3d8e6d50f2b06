//===- ExpandCopies.cpp - turn buffer copies into linalg copies -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy between strided buffers would become a call of a function that takes
// them apart at run time; as a loop it vectorises.
//
// Before: memref.copy %a, %b : memref<4xf32, strided<[8]>> to memref<4xf32>
// After:  linalg.copy ins(%a) outs(%b)
//
// Requires bufferized kernels. Tested by test/codegen/x86/expand-copies.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mm01 {
#define GEN_PASS_DEF_EXPANDCOPIESPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;

namespace {

struct ExpandCopiesPass : mm01::impl::ExpandCopiesPassBase<ExpandCopiesPass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([](memref::CopyOp copy) {
      OpBuilder builder(copy);
      linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      copy.erase();
    });
  }
};

} // namespace
