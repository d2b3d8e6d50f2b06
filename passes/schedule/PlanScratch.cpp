//===- PlanScratch.cpp - give every buffer of a kernel its place ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel allocates nothing: its buffers lie on the stack or in the scratch of
// the thread that runs it.
//
// Before: func.func private @k(…) attributes {exec.kernel} {
//           %row = memref.alloc() : memref<64xf32>
//           %tile = memref.alloc() : memref<64x64xf32>
// After:  func.func private @k(…)
//             attributes {exec.kernel, exec.scratch_bytes = 16384} {
//           %row = memref.alloca() : memref<64xf32>
//           %tile = exec.scratch at 0 () : memref<64x64xf32>
//
// A buffer of a loop's body is dead when the next iteration begins, because
// bufferization returns no buffers from loops; so one place for all iterations
// is enough. Requires kernels outlined. Tested by
// test/passes/schedule/plan-scratch.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/BufferBytes.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/Support/MathExtras.h"

namespace mm01 {
#define GEN_PASS_DEF_PLANSCRATCHPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// The greatest value that an index may have, or failure.
static FailureOr<int64_t> getMax(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant;
  Operation *op = value.getDefiningOp();
  // The interface below does not know the minimum of arith.
  if (isa_and_present<arith::MinSIOp, arith::MinUIOp>(op)) {
    FailureOr<int64_t> left = getMax(op->getOperand(0));
    FailureOr<int64_t> right = getMax(op->getOperand(1));
    if (failed(left) || failed(right))
      return failed(left) ? right : left;
    return std::min(*left, *right);
  }
  return ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, value, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
}

/// The most bytes that an allocation may have; fails, with a diagnostic, where
/// nothing bounds it or the product overflows.
static FailureOr<int64_t> getMaxBytes(memref::AllocOp alloc) {
  int64_t bytes = getElementBytes(alloc.getType().getElementType());
  SmallVector<int64_t> extents;
  for (int64_t extent : alloc.getType().getShape())
    if (!ShapedType::isDynamic(extent))
      extents.push_back(extent);
  for (Value size : alloc.getDynamicSizes()) {
    FailureOr<int64_t> bound = getMax(size);
    if (failed(bound))
      return alloc.emitError("buffer of a kernel has an extent without a "
                             "constant bound, expected a static size or an "
                             "arith.minsi with a constant");
    extents.push_back(std::max<int64_t>(*bound, 0));
  }
  for (int64_t extent : extents)
    if (llvm::MulOverflow(bytes, extent, bytes))
      return alloc.emitError("buffer of a kernel is too large: ")
             << alloc.getType();
  return bytes;
}

namespace {

struct PlanScratchPass : mm01::impl::PlanScratchPassBase<PlanScratchPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!exec::isKernel(kernel) || kernel.isExternal())
      return;
    int64_t scratch = 0;
    SmallVector<memref::AllocOp> allocs;
    kernel.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    for (memref::AllocOp alloc : allocs) {
      FailureOr<int64_t> bytes = getMaxBytes(alloc);
      if (failed(bytes))
        return signalPassFailure();
      OpBuilder builder(alloc);
      Value place;
      if (*bytes <= stackBytes && alloc.getDynamicSizes().empty()) {
        builder.setInsertionPointToStart(&kernel.getBody().front());
        place = memref::AllocaOp::create(
            builder, alloc.getLoc(), alloc.getType(), alloc.getAlignmentAttr());
      } else {
        place =
            exec::ScratchOp::create(builder, alloc.getLoc(), alloc.getType(),
                                    scratch, alloc.getDynamicSizes());
        scratch += llvm::alignTo(*bytes, kBufferAlignment);
      }
      alloc.replaceAllUsesWith(place);
      alloc.erase();
    }
    if (scratch > 0)
      kernel->setAttr(exec::kScratchBytesAttr,
                      Builder(&getContext()).getI64IntegerAttr(scratch));
  }
};

} // namespace
