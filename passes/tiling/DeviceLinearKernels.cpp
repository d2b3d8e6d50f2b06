//===- DeviceLinearKernels.cpp - linear maps as a GPU does them -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library of the device multiplies where it knows the types, but for few
// rows of a narrow weight, where a kernel is faster and has an empty grid for
// more:
//
//     %y = mm01.linear %x, %w into %out
//   ->
//     %few = scf.forall (%i, %j) in (%tiles, %panels) shared_outs(%o = %out) {
//       sums over k for a block of rows and a column
//     } {mm01.kernel = "linear"}
//     %y = mm01.library_linear %x, %w into %few above 4
//
// A kernel reads each element of the weight once, where it lies, by lanes side
// by side: all threads of a workgroup sum up for one column of a narrow weight,
// a warp for two columns of a wide one or of an expert's. Without the library
// another kernel multiplies many rows by a narrow weight: there a row of x
// serves more columns.
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01LibraryOps.h"
#include "passes/tiling/FewRows.h"
#include "passes/tiling/KernelBuilder.h"
#include "passes/tiling/Patterns.h"
#include "passes/tiling/WeightPanel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mm01;

namespace {

/// Warps that a workgroup has.
constexpr int64_t kWarps = 8;
/// Columns of a warp: a row of x is read once for all of them.
constexpr int64_t kWarpColumns = 2;
/// Rows that share one pass over the weight. Sums for more would need registers
/// that keep blocks from a multiprocessor, and loads from being under way.
constexpr int64_t kRowBlock = 4;
/// Rows that a workgroup multiplies.
constexpr int64_t kRowTile = 64;
/// A weight of at most this many columns is narrow: with warps for them, few
/// multiprocessors would read it.
constexpr int64_t kNarrow = 1024;
/// Columns of a warp where many rows are multiplied without the library.
constexpr int64_t kManyColumns = 4;
/// More rows are many, where the library does not multiply.
constexpr int64_t kFewRows = 16;
/// More rows of a narrow weight are the library's, and all rows of a wide one:
/// on an H200 cuBLASLt takes 18 us for 1024 x 6144, the kernel 11 for one row
/// and 29 for 16; 75 us for one row of 24576 x 6144, the kernel 95
/// (tools/bench/hopper_linear.py).
constexpr int64_t kLibraryAboveNarrow = 4;
/// The library wants rows at multiples of 16 bytes.
constexpr int64_t kLibraryStep = 8;

/// How a product is shared out: workgroups of `tile` rows and `panel` columns,
/// `warp` columns a warp, or all threads of a workgroup for one column.
struct Shares {
  int64_t all, warp, panel, tile;

  /// For few rows of a weight with so many columns.
  static Shares forFew(int64_t columns) {
    if (columns <= kNarrow)
      return {columns, 0, 1, kRowTile};
    int64_t warp = columns % kWarpColumns == 0 ? kWarpColumns : 1;
    return {columns, warp, kWarps * warp, kRowTile};
  }
  /// For many rows: a warp multiplies them by more columns.
  static Shares forMany(int64_t columns) {
    int64_t warp = columns % kManyColumns == 0 ? kManyColumns : 1;
    return {columns, warp, kWarps * warp, kRowBlock};
  }

  int64_t panels() const { return (all + panel - 1) / panel; }
};

class ProductWriter {
public:
  /// x [T, K] times the panel's rows.
  ProductWriter(KernelBuilder &b, Value x, const Panel &panel)
      : b(b), x(x), panel(panel) {}

