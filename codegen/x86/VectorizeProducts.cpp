//===- VectorizeProducts.cpp - small products of matrices in registers ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of a few thousand elements is over before a library has looked at
// its arguments; and a whole block as one vector would spill. So a tile of c is
// kept in registers while k runs:
//
// Before: linalg.matmul ins(%a, %b) outs(%c)
// After:  scf.for %j = 0 to n step 32
//           scf.for %i = 0 to m step 8
//             tile = c[i … i + 8][j … j + 32]       16 vectors of 16
//             scf.for %p = 0 to k iter_args(tile)
//               tile[r][v] += a[i + r, p] * b[p, j + 16 v …]
//             c[i … i + 8][j … j + 32] = tile
//
// What fills or scales all of c right before is done to the tile:
//
// Before: linalg.fill ins(%zero) outs(%c)
//         linalg.matmul ins(%a, %b) outs(%c)
// After:      tile = zero
//
// Requires bufferized kernels. Tested by
// test/codegen/x86/vectorize-products.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Isa.h"
#include "codegen/x86/Passes.h"
#include "codegen/x86/Product.h"
#include "codegen/x86/VectorBody.h"
#include "dialects/exec/ExecDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mm01 {
#define GEN_PASS_DEF_VECTORIZEPRODUCTSPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;

namespace {

/// Rows, vectors in a row, and lanes of a vector.
struct TileShape {
  int64_t rows;
  int64_t vectors;
  int64_t lanes;
};

/// As many sums as take up where others wait: an addition takes four cycles,
/// and two begin in each.
constexpr int64_t kSums = 8;

/// The tile that leaves registers for b and fills most of the others.
TileShape largestTile(Operation *op) {
  int64_t lanes = mm01::lanesOf(mm01::isaOf(op->getParentOfType<ModuleOp>()));
  return {lanes == 16 ? 8 : 4, 2, lanes};
}

/// The largest tile that divides [m, n]; no lanes where none does.
TileShape fit(TileShape tile, int64_t m, int64_t n) {
  while (tile.lanes >= 4 && n % tile.lanes != 0)
    tile.lanes /= 2;
  if (tile.lanes < 4)
    return {1, 1, 0};
  // Twice the rows where a row has half the vectors.
  if (n % (tile.vectors * tile.lanes) != 0)
    tile = {2 * tile.rows, 1, tile.lanes};
  while (m % tile.rows != 0)
    tile.rows /= 2;
  return tile;
}

/// Writes the loops over tiles of one product.
class ProductWriter {
public:
  /// With `before`, an elementwise op of which c is the result.
  ProductWriter(ImplicitLocOpBuilder &b, TileShape tile, linalg::LinalgOp op,
                linalg::LinalgOp before)
      : b(b), tile(tile), a(op.getDpsInputOperand(0)->get()),
        bMatrix(op.getDpsInputOperand(1)->get()),
        c(op.getDpsInitOperand(0)->get()), before(before),
        vector(VectorType::get({tile.lanes}, b.getF32Type())) {}

  void write() {
    ArrayRef<int64_t> size = cast<MemRefType>(c.getType()).getShape();
    Value depth = b.createOrFold<memref::DimOp>(a, 1);
    loop(index(size[1]), tile.vectors * tile.lanes, [&](Value j) {
      loop(index(size[0]), tile.rows, [&](Value i) { writeTile(depth, i, j); });
    });
  }

private:
  using Body = function_ref<SmallVector<Value>(Value, ValueRange)>;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value plus(Value i, int64_t constant) {
    return arith::AddIOp::create(b, i, index(constant));
  }

  ValueRange loop(Value end, int64_t by, ValueRange init, Body body) {
    auto made = scf::ForOp::create(b, index(0), end, index(by), init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(made.getBody());
    SmallVector<Value> next =
        body(made.getInductionVar(), made.getRegionIterArgs());
    if (!init.empty())
      scf::YieldOp::create(b, next);
    return made.getResults();
  }

  void loop(Value end, int64_t by, function_ref<void(Value)> body) {
    loop(end, by, {}, [&](Value i, ValueRange) {
      body(i);
      return SmallVector<Value>();
    });
  }

  void writeTile(Value depth, Value i, Value j) {
    SmallVector<Value> sums;
    eachVector(i, j, [&](Value row, Value column) {
      sums.push_back(start(row, column));
    });
    SmallVector<Value> done = sumOver(depth, sums, i, j);
    unsigned next = 0;
    eachVector(i, j, [&](Value row, Value column) {
      vector::StoreOp::create(b, done[next++], c, ValueRange{row, column});
    });
  }

  /// The place of each vector of the tile at (i, j), row by row.
  void eachVector(Value i, Value j, function_ref<void(Value, Value)> visit) {
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t v = 0; v < tile.vectors; ++v)
        visit(plus(i, r), plus(j, v * tile.lanes));
  }

