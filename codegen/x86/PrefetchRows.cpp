//===- PrefetchRows.cpp - ask for the rows of the next block early --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that lie a kilobyte and more apart are beyond what the processor fetches
// on its own. A loop over blocks with a loop over the rows of each asks, at row
// i of a block, for row i of the block after it.
//
// Before: scf.for %t … { scf.for %i = %c0 … {
//           %at = 16 * %t + %i
//           %row = memref.subview %x[%at, 0] [1, 64] [1, 1]
// After:    %next = min(%at + 16, rows of x - 1)
//           %ahead = memref.subview %x[%next, 0] [1, 64] [1, 1]
//           memref.prefetch %ahead[0], …, %ahead[48]
//
// Requires bufferized kernels. Tested by test/codegen/x86/prefetch-rows.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

#include <optional>

namespace mm01 {
#define GEN_PASS_DEF_PREFETCHROWSPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;

/// Rows at least this many bytes apart are asked for.
static constexpr int64_t kFar = 1024;
static constexpr int64_t kCacheLine = 64;

/// By how much `value` grows with the variable of a loop around it while
/// `fixed` stays, if that is always the same.
static std::optional<int64_t> growth(Value value, scf::ForOp loop,
                                     Value fixed = {}) {
  if (value == loop.getInductionVar())
    return 1;
  if (value == fixed || loop.isDefinedOutsideOfLoop(value))
    return 0;
  if (auto add = value.getDefiningOp<arith::AddIOp>()) {
    auto left = growth(add.getLhs(), loop, fixed);
    auto right = growth(add.getRhs(), loop, fixed);
    return left && right ? std::optional(*left + *right) : std::nullopt;
  }
  llvm::APInt factor;
  auto product = value.getDefiningOp<arith::MulIOp>();
  if (!product || !matchPattern(product.getRhs(), m_ConstantInt(&factor)))
    return std::nullopt;
  auto left = growth(product.getLhs(), loop, fixed);
  return left ? std::optional(*left * factor.getSExtValue()) : std::nullopt;
}

/// The blocks' step where `row` is one row, far from its neighbours, of memory
/// from outside `blocks`, the row of iteration i of `rows`; else 0.
static int64_t stepBetweenBlocks(memref::SubViewOp row, scf::ForOp blocks,
                                 scf::ForOp rows) {
  MemRefType type = row.getType(), source = row.getSourceType();
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!blocks.isDefinedOutsideOfLoop(row.getSource()) || type.getRank() != 1 ||
      type.isDynamicDim(0) || !type.areTrailingDimsContiguous(1) ||
      !type.getElementType().isIntOrFloat() ||
      failed(source.getStridesAndOffset(strides, offset)))
    return 0;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (ShapedType::isDynamic(strides[0]) || strides[0] * bytes < kFar ||
      row.getStaticSizes()[0] != 1)
    return 0;
  auto at = dyn_cast<Value>(row.getMixedOffsets()[0]);
  if (!at || growth(at, rows) != 1)
    return 0;
  return growth(at, blocks, rows.getInductionVar()).value_or(0);
}

static void prefetch(memref::SubViewOp row, int64_t step) {
  ImplicitLocOpBuilder b(row.getLoc(), row);
  b.setInsertionPointAfter(row);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value count = memref::DimOp::create(b, row.getSource(), 0);
  Value last = arith::SubIOp::create(b, count, constant(1));
  SmallVector<OpFoldResult> offsets = row.getMixedOffsets();
  Value next =
      arith::AddIOp::create(b, cast<Value>(offsets[0]), constant(step));
  offsets[0] = arith::MinSIOp::create(b, next, last).getResult();
  Value ahead =
      memref::SubViewOp::create(b, row.getType(), row.getSource(), offsets,
                                row.getMixedSizes(), row.getMixedStrides());
  int64_t line = kCacheLine * 8 / row.getType().getElementTypeBitWidth();
  for (int64_t at = 0; at < row.getType().getDimSize(0); at += line)
    memref::PrefetchOp::create(b, ahead, constant(at), /*isWrite=*/false,
                               /*localityHint=*/3, /*isDataCache=*/true);
}

namespace {

struct PrefetchRowsPass : mm01::impl::PrefetchRowsPassBase<PrefetchRowsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<std::pair<memref::SubViewOp, int64_t>> found;
    getOperation().walk([&](memref::SubViewOp row) {
      auto rows = dyn_cast<scf::ForOp>(row->getParentOp());
      auto blocks = rows ? rows->getParentOfType<scf::ForOp>() : nullptr;
      if (!blocks)
        return;
      if (int64_t step = stepBetweenBlocks(row, blocks, rows); step > 0)
        found.push_back({row, step});
    });
    for (auto [row, step] : found)
      prefetch(row, step);
  }
};

} // namespace
