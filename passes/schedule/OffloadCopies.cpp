//===- OffloadCopies.cpp - copy buffers in kernels ------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host of a program for a GPU cannot reach the memory it copies.
//
// Before: memref.copy %a, %b : memref<?x64xf32> to memref<?x64xf32>
// After:  scf.forall (%i) in (%tiles) {
//           linalg.copy of rows [i · tile, …) of %a and %b
//         } {mm01.kernel = "copy"}
//
// Constants that the host passes on are copied likewise, out of the kernel's
// own constants; small ones together. Requires bufferized functions, before
// kernels are outlined. Tested by test/passes/schedule/offload-copies.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mm01 {
#define GEN_PASS_DEF_OFFLOADCOPIESPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mm01

using namespace mlir;

/// Rows of the first dimension that one workgroup copies: some thousand
/// elements, where the others are known.
static int64_t getTile(MemRefType type) {
  int64_t width = 1;
  for (int64_t extent : type.getShape().drop_front())
    if (!ShapedType::isDynamic(extent))
      width *= extent;
  return std::clamp<int64_t>(4096 / std::max<int64_t>(width, 1), 1, 4096);
}

/// Rows [first, first + count) of a buffer.
static Value getRows(ImplicitLocOpBuilder &b, Value buffer, Value first,
                     Value count) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      strides(type.getRank(), b.getIndexAttr(1)),
      sizes = memref::getMixedSizes(b, b.getLoc(), buffer);
  offsets[0] = first;
  sizes[0] = count;
  return memref::SubViewOp::create(b, buffer, offsets, sizes, strides);
}

namespace {

struct OffloadCopiesPass
    : mm01::impl::OffloadCopiesPassBase<OffloadCopiesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<memref::GetGlobalOp> small, large;
    getOperation().walk([&](memref::GetGlobalOp get) {
      if (isPassedOn(get))
        (isSmall(get.getType()) ? small : large).push_back(get);
    });
    offloadTogether(small);
    for (memref::GetGlobalOp get : large)
      offload(get);

    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) {
      if (!copy->getParentOfType<scf::ForallOp>())
        copies.push_back(copy);
    });
    for (memref::CopyOp copy : copies)
      offload(copy);
  }

  static bool isOutside(OpOperand &use) {
    return !use.getOwner()->getParentOfType<scf::ForallOp>();
  }

  /// True for a constant that the host passes on.
  static bool isPassedOn(memref::GetGlobalOp get) {
    return !get->getParentOfType<scf::ForallOp>() &&
           llvm::any_of(get->getUses(), isOutside);
  }

  /// True for what one workgroup copies.
  static bool isSmall(MemRefType type) { return type.getNumElements() <= 4096; }

  /// Constants that the host passes on   ==>   copies of them, made at the
  /// start by one workgroup: the slopes of each layer, say, in one launch
  static void offloadTogether(ArrayRef<memref::GetGlobalOp> constants) {
    if (constants.empty())
      return;
    auto function = constants[0]->getParentOfType<func::FuncOp>();
    ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
    b.setInsertionPointToStart(&function.getBody().front());
    SmallVector<std::pair<Value, Value>> copies;
    for (memref::GetGlobalOp get : constants) {
      Value source = b.clone(*get)->getResult(0);
      Value buffer = memref::AllocOp::create(b, get.getType());
      get.getResult().replaceUsesWithIf(buffer, isOutside);
      copies.push_back({source, buffer});
    }
    auto block = b.getArrayAttr(
        gpu::GPUBlockMappingAttr::get(b.getContext(), gpu::MappingId::DimX));
    auto loop = scf::ForallOp::create(
        b, ArrayRef<OpFoldResult>{b.getIndexAttr(1)}, ValueRange(), block);
    loop->setAttr("mm01.kernel", b.getStringAttr("constants"));
    b.setInsertionPointToStart(loop.getBody());
    for (auto [source, buffer] : copies)
      linalg::CopyOp::create(b, source, buffer);
  }

  /// A large constant that the host passes on   ==>   a copy of it
  static void offload(memref::GetGlobalOp get) {
    OpBuilder builder(get->getContext());
    builder.setInsertionPointAfter(get);
    Value buffer =
        memref::AllocOp::create(builder, get.getLoc(), get.getType());
    get.getResult().replaceUsesWithIf(buffer, isOutside);
    memref::CopyOp::create(builder, get.getLoc(), get, buffer);
  }

  static void offload(memref::CopyOp copy) {
    ImplicitLocOpBuilder b(copy.getLoc(), copy);
    auto type = cast<MemRefType>(copy.getTarget().getType());
    auto block = b.getArrayAttr(
        gpu::GPUBlockMappingAttr::get(b.getContext(), gpu::MappingId::DimX));
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    Value tile, total, grid = constant(1);
    if (type.getRank() > 0) {
      tile = constant(getTile(type));
      total = memref::DimOp::create(b, copy.getTarget(), 0);
      grid = arith::CeilDivUIOp::create(b, total, tile);
    }
    auto loop = scf::ForallOp::create(b, ArrayRef<OpFoldResult>{grid},
                                      ValueRange(), block);
    loop->setAttr("mm01.kernel", b.getStringAttr("copy"));
    b.setInsertionPointToStart(loop.getBody());
    Value source = copy.getSource(), target = copy.getTarget();
    if (tile) {
      Value first = arith::MulIOp::create(b, loop.getInductionVars()[0], tile);
      Value count = arith::MinSIOp::create(
          b, tile, arith::SubIOp::create(b, total, first));
      source = getRows(b, source, first, count);
      target = getRows(b, target, first, count);
    }
    linalg::CopyOp::create(b, source, target);
    copy.erase();
  }
};

} // namespace