  /// out[first + i, place + j] for i < rows and j < columns, of columns from
  /// `column` on. Rows from `end` on stand for the one before it, which is then
  /// made more than once.
  Value block(Value out, Value place, Value column, int64_t columns,
              Value first, int64_t rows, Value end) {
    Type type = getElementTypeOrSelf(out.getType());
    Values at, weights;
    for (int64_t i = 0; i < rows; ++i)
      at.push_back(
          i == 0 ? first
                 : b.minimum(b.add(first, b.index(i)), b.sub(end, b.index(1))));
    for (int64_t j = 0; j < columns; ++j)
      weights.push_back(j == 0 ? column : b.add(column, b.index(j)));
    Values dots = b.sums(b.dim(panel.rows, 1), rows * columns, [&](Value k) {
      Values wide, products;
      for (Value n : weights)
        wide.push_back(b.widen(b.extract(panel.rows, {n, k})));
      for (Value r : at) {
        Value value = b.widen(b.extract(x, {r, k}));
        for (Value weight : wide)
          products.push_back(b.mulf(value, weight));
      }
      return products;
    });
    for (auto [i, r] : llvm::enumerate(at))
      for (auto [j, n] : llvm::enumerate(weights)) {
        Value dot = dots[i * columns + j];
        if (panel.scales)
          dot = b.mulf(dot, b.extract(panel.scales, n));
        Value to = j == 0 ? place : b.add(place, b.index(j));
        out = b.insert(b.narrow(dot, type), out, {r, to});
      }
    return out;
  }

