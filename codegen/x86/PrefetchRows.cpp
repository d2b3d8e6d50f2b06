//===- PrefetchRows.cpp - ask for the rows of the next block early --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that lie a kilobyte and more apart are beyond what the processor fetches
// on its own. A loop over blocks with a loop over the rows of each asks for the
// rows of the block after the next. They go to the second cache: rows a power
// of two apart share few lines of the first, where they would evict each other
// before they are read.
//
// A processor has some tens of lines on their way and stands still when it is
// asked for more. So where a block has products, which take long and need no
// memory, rows are asked for tensor by tensor, each before a product:
//
// Before: scf.for %t … {
//           scf.for %i = %c0 … {
//             %at = 16 * %t + %i
//             %row = memref.subview %x[%at, 0] [1, 64] [1, 1]
//           }
//           linalg.matmul …
// After:  scf.for %t … {
//           scf.for %i = %c0 … {…}
//           scf.for %i = 0 to 16 {
//             %next = min(16 * %t + %i + 32, rows of x - 1)
//             %ahead = memref.subview %x[%next, 0] [1, 64] [1, 1]
//             memref.prefetch %ahead[0], …, %ahead[48]
//           }
//           linalg.matmul …
//
// Without a product, row i of a block asks for row i of that other one.
//
// Requires bufferized kernels. Tested by test/codegen/x86/prefetch-rows*.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Growth.h"
#include "codegen/x86/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace mm01 {
#define GEN_PASS_DEF_PREFETCHROWSPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using mm01::growth;

/// Rows at least this many bytes apart are asked for.
static constexpr int64_t kFar = 1024;
static constexpr int64_t kCacheLine = 64;
/// By how many blocks a row is asked for before its own.
static constexpr int64_t kBlocksAhead = 2;
/// To the second cache.
static constexpr unsigned kLocality = 2;

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

namespace {

/// Rows of memory, one in each iteration of a loop, and blocks of them.
struct Rows {
  memref::SubViewOp row;
  scf::ForOp blocks;
  int64_t step; // rows from block to block
};

} // namespace

/// The same value before `place`, in the body of `blocks`, with `mapping`; what
/// it is made of inside the loop is cloned. Null where that has effects.
static Value cloneBefore(Operation *place, Value value, scf::ForOp blocks,
                         IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (value == blocks.getInductionVar() || blocks.isDefinedOutsideOfLoop(value))
    return value;
  Operation *made = value.getDefiningOp();
  if (!made || made->getNumRegions() > 0 || !isPure(made))
    return {};
  for (Value operand : made->getOperands()) {
    Value copy = cloneBefore(place, operand, blocks, mapping);
    if (!copy)
      return {};
    mapping.map(operand, copy);
  }
  return OpBuilder(place)
      .clone(*made, mapping)
      ->getResult(cast<OpResult>(value).getResultNumber());
}

/// Asks for the row kBlocksAhead behind the one at these offsets, or for the
/// last.
static void prefetch(ImplicitLocOpBuilder &b, const Rows &rows,
                     SmallVector<OpFoldResult> offsets) {
  memref::SubViewOp row = rows.row;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value count = memref::DimOp::create(b, row.getSource(), 0);
  Value last = arith::SubIOp::create(b, count, constant(1));
  Value next = arith::AddIOp::create(b, cast<Value>(offsets[0]),
                                     constant(kBlocksAhead * rows.step));
  offsets[0] = arith::MinSIOp::create(b, next, last).getResult();
  Value ahead =
      memref::SubViewOp::create(b, row.getType(), row.getSource(), offsets,
                                row.getMixedSizes(), row.getMixedStrides());
  int64_t line = kCacheLine * 8 / row.getType().getElementTypeBitWidth();
  for (int64_t at = 0; at < row.getType().getDimSize(0); at += line)
    memref::PrefetchOp::create(b, ahead, constant(at), /*isWrite=*/false,
                               kLocality, /*isDataCache=*/true);
}

/// Asks for all rows of a block before `product`; false where their numbers
/// cannot be computed there.
static bool prefetchBefore(Operation *product, const Rows &rows) {
  memref::SubViewOp row = rows.row;
  ImplicitLocOpBuilder b(row.getLoc(), product);
  auto inner = cast<scf::ForOp>(row->getParentOp());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  IRMapping mapping;
  mapping.map(inner.getInductionVar(), zero);
  SmallVector<OpFoldResult> offsets = row.getMixedOffsets();
  for (OpFoldResult &offset : offsets)
    if (auto value = dyn_cast<Value>(offset)) {
      Value copy = cloneBefore(product, value, rows.blocks, mapping);
      if (!copy)
        return false;
      offset = copy;
    }
  Value end = arith::ConstantIndexOp::create(b, rows.step);
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(b, zero, end, one);
  b.setInsertionPointToStart(loop.getBody());
  offsets[0] =
      arith::AddIOp::create(b, cast<Value>(offsets[0]), loop.getInductionVar())
          .getResult();
  prefetch(b, rows, offsets);
  return true;
}

/// The operations of the body of `blocks` that are products or have one inside.
static SmallVector<Operation *> productsOf(scf::ForOp blocks) {
  SmallVector<Operation *> products;
  for (Operation &op : blocks.getBody()->without_terminator()) {
    auto visit = [](linalg::LinalgOp inner) {
      return linalg::isaContractionOpInterface(inner) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
    };
    if (op.walk(visit).wasInterrupted())
      products.push_back(&op);
  }
  return products;
}

namespace {

struct PrefetchRowsPass : mm01::impl::PrefetchRowsPassBase<PrefetchRowsPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::MapVector<scf::ForOp, SmallVector<Rows>> found;
    getOperation().walk([&](memref::SubViewOp row) {
      auto rows = dyn_cast<scf::ForOp>(row->getParentOp());
      auto blocks = rows ? rows->getParentOfType<scf::ForOp>() : nullptr;
      if (!blocks)
        return;
      if (int64_t step = stepBetweenBlocks(row, blocks, rows); step > 0)
        found[blocks].push_back({row, blocks, step});
    });
    for (auto &[blocks, all] : found) {
      SmallVector<Operation *> products = productsOf(blocks);
      for (auto [number, rows] : llvm::enumerate(all)) {
        if (!products.empty() &&
            prefetchBefore(products[number % products.size()], rows))
          continue;
        ImplicitLocOpBuilder b(rows.row.getLoc(), rows.row);
        b.setInsertionPointAfter(rows.row);
        prefetch(b, rows, rows.row.getMixedOffsets());
      }
    }
  }
};

} // namespace
