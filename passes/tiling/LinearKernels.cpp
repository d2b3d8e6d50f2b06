//===- LinearKernels.cpp - kernels of linear and grouped expert linear ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup makes one panel of output columns for a range of rows. Up to
// kFewRows rows it reads the weight in its storage type and takes dot products,
// in tiles of some rows and columns whose sums stay in registers and which ask
// for the weight ahead (codegen/x86/VectorizeSums.cpp); for more rows it widens
// the panel of the weight into scratch and calls the BLAS, which is what a
// linalg.matmul of float32 means here. The BLAS is faster by little, and
// widening a panel costs what some tens of rows do. A row of an int8 weight has
// one scale: a dot product is scaled when it is complete, a panel while it is
// widened.
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/KernelBuilder.h"
#include "passes/tiling/Patterns.h"
#include "passes/tiling/WeightPanel.h"

using namespace mlir;
using namespace mm01;

namespace {

constexpr int64_t kFewRows = 128;
/// Rows that share one pass over a row of the panel, where there are so many.
constexpr int64_t kRowBlock = 4;
/// Columns that are always multiplied together, if there are two.
constexpr int64_t kColumnPair = 2;
/// Elements of the rows of x that share a pass over the panel: 24 KiB.
constexpr int64_t kGroupElements = 6144;
/// Rows of x that one workgroup multiplies.
constexpr int64_t kRowTile = 512;

/// Columns of a panel: as many as let its float32 copy stay near 1 MiB.
int64_t panelColumns(ArrayRef<int64_t> weight) {
  int64_t columns = weight[weight.size() - 2], depth = weight.back();
  int64_t panel = std::clamp<int64_t>((1 << 18) / depth / 16 * 16, 16, 128);
  return std::min(panel, columns);
}

/// out[first + j, n] = Σ_k x[first + j, k] · panel[n, k] for j < rows and each
/// n of `from`: an element is loaded, and widened, once for all these products.
Value dotTile(KernelBuilder &b, Value x, const Panel &panel, Value out,
              ValueRange from, Value first, int64_t rows) {
  Type type = getElementTypeOrSelf(out.getType());
  Values at;
  for (int64_t j = 0; j < rows; ++j)
    at.push_back(b.add(first, b.index(j)));
  Values dots = b.sums(b.dim(panel.rows, 1), rows * from.size(), [&](Value k) {
    Values elements, products;
    for (Value r : at)
      elements.push_back(b.widen(b.extract(x, {r, k})));
    for (Value c : from) {
      Value weight = b.widen(b.extract(panel.rows, {c, k}));
      for (Value element : elements)
        products.push_back(b.mulf(element, weight));
    }
    return products;
  });
  unsigned next = 0;
  for (Value c : from)
    for (Value r : at) {
      Value dot = dots[next++];
      if (panel.scales)
        dot = b.mulf(dot, b.extract(panel.scales, c));
      out = b.insert(b.narrow(dot, type), out, {r, c});
    }
  return out;
}

/// Rows [first, first + count) of a group, and blocks of how many of them, a
/// multiple of kRowBlock, come first; 0 if there is less than one of kRowBlock.
struct RowGroup {
  Value first, count;
  int64_t block;
};

/// The same for a group of rows, a block at a time, then those that are left.
/// There is no loop over these, from which LLVM would move the widening of a
/// whole row to the stack.
Value dotColumns(KernelBuilder &b, Value x, const Panel &panel, Value out,
                 ValueRange from, const RowGroup &group) {
  Value first = group.first, left = group.count, done = out;
  for (int64_t size = group.block; size >= kRowBlock; size /= 2) {
    Value block = b.index(size), begin = first;
    Value blocks = b.divide(left, block), whole = b.mul(blocks, block);
    done = b.loop(b.index(0), blocks, done, [&](Value i, ValueRange inner) {
      Value row = b.add(begin, b.mul(i, block));
      return Values{dotTile(b, x, panel, inner[0], from, row, size)};
    })[0];
    first = b.add(first, whole);
    left = b.sub(left, whole);
  }
  for (int64_t rows = 1; rows < kRowBlock; ++rows)
    done = b.select(
        b.equal(left, b.index(rows)), done.getType(),
        [&] { return dotTile(b, x, panel, done, from, first, rows); },
        [&] { return done; });
  return done;
}

/// The same for all columns, some at a time. Those that go together lie a part
/// of the panel apart, so that each runs through memory from end to end, which
/// the processor foresees.
Value dotPanel(KernelBuilder &b, Value x, const Panel &panel, Value out,
               int64_t together, const RowGroup &group) {
  auto type = cast<RankedTensorType>(panel.rows.getType());
  Value columns = b.dim(panel.rows, 0);
  Value apart = b.divide(columns, b.index(together));
  Value done = b.loop(b.index(0), apart, out, [&](Value n, ValueRange outer) {
    Values from;
    for (int64_t i = 0; i < together; ++i)
      from.push_back(b.add(n, b.mul(apart, b.index(i))));
    return Values{dotColumns(b, x, panel, outer[0], from, group)};
  })[0];
  if (!type.isDynamicDim(0) && type.getDimSize(0) % together == 0)
    return done;
  return b.loop(b.mul(apart, b.index(together)), columns, done,
                [&](Value n, ValueRange outer) {
                  return Values{dotColumns(b, x, panel, outer[0], n, group)};
                })[0];
}

/// Rows and columns of a tile, whose sums stay in registers.
struct DotShape {
  int64_t rows, columns;
};

/// The shapes for many rows, then for fewer: 16 sums in the 32 registers of
/// AVX-512, 8 in the 16 of others. A few rows wait for memory, for which two
/// columns at a time are best.
SmallVector<DotShape> shapesFor(Operation *op) {
  auto isa =
      op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(kIsaAttr);
  if (isa && isa.getValue() == "x86-64-v4")
    return {{2 * kRowBlock, kColumnPair},
            {kRowBlock, 2 * kColumnPair},
            {0, kColumnPair}};
  return {{kRowBlock, kColumnPair}, {0, kColumnPair}};
}

/// out[r, n] = Σ_k x[r, k] · panel[n, k] for rows [first, first + count), in
/// tiles of the first shape that has no more rows.
Value dotRows(KernelBuilder &b, Value x, const Panel &panel, Value out,
              ArrayRef<DotShape> shapes, Value first, Value count) {
  DotShape shape = shapes.front();
  auto all = [&] {
    return dotPanel(b, x, panel, out, shape.columns,
                    {first, count, shape.rows});
  };
  if (shapes.size() == 1)
    return all();
  return b.select(
      b.lessOrEqual(b.index(shape.rows), count), out.getType(), all, [&] {
        return dotRows(b, x, panel, out, shapes.drop_front(), first, count);
      });
}

/// The same for all rows, by groups that stay in the first cache while the
/// panel passes: it comes from memory for the first group and from the second
/// cache for the others.
Value dotProducts(KernelBuilder &b, Value x, const Panel &panel, Value out,
                  ArrayRef<DotShape> shapes) {
  Value count = b.dim(x, 0);
  int64_t depth = cast<ShapedType>(panel.rows.getType()).getDimSize(1);
  int64_t block = shapes.front().rows;
  int64_t rows = kGroupElements / depth / block * block;
  Value group = b.index(std::clamp<int64_t>(rows, block, kFewRows));
  return b.loop(b.index(0), b.ceilDivide(count, group), out,
                [&](Value g, ValueRange groups) {
                  Value first = b.mul(g, group);
                  Value here = b.minimum(group, b.sub(count, first));
                  return Values{
                      dotRows(b, x, panel, groups[0], shapes, first, here)};
                })[0];
}

/// The panel in float32: itself, or a copy in the worker's scratch.
Value widenPanel(KernelBuilder &b, const Panel &panel, int64_t columns) {
  auto type = cast<RankedTensorType>(panel.rows.getType());
  if (type.getElementType().isF32())
    return panel.rows;
  Value scratch = b.empty({columns, type.getDimSize(1)}, b.getF32Type());
  Value wide = b.rows(scratch, b.index(0), b.dim(panel.rows, 0));
  if (!panel.scales)
    return b.copy(panel.rows, wide);
  constexpr utils::IteratorType parallel = utils::IteratorType::parallel;
  return b.generic({panel.rows, panel.scales}, wide, {{0, 1}, {0}, {0, 1}},
                   {parallel, parallel},
                   [&](ValueRange a) { return b.mulf(b.widen(a[0]), a[1]); });
}

/// The same by the BLAS.
Value multiply(KernelBuilder &b, Value x, const Panel &panel, Value out,
               int64_t columns) {
  Value wide = widenPanel(b, panel, columns);
  Value zero = b.fill(b.f32(0), out);
  return b.multiplyInto(x, wide, zero);
}

/// What one workgroup writes: rows [first, first + count) of panel `number` of
/// out. One panel is seen to be all columns, and panels that divide them to be
/// alike.
Written writePanel(KernelBuilder &b, Value x, const Panel &part, Value out,
                   Value first, Value count, Value number, int64_t columns,
                   ArrayRef<DotShape> shapes) {
  int64_t all = cast<ShapedType>(part.rows.getType()).getDimSize(0);
  OpFoldResult column = b.getIndexAttr(0), width = b.getIndexAttr(columns);
  if (columns != all) {
    Value begin = b.mul(number, b.index(columns));
    column = begin;
    if (all % columns != 0)
      width = b.minimum(b.index(columns), b.sub(b.index(all), begin));
  }
  Indices offsets{first, column}, sizes{count, width};
  Value rows = b.rows(x, first, count);
  Panel panel{b.rows(part.rows, column, width), {}};
  if (part.scales)
    panel.scales = b.rows(part.scales, column, width);
  Value target = b.slice(out, offsets, sizes, 2);
  Value done = b.select(
      b.lessOrEqual(count, b.index(kFewRows)), target.getType(),
      [&] { return dotProducts(b, rows, panel, target, shapes); },
      [&] { return multiply(b, rows, panel, target, columns); });
  return {done, offsets, sizes};
}

LogicalResult requireFloat32(Operation *op, PatternRewriter &rewriter, Value x,
                             Value out) {
  if (getElementTypeOrSelf(x.getType()).isF32() &&
      getElementTypeOrSelf(out.getType()).isF32())
    return success();
  return rewriter.notifyMatchFailure(
      op, "the CPU multiplies float32 activations only");
}

/// One workgroup for kRowTile rows and a panel.
struct LinearKernel : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(requireFloat32(op, rewriter, op.getX(), op.getOut())))
      return failure();
    KernelBuilder b(rewriter, op.getLoc());
    WeightType weight = op.getWeight().getType();
    int64_t columns = panelColumns(weight.getShape());
    SmallVector<DotShape> shapes = shapesFor(op);
    Value total = b.dim(op.getX(), 0);
    Value panels = b.index((weight.getShape()[0] + columns - 1) / columns);
    Value tiles = b.ceilDivide(total, b.index(kRowTile));
    rewriter.replaceOp(
        op, b.kernel("linear", {tiles, panels}, op.getOut(),
                     [&](ValueRange ids, ValueRange outs) {
                       Panel part = readPart(b, op.getWeight(), b.index(0));
                       Value first = b.mul(ids[0], b.index(kRowTile));
                       Value count =
                           b.minimum(b.index(kRowTile), b.sub(total, first));
                       return SmallVector<Written>{
                           writePanel(b, op.getX(), part, outs[0], first, count,
                                      ids[1], columns, shapes)};
                     }));
    return success();
  }
};