  /// The same for all rows of x, a block at a time. Blocks with fewer rows do
  /// less work: 1, 2 or kRowBlock.
  Value rows(Value out, Value place, Value column, int64_t columns) {
    Value count = b.dim(x, 0), size = b.index(kRowBlock);
    return b.loop(b.index(0), b.ceilDivide(count, size), out,
                  [&](Value i, ValueRange carried) {
                    Value first = b.mul(i, size);
                    Value left = b.sub(count, first);
                    std::function<Value(int64_t)> choose =
                        [&](int64_t rows) -> Value {
                      auto here = [&] {
                        return block(carried[0], place, column, columns, first,
                                     rows, count);
                      };
                      if (rows == kRowBlock)
                        return here();
                      return b.select(b.lessOrEqual(left, b.index(rows)),
                                      carried[0].getType(), here,
                                      [&] { return choose(2 * rows); });
                    };
                    return Values{choose(1)};
                  })[0];
  }

private:
  KernelBuilder &b;
  Value x;
  Panel panel;
};

/// The columns [begin, begin + width) of a workgroup, shared among its warps.
Value writeWarps(KernelBuilder &b, ProductWriter &writer, Value out,
                 Value begin, OpFoldResult width, int64_t columns) {
  Value warps = b.divide(getValueOrCreateConstantIndexOp(b, b.getLoc(), width),
                         b.index(columns));
  return b.forWarps(warps, out, [&](Value warp, Value tile) -> Written {
    Value first = b.mul(warp, b.index(columns));
    Indices at{b.getIndexAttr(0), first};
    Indices sizes{b.extent(out, 0), b.getIndexAttr(columns)};
    Value done = writer.rows(b.slice(tile, at, sizes, 2), b.index(0),
                             b.add(begin, first), columns);
    return {done, at, sizes};
  });
}

/// What one workgroup writes: rows [first, first + count) and a panel of
/// columns.
Written writePanel(KernelBuilder &b, Value x, const Panel &part, Value out,
                   Value first, Value count, Value number,
                   const Shares &shares) {
  Value begin = b.mul(number, b.index(shares.panel));
  OpFoldResult width = b.getIndexAttr(shares.panel);
  if (shares.all % shares.panel != 0)
    width = b.minimum(b.index(shares.panel), b.sub(b.index(shares.all), begin));
  Indices offsets{first, begin}, sizes{count, width};
  Value target = b.slice(out, offsets, sizes, 2);
  ProductWriter writer(b, b.rows(x, first, count), part);
  Value done = shares.warp == 0
                   ? writer.rows(target, b.index(0), begin, 1)
                   : writeWarps(b, writer, target, begin, width, shares.warp);
  return {done, offsets, sizes};
}

bool libraryMultiplies(LinearOp op) {
  Type x = getElementTypeOrSelf(op.getX().getType());
  Type out = getElementTypeOrSelf(op.getOut().getType());
  WeightType weight = op.getWeight().getType();
  return (x.isBF16() || x.isF16()) && weight.getElementType() == x &&
         (out == x || out.isF32()) &&
         weight.getShape()[0] % kLibraryStep == 0 &&
         weight.getShape()[1] % kLibraryStep == 0;
}

struct DeviceLinear : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  /// A kernel for the product, launched where `wanted`.
  static Value kernel(KernelBuilder &b, LinearOp op, Value out,
                      const Shares &shares, Value wanted) {
    Value total = b.dim(op.getX(), 0);
    Value tiles = b.ceilDivide(total, b.index(shares.tile));
    if (wanted)
      tiles = arith::SelectOp::create(b, wanted, tiles, b.index(0));
    return b.kernel(
        "linear", {tiles, b.index(shares.panels())}, out,
        [&](ValueRange ids, ValueRange outs) {
          Panel part = readPart(b, op.getWeight(), b.index(0));
          Value first = b.mul(ids[0], b.index(shares.tile));
          Value count = b.minimum(b.index(shares.tile), b.sub(total, first));
          return SmallVector<Written>{writePanel(b, op.getX(), part, outs[0],
                                                 first, count, ids[1], shares)};
        })[0];
  }

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    int64_t columns = op.getWeight().getType().getShape()[0];
    Shares few = Shares::forFew(columns);
    bool isNarrow = few.warp == 0, hasLibrary = libraryMultiplies(op);
    int64_t most = hasLibrary ? isNarrow * kLibraryAboveNarrow : kFewRows;
    Value total = b.dim(op.getX(), 0);
    Value done = op.getOut();
    if (auto rows = op->getAttrOfType<IntegerAttr>(kFewRowsAttr)) {
      Value wanted = b.lessOrEqual(total, b.index(rows.getInt()));
      rewriter.replaceOp(op, kernel(b, op, done, few, wanted));
      return success();
    }
    // Of a wide weight without the library all rows are one kernel's.
    bool hasTwo = hasLibrary || isNarrow;
    if (most > 0)
      done = kernel(b, op, done, few,
                    hasTwo ? b.lessOrEqual(total, b.index(most)) : Value());
    if (hasLibrary)
      done = LibraryLinearOp::create(b, op.getOut().getType(), op.getX(),
                                     op.getWeight(), done, most);
    else if (isNarrow)
      done = kernel(b, op, done, Shares::forMany(columns),
                    b.lessOrEqual(b.index(most + 1), total));
    rewriter.replaceOp(op, done);
    return success();
  }
};

/// One workgroup for all rows of an expert and a panel of its weight.
struct DeviceGroupedLinear : OpRewritePattern<GroupedLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GroupedLinearOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    ArrayRef<int64_t> shape = op.getWeight().getType().getShape();
    Shares shares = Shares::forFew(shape[1]);
    Value offsets = op.getOffsets();
    rewriter.replaceOp(
        op, b.kernel(
                "grouped_linear", {b.index(shape[0]), b.index(shares.panels())},
                op.getOut(), [&](ValueRange ids, ValueRange outs) {
                  Panel part = readPart(b, op.getWeight(), ids[0]);
                  Value begin = b.toIndex(b.extract(offsets, ids[0]));
                  Value end =
                      b.toIndex(b.extract(offsets, b.add(ids[0], b.index(1))));
                  return SmallVector<Written>{
                      writePanel(b, op.getRows(), part, outs[0], begin,
                                 b.sub(end, begin), ids[1], shares)};
                }));
    return success();
  }
};

} // namespace

void mm01::populateDeviceLinearPatterns(RewritePatternSet &patterns) {
  patterns.add<DeviceLinear, DeviceGroupedLinear>(patterns.getContext());
}
