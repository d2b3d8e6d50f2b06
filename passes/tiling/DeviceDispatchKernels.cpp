//===- DeviceDispatchKernels.cpp - routing and dispatch on a GPU ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of routing in MoeKernels.cpp takes the rows of a workgroup one
// after another and marks in a copy of the scores which experts have been
// chosen. Here each row is a warp's, all of them at a time, and reads its
// scores once a choice; choices before are compared instead of marked, so that
// nothing is copied. Shares follow when all experts are known.
//
// The counting sort of MoeKernels.cpp is one thread's. Here choices (t, j), in
// order c = t · k + j, are cut into blocks, and each number is a sum that many
// threads make:
//
//     counts[e, b]   = choices of expert e in block b
//     starts[e, b]   = Σ_{e' < e} Σ_b counts[e', b] + Σ_{b' < b} counts[e, b']
//     offsets[e]     = starts[e, 0]
//     positions[t, j] = starts[e, b] + choices of e in block b before (t, j)
//
// for e the expert of (t, j) and b its block.
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/KernelBuilder.h"
#include "passes/tiling/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mm01;

namespace {

/// Choices of a block.
constexpr int64_t kBlock = 1024;

class DispatchWriter {
public:
  DispatchWriter(KernelBuilder &b, DispatchOp op)
      : b(b), op(op), experts(op.getExperts()),
        chosen(b.dim(op.getExperts(), 1)),
        total(b.mul(b.dim(op.getExperts(), 0), chosen)),
        blocks(b.ceilDivide(total, b.index(kBlock))),
        count(cast<ShapedType>(op.getOffsets().getType()).getDimSize(0) - 1) {}

  Values write() {
    Value counts = writeCounts();
    ValueRange sums = writeStarts(counts);
    ValueRange rows = writeRows(sums[1]);
    return {rows[0], sums[0], rows[1]};
  }

private:
  Value i32(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }

  /// Σ body(i) for i in [from, to), of i32.
  Value sum(Value from, Value to, function_ref<Value(Value)> body) {
    return b.loop(from, to, {i32(0)}, [&](Value i, ValueRange carried) {
      return Values{b.add(carried[0], body(i))};
    })[0];
  }

  /// How many of the choices [from, to) are of an expert, given as i32.
  Value countChoices(Value from, Value to, Value expert) {
    return sum(from, to, [&](Value c) -> Value {
      Value found =
          b.extract(experts, {b.divide(c, chosen), b.remainder(c, chosen)});
      return arith::SelectOp::create(b, b.equal(found, expert), i32(1), i32(0));
    });
  }

  /// [rows, blocks] of i32.
  Value table(int64_t rows) {
    return tensor::EmptyOp::create(
        b, Indices{b.getIndexAttr(rows), OpFoldResult(blocks)}, b.getI32Type());
  }

  /// One workgroup a block, a warp for each expert in turn.
  Value writeCounts() {
    auto kernel = [&](ValueRange ids, ValueRange outs) {
      Value from = b.mul(ids[0], b.index(kBlock));
      Value to = b.minimum(b.add(from, b.index(kBlock)), total);
      Indices at{b.getIndexAttr(0), ids[0]};
      Indices sizes{b.getIndexAttr(count), b.getIndexAttr(1)};
      Value column = b.slice(outs[0], at, sizes, 2);
      Value done = b.forWarps(
          b.index(count), column, [&](Value e, Value tile) -> Written {
            Indices place{e, b.getIndexAttr(0)};
            Indices one{b.getIndexAttr(1), b.getIndexAttr(1)};
            Value cell = b.slice(tile, place, one, 2);
            cell = b.insert(countChoices(from, to, b.toI32(e)), cell,
                            {b.index(0), b.index(0)});
            return {cell, place, one};
          });
      return SmallVector<Written>{{done, at, sizes}};
    };
    return b.kernel("dispatch_counts", blocks, table(count), kernel)[0];
  }