  /// The vector of c that sums start with.
  Value start(Value row, Value column) {
    ValueRange at{row, column};
    if (before)
      return mm01::computeVector(b, before, at, vector);
    return vector::LoadOp::create(b, vector, c, at);
  }

  /// The tile with all of a[·, k] b[k, ·] added. A small one has as many sums
  /// of parts of k as keep additions from waiting for one another, if it is
  /// known that these divide k.
  SmallVector<Value> sumOver(Value depth, ValueRange tile, Value i, Value j) {
    auto vectors = static_cast<int64_t>(tile.size());
    int64_t known = getConstantIntValue(depth).value_or(1), parts = 1;
    while (parts * vectors < kSums && known % (2 * parts) == 0)
      parts *= 2;
    SmallVector<Value> sums(tile);
    if (parts > 1)
      sums.append((parts - 1) * vectors, splat(0));
    SmallVector<Value> done =
        loop(depth, parts, sums, [&](Value k, ValueRange carried) {
          SmallVector<Value> next;
          for (int64_t part = 0; part < parts; ++part)
            next.append(step(i, j, plus(k, part),
                             carried.slice(part * vectors, vectors)));
          return next;
        });
    for (; parts > 1; parts /= 2) {
      size_t half = done.size() / 2;
      for (size_t s = 0; s < half; ++s)
        done[s] = arith::AddFOp::create(b, done[s], done[half + s]);
      done.resize(half);
    }
    return done;
  }

  Value splat(float value) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vector, b.getF32FloatAttr(value).getValue()));
  }

  /// Adds a[·, k] b[k, ·] to the tile.
  SmallVector<Value> step(Value i, Value j, Value k, ValueRange sums) {
    SmallVector<Value> columns, next;
    for (int64_t v = 0; v < tile.vectors; ++v)
      columns.push_back(vector::LoadOp::create(
          b, vector, bMatrix, ValueRange{k, plus(j, v * tile.lanes)}));
    constexpr auto contract = arith::FastMathFlags::contract;
    for (int64_t r = 0; r < tile.rows; ++r) {
      Value scalar = memref::LoadOp::create(b, a, ValueRange{plus(i, r), k});
      Value factor = vector::BroadcastOp::create(b, vector, scalar);
      for (Value column : columns) {
        Value term = arith::MulFOp::create(b, factor, column, contract);
        next.push_back(
            arith::AddFOp::create(b, sums[next.size()], term, contract));
      }
    }
    return next;
  }

  ImplicitLocOpBuilder &b;
  TileShape tile;
  Value a, bMatrix, c;
  linalg::LinalgOp before;
  VectorType vector;
};

/// Neither reads nor writes memory; asking for a line does neither.
bool leavesMemory(Operation &op) {
  WalkResult walked = op.walk([](Operation *inner) {
    return isa<memref::PrefetchOp, scf::ForOp>(inner) ||
                   isMemoryEffectFree(inner)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

/// The op right before a product that makes all of its c.
linalg::LinalgOp findBefore(linalg::LinalgOp product) {
  Operation *op = product->getPrevNode();
  while (op && leavesMemory(*op))
    op = op->getPrevNode();
  auto before = dyn_cast_or_null<linalg::LinalgOp>(op);
  bool found =
      before && mm01::hasVectorBody(before) &&
      before.getDpsInitOperand(0)->get() == product.getDpsInitOperand(0)->get();
  return found ? before : linalg::LinalgOp();
}

/// c[m, n] += a[m, k] * b[k, n]   ==>   loops over tiles in registers
struct VectorizeContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(mm01::matchProduct(op, mm01::Second::Plain, rewriter)))
      return failure();
    auto c = cast<MemRefType>(op.getDpsInitOperand(0)->get().getType());
    if (!c.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "the result is not static");
    ArrayRef<int64_t> size = c.getShape();
    TileShape tile = fit(largestTile(op), size[0], size[1]);
    if (tile.lanes == 0)
      return rewriter.notifyMatchFailure(op, "no vector divides the columns");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    linalg::LinalgOp before = findBefore(op);
    ProductWriter(b, tile, op, before).write();
    rewriter.eraseOp(op);
    if (before)
      rewriter.eraseOp(before);
    return success();
  }
};

struct VectorizeProductsPass
    : mm01::impl::VectorizeProductsPassBase<VectorizeProductsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!mm01::exec::isKernel(getOperation()))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<VectorizeContraction>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