/// One workgroup for up to kRowTile rows of an expert and a panel of its
/// weight. An expert may get all rows, so that there are workgroups without
/// one.
struct GroupedLinearKernel : OpRewritePattern<GroupedLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GroupedLinearOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(requireFloat32(op, rewriter, op.getRows(), op.getOut())))
      return failure();
    KernelBuilder b(rewriter, op.getLoc());
    WeightType weight = op.getWeight().getType();
    int64_t columns = panelColumns(weight.getShape());
    SmallVector<DotShape> shapes = shapesFor(op);
    Value experts = b.index(weight.getShape()[0]);
    Value tile = b.index(kRowTile);
    Value tiles = b.ceilDivide(b.dim(op.getRows(), 0), tile);
    Value panels = b.index((weight.getShape()[1] + columns - 1) / columns);
    Value offsets = op.getOffsets();
    rewriter.replaceOp(
        op, b.kernel("grouped_linear", {experts, tiles, panels}, op.getOut(),
                     [&](ValueRange ids, ValueRange outs) {
                       Panel part = readPart(b, op.getWeight(), ids[0]);
                       Value begin = b.toIndex(b.extract(offsets, ids[0]));
                       Value end = b.toIndex(
                           b.extract(offsets, b.add(ids[0], b.index(1))));
                       Value first =
                           b.minimum(b.add(begin, b.mul(ids[1], tile)), end);
                       Value count = b.minimum(tile, b.sub(end, first));
                       return SmallVector<Written>{
                           writePanel(b, op.getRows(), part, outs[0], first,
                                      count, ids[2], columns, shapes)};
                     }));
    return success();
  }
};

} // namespace

void mm01::populateLinearKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<LinearKernel, GroupedLinearKernel>(patterns.getContext());
}