  /// One workgroup an expert, and one for the end; a warp for each block.
  ValueRange writeStarts(Value counts) {
    auto kernel = [&](ValueRange ids, ValueRange outs) {
      Value e = ids[0];
      auto at = [&](Value expert, Value block) {
        return b.extract(counts, {expert, block});
      };
      Value first = sum(b.index(0), e, [&](Value other) {
        return sum(b.index(0), blocks,
                   [&](Value block) { return at(other, block); });
      });
      Indices place{e}, one{b.getIndexAttr(1)};
      Value offset =
          b.insert(first, b.slice(outs[0], place, one, 1), {b.index(0)});
      // The end has no blocks of its own: any row will do for it.
      Value row = b.minimum(e, b.index(count - 1));
      Indices rowAt{e, b.getIndexAttr(0)};
      Indices rowSizes{b.getIndexAttr(1), OpFoldResult(blocks)};
      Value done = b.forWarps(
          blocks, b.slice(outs[1], rowAt, rowSizes, 2),
          [&](Value block, Value tile) -> Written {
            Value before =
                sum(b.index(0), block, [&](Value i) { return at(row, i); });
            Indices cellAt{b.getIndexAttr(0), block};
            Indices cellSizes{b.getIndexAttr(1), b.getIndexAttr(1)};
            Value cell = b.slice(tile, cellAt, cellSizes, 2);
            cell =
                b.insert(b.add(first, before), cell, {b.index(0), b.index(0)});
            return {cell, cellAt, cellSizes};
          });
      return SmallVector<Written>{{offset, place, one},
                                  {done, rowAt, rowSizes}};
    };
    return b.kernel("dispatch_starts", b.index(count + 1),
                    {op.getOffsets(), table(count + 1)}, kernel);
  }

  /// One workgroup a choice.
  ValueRange writeRows(Value starts) {
    auto kernel = [&](ValueRange ids, ValueRange outs) {
      Value t = ids[0], j = ids[1];
      Value c = b.add(b.mul(t, chosen), j);
      Value expert = b.extract(experts, {t, j});
      Value block = b.divide(c, b.index(kBlock));
      Value before = countChoices(b.mul(block, b.index(kBlock)), c, expert);
      Value position =
          b.add(b.extract(starts, {b.toIndex(expert), block}), before);
      Indices cellAt{t, j};
      Indices cellSizes{b.getIndexAttr(1), b.getIndexAttr(1)};
      Value cell = b.insert(position, b.slice(outs[1], cellAt, cellSizes, 2),
                            {b.index(0), b.index(0)});
      Indices at{b.toIndex(position), b.getIndexAttr(0)};
      Indices sizes{b.getIndexAttr(1), b.extent(op.getX(), 1)};
      Value row = b.copy(b.row(op.getX(), t), b.slice(outs[0], at, sizes, 1));
      return SmallVector<Written>{{row, at, sizes}, {cell, cellAt, cellSizes}};
    };
    return b.kernel("dispatch_rows", {b.dim(experts, 0), chosen},
                    {op.getRows(), op.getPositions()}, kernel);
  }

  KernelBuilder &b;
  DispatchOp op;
  Value experts, chosen, total, blocks;
  int64_t count;
};

struct DeviceDispatch : OpRewritePattern<DispatchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DispatchOp op,
                                PatternRewriter &rewriter) const override {
    KernelBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, DispatchWriter(b, op).write());
    return success();
  }
};

/// Rows of a workgroup: a warp each.
constexpr int64_t kRows = 8;

/// mm01.route %logits into %w, %e
///   ==>   scf.forall for workgroups of 8 rows, scf.forall for warps inside
struct DeviceRoute : OpRewritePattern<RouteOp> {
  using OpRewritePattern::OpRewritePattern;

