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
// Requires bufferized kernels. Tested by
// test/codegen/x86/vectorize-products.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Isa.h"
#include "codegen/x86/Passes.h"
#include "codegen/x86/Product.h"
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

/// The tile that leaves registers for b and fills most of the others.
TileShape largestTile(Operation *op) {
  int64_t lanes = mm01::lanesOf(mm01::isaOf(op->getParentOfType<ModuleOp>()));
  return {lanes == 16 ? 8 : 4, 2, lanes};
}

/// The largest tile that divides [m, n]; no lanes where none does.
TileShape fit(TileShape tile, int64_t m, int64_t n) {
  while (m % tile.rows != 0)
    tile.rows /= 2;
  while (tile.lanes >= 4 && n % tile.lanes != 0)
    tile.lanes /= 2;
  if (tile.lanes < 4)
    return {1, 1, 0};
  if (n % (tile.vectors * tile.lanes) != 0)
    tile.vectors = 1;
  return tile;
}

/// Writes the loops over tiles of one product.
class ProductWriter {
public:
  ProductWriter(ImplicitLocOpBuilder &b, TileShape tile, Value a, Value bMatrix,
                Value c)
      : b(b), tile(tile), a(a), bMatrix(bMatrix), c(c),
        vector(VectorType::get({tile.lanes}, b.getF32Type())) {}

  void write() {
    ArrayRef<int64_t> size = cast<MemRefType>(c.getType()).getShape();
    int64_t depth = cast<MemRefType>(a.getType()).getDimSize(1);
    loop(size[1], tile.vectors * tile.lanes, {}, [&](Value j, ValueRange) {
      loop(size[0], tile.rows, {}, [&](Value i, ValueRange) {
        SmallVector<Value> sums;
        eachVector(i, j, [&](Value row, Value column) {
          sums.push_back(
              vector::LoadOp::create(b, vector, c, ValueRange{row, column}));
        });
        ValueRange done =
            loop(depth, 1, sums, [&](Value k, ValueRange carried) {
              return step(i, j, k, carried);
            });
        unsigned next = 0;
        eachVector(i, j, [&](Value row, Value column) {
          vector::StoreOp::create(b, done[next++], c, ValueRange{row, column});
        });
        return SmallVector<Value>();
      });
      return SmallVector<Value>();
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

  ValueRange loop(int64_t end, int64_t by, ValueRange init, Body body) {
    auto made = scf::ForOp::create(b, index(0), index(end), index(by), init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(made.getBody());
    SmallVector<Value> next =
        body(made.getInductionVar(), made.getRegionIterArgs());
    if (!init.empty())
      scf::YieldOp::create(b, next);
    return made.getResults();
  }

  /// The place of each vector of the tile at (i, j), row by row.
  void eachVector(Value i, Value j, function_ref<void(Value, Value)> visit) {
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t v = 0; v < tile.vectors; ++v)
        visit(plus(i, r), plus(j, v * tile.lanes));
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
  VectorType vector;
};

/// c[m, n] += a[m, k] * b[k, n]   ==>   loops over tiles in registers
struct VectorizeContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(mm01::matchProduct(op, mm01::Second::Plain, rewriter)))
      return failure();
    if (!llvm::all_of(op->getOperandTypes(), [](Type type) {
          return cast<MemRefType>(type).hasStaticShape();
        }))
      return rewriter.notifyMatchFailure(op, "operands are not static");
    Value c = op.getDpsInitOperand(0)->get();
    ArrayRef<int64_t> size = cast<MemRefType>(c.getType()).getShape();
    TileShape tile = fit(largestTile(op), size[0], size[1]);
    if (tile.lanes == 0)
      return rewriter.notifyMatchFailure(op, "no vector divides the columns");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ProductWriter(b, tile, op.getDpsInputOperand(0)->get(),
                  op.getDpsInputOperand(1)->get(), c)
        .write();
    rewriter.eraseOp(op);
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