  /// The first expert with the largest score of row t that is none of `before`.
  static Value largest(KernelBuilder &b, Value logits, Value t,
                       ArrayRef<Value> before) {
    Value lowest = b.f32(-std::numeric_limits<float>::infinity());
    auto compare = [&](Value e, ValueRange carried) {
      Value score = b.widen(b.extract(logits, {t, e}));
      Value better = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, score,
                                           carried[0]);
      for (Value other : before)
        better = arith::AndIOp::create(
            b, better,
            arith::CmpIOp::create(b, arith::CmpIPredicate::ne, e, other));
      auto choose = [&](Value yes, Value no) -> Value {
        return arith::SelectOp::create(b, better, yes, no);
      };
      return Values{choose(score, carried[0]), choose(e, carried[1])};
    };
    return b.loop(b.index(0), b.dim(logits, 1), {lowest, b.index(0)},
                  compare)[1];
  }

  LogicalResult matchAndRewrite(RouteOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getWeights().getType());
    const int64_t chosen = type.getDimSize(1);
    if (ShapedType::isDynamic(chosen))
      return rewriter.notifyMatchFailure(op, "chooses an unknown number");
    KernelBuilder b(rewriter, op.getLoc());
    Value logits = op.getLogits(), count = b.dim(logits, 0);

    Indices rowSizes{b.getIndexAttr(1), b.getIndexAttr(chosen)};
    auto choose = [&](Value t, Value local, Value tile) -> Written {
      Indices at{local, b.getIndexAttr(0)};
      Value numbers = b.slice(tile, at, rowSizes, 1);
      SmallVector<Value> experts;
      for (int64_t j = 0; j < chosen; ++j)
        experts.push_back(largest(b, logits, t, experts));
      for (int64_t j = 0; j < chosen; ++j)
        numbers = b.insert(b.toI32(experts[j]), numbers, b.index(j));
      return {numbers, at, rowSizes};
    };
    auto share = [&](Value t, Value local, Value experts,
                     Value tile) -> Written {
      SmallVector<Value> scores, shares;
      for (int64_t j = 0; j < chosen; ++j) {
        Value expert = b.toIndex(b.extract(experts, {local, b.index(j)}));
        scores.push_back(b.widen(b.extract(logits, {t, expert})));
        // The first choice has the largest score.
        shares.push_back(b.exp(b.subf(scores[j], scores[0])));
      }
      Value total = shares[0];
      for (int64_t j = 1; j < chosen; ++j)
        total = b.addf(total, shares[j]);
      Indices at{local, b.getIndexAttr(0)};
      Value weights = b.slice(tile, at, rowSizes, 1);
      for (int64_t j = 0; j < chosen; ++j)
        weights =
            b.insert(b.narrow(b.divf(shares[j], total), type.getElementType()),
                     weights, b.index(j));
      return {weights, at, rowSizes};
    };
    auto kernel = [&](ValueRange ids, ValueRange outs) {
      Value first = b.mul(ids[0], b.index(kRows));
      Value here = b.minimum(b.index(kRows), b.sub(count, first));
      Value experts = b.forWarps(
          here, b.rows(outs[1], first, here), [&](Value local, Value tile) {
            return choose(b.add(first, local), local, tile);
          });
      Value weights = b.forWarps(
          here, b.rows(outs[0], first, here), [&](Value local, Value tile) {
            return share(b.add(first, local), local, experts, tile);
          });
      Indices at{first, b.getIndexAttr(0)};
      Indices sizes{here, b.getIndexAttr(chosen)};
      return SmallVector<Written>{{weights, at, sizes}, {experts, at, sizes}};
    };
    rewriter.replaceOp(op,
                       b.kernel("route", b.ceilDivide(count, b.index(kRows)),
                                {op.getWeights(), op.getExperts()}, kernel));
    return success();
  }
};

} // namespace

void mm01::populateDeviceDispatchPatterns(RewritePatternSet &patterns) {
  patterns.add<DeviceDispatch, DeviceRoute>(patterns.getContext());
}
