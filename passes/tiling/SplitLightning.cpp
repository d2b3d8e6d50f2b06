//===- SplitLightning.cpp - kernels of the parts of lightning attention ---===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lightning attention is without the fusion called "attention": decay
// weights with their masks, the order of heads in memory, and each step of a
// single token are kernels of their own, whose results go through memory.
//
//     %o, %s = mm01.lightning_attention %q, %k, %v, … into %out, %state
//   ->
//   single tokens, a workgroup for each sequence and head:
//     %s1 = scf.forall … S = S + (exp(-s) - 1) S     "lightning_decay"
//     %s2 = scf.forall … S = S + k[t]ᵀ v[t]          "lightning_outer"
//     %o1 = scf.forall … out[t] = q[t] S             "lightning_read"
//   sequences of several tokens:
//     %d  = scf.forall … decays of all heads         "lightning_decays"
//     %qh = scf.forall … [T, H, d] as [H, T, d]      "lightning_layout", also k
//                                                    and v
//     %oh, %s = scf.forall …                         "lightning_attention"
//     %o  = scf.forall … [H, T, d] as [T, H, d]      "lightning_layout"
//
// It computes the same, in the same order, so that results are the same to the
// bit: what the fusion saves is measured against it (tools/bench/fusion.py).
//
// Requires plans. Test: test/passes/tiling/split-lightning.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/Switch.h"
#include "passes/tiling/LightningBlocks.h"
#include "passes/tiling/LightningDecode.h"
#include "passes/tiling/LightningKernels.h"
#include "passes/tiling/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mm01 {
#define GEN_PASS_DEF_SPLITLIGHTNINGPASS
#include "passes/tiling/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

class PartsWriter {
public:
  /// `op` has mm01.skip_single.
  PartsWriter(KernelBuilder &b, LightningAttentionOp op,
              const LightningPlan &plan)
      : b(b), op(op), plan(plan), ragged(op.getRagged()),
        heads(b.dim(op.getQ(), 1)),
        width(cast<ShapedType>(op.getQ().getType()).getDimSize(2)) {}

  SmallVector<Value> write() {
    writeSingle();
    sequences = lightningSequences(b, op);
    LightningParts parts{toHeads(op.getQ()), toHeads(op.getK()),
                         toHeads(op.getV()), emptyHeads(op.getOut()), decays()};
    ValueRange attended = writeLightningKernel(b, op, plan, &parts);
    return fromHeads(attended[0], attended[1]);
  }

private:
  OpFoldResult number(int64_t value) { return b.getIndexAttr(value); }

  //===--------------------------------------------------------------------===//
  // Single tokens
  //===--------------------------------------------------------------------===//

  /// A workgroup's token, and its place in out and in the state.
  struct Single {
    Value token, head, past, is;
    Indices rowAt, rowSize, stateAt, stateSize;
  };

  Single findSingle(Value n, Value h) {
    Value begin = b.raggedGet(ragged, RaggedField::seq_offsets, n);
    Value end =
        b.raggedGet(ragged, RaggedField::seq_offsets, b.add(n, b.index(1)));
    Value slot = b.raggedGet(ragged, RaggedField::slot, n);
    Value past = b.raggedGet(ragged, RaggedField::past, n);
    OpFoldResult zero = number(0), one = number(1), size = number(width);
    return {begin,
            h,
            past,
            b.equal(b.sub(end, begin), b.index(1)),
            {begin, h, zero},
            {one, one, size},
            {op.getLayer(), slot, h, zero, zero},
            {one, one, one, size, size}};
  }

  /// A kernel that gives the states of single tokens what `body` makes of them.
  void updateStates(StringRef name,
                    function_ref<Value(const Single &, Value)> body) {
    Value state = b.kernel(
        name, {singles(), heads}, op.getState(),
        [&](ValueRange ids, ValueRange outs) {
          Single at = findSingle(ids[0], ids[1]);
          Value kept = b.slice(outs[0], at.stateAt, at.stateSize, 2);
          Value next = b.select(
              at.is, kept.getType(), [&] { return body(at, kept); },
              [&] { return kept; });
          return SmallVector<Written>{{next, at.stateAt, at.stateSize}};
        })[0];
    op.getStateMutable().set(state);
  }

  /// Sequences that may have one token: one sequence of several is none.
  Value singles() {
    Value all = b.raggedSize(ragged, RaggedExtent::sequences);
    Value tokens = b.raggedSize(ragged, RaggedExtent::tokens);
    Value alone = arith::AndIOp::create(b, b.equal(all, b.index(1)),
                                        b.lessOrEqual(b.index(2), tokens));
    return arith::SelectOp::create(b, alone, b.index(0), all);
  }

  Value rowOf(Value tensor, const Single &at) {
    return b.slice(tensor, at.rowAt, at.rowSize, 1);
  }

  void writeSingle() {
    updateStates("lightning_decay", [&](const Single &at, Value state) {
      Value growth = lightningSlope(b, op, at.head).second;
      // What an earlier owner of the slot left behind is not used.
      Value fresh = b.lessOrEqual(at.past, b.index(0));
      return b.elementwise({}, state, [&](ValueRange a) {
        Value before = arith::SelectOp::create(b, fresh, b.f32(0), a[0]);
        return b.addf(b.mulf(before, growth), before);
      });
    });
    updateStates("lightning_outer", [&](const Single &at, Value state) {
      constexpr auto parallel = utils::IteratorType::parallel;
      return b.generic({rowOf(op.getK(), at), rowOf(op.getV(), at)}, state,
                       {{0}, {1}, {0, 1}}, {parallel, parallel},
                       [&](ValueRange a) {
                         Value product = b.mulf(b.widen(a[0]), b.widen(a[1]));
                         return b.addf(product, a[2]);
                       });
    });
    Value out = b.kernel(
        "lightning_read", {singles(), heads}, op.getOut(),
        [&](ValueRange ids, ValueRange outs) {
          Single at = findSingle(ids[0], ids[1]);
          Value row = rowOf(outs[0], at);
          Value next = b.select(
              at.is, row.getType(), [&] { return b.copy(read(at), row); },
              [&] { return row; });
          return SmallVector<Written>{{next, at.rowAt, at.rowSize}};
        })[0];
    op.getOutMutable().set(out);
  }

  /// q[t] S
  Value read(const Single &at) {
    Value q = rowOf(op.getQ(), at);
    Value state = b.slice(op.getState(), at.stateAt, at.stateSize, 2);
    Value total = b.fill(b.f32(0), b.empty({width}, b.getF32Type()));
    return b.loop(
        b.index(0), b.index(width), total, [&](Value i, ValueRange sums) {
          Value qi = b.widen(b.extract(q, i));
          return Values{
              b.elementwise(b.row(state, i), sums[0], [&](ValueRange a) {
                return b.addf(a[1], b.mulf(qi, a[0]));
              })};
        })[0];
  }

  //===--------------------------------------------------------------------===//
  // Sequences of several tokens
  //===--------------------------------------------------------------------===//

  /// [H, T, d] of the same elements.
  Value emptyHeads(Value x) {
    auto type = cast<RankedTensorType>(x.getType());
    return tensor::EmptyOp::create(
        b, Indices{b.extent(x, 1), b.extent(x, 0), b.extent(x, 2)},
        type.getElementType());
  }

  /// Copies the rows of each sequence and head from one place to the other.
  using Place = std::pair<Indices, Indices>;
  Value layout(Value from, Value to, function_ref<Place(Place)> placeIn,
               function_ref<Place(Place)> placeOut) {
    return b.kernel(
        "lightning_layout", {sequences, heads}, to,
        [&](ValueRange ids, ValueRange outs) {
          auto [begin, count] = lightningTokens(b, op, ids[0]);
          Place rows{{begin, ids[1], number(0)},
                     {count, number(1), number(width)}};
          Place in = placeIn(rows), out = placeOut(rows);
          Value copy = b.copy(b.slice(from, in.first, in.second, 2),
                              b.slice(outs[0], out.first, out.second, 2));
          return SmallVector<Written>{{copy, out.first, out.second}};
        })[0];
  }

  static Place byToken(Place place) { return place; }
  static Place byHead(Place place) {
    std::swap(place.first[0], place.first[1]);
    std::swap(place.second[0], place.second[1]);
    return place;
  }

  Value toHeads(Value x) { return layout(x, emptyHeads(x), byToken, byHead); }

  /// The results of the op.
  SmallVector<Value> fromHeads(Value out, Value state) {
    return {layout(out, op.getOut(), byHead, byToken), state};
  }

  /// The tables of every head; none for a plan of single tokens.
  Values decays() {
    std::vector<int64_t> levels = plan.levels();
    Values tables;
    if (levels.empty())
      return tables;
    for (int64_t size : LightningDecays::tableSizes(levels))
      tables.push_back(tensor::EmptyOp::create(
          b, Indices{b.extent(op.getQ(), 1), number(size)}, b.getF32Type()));
    Value some = b.lessOrEqual(b.index(1), sequences);
    Value grid = arith::SelectOp::create(b, some, heads, b.index(0));
    return Values(b.kernel(
        "lightning_decays", grid, tables, [&](ValueRange ids, ValueRange outs) {
          Value slope = lightningSlope(b, op, ids[0]).first;
          Values rows;
          for (Value out : outs)
            rows.push_back(b.row(out, ids[0]));
          SmallVector<Written> written;
          for (auto [table, out] : llvm::zip_equal(
                   LightningDecays::writeTables(b, slope, levels, rows), outs))
            written.push_back(
                {table, {ids[0], number(0)}, {number(1), b.extent(out, 1)}});
          return written;
        }));
  }

  KernelBuilder &b;
  LightningAttentionOp op;
  const LightningPlan &plan;
  Value ragged, heads, sequences;
  int64_t width;
};

struct SplitLightningPass
    : mm01::impl::SplitLightningPassBase<SplitLightningPass> {
  using Base::Base;

  void runOnOperation() override {
    if (wantsFusion(getOperation(), "attention"))
      return;
    SmallVector<LightningAttentionOp> ops;
    getOperation().walk([&](LightningAttentionOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (LightningAttentionOp op : ops) {
      FailureOr<LightningPlan> plan = readLightningPlan(op);
      if (failed(plan))
        return signalPassFailure();
      // What form-kernels refuses is left for it to name.
      if (op->hasAttr(kSkipSingleAttr) || op->hasAttr(kLightningReverseAttr) ||
          cast<ShapedType>(op.getQ().getType()).isDynamicDim(2) ||
          !getElementTypeOrSelf(op.getState().getType()).isF32())
        continue;
      rewriter.setInsertionPoint(op);
      KernelBuilder b(rewriter, op.getLoc());
      rewriter.modifyOpInPlace(
          op, [&] { op->setAttr(kSkipSingleAttr, rewriter.getUnitAttr()); });
      rewriter.replaceOp(op, PartsWriter(b, op, *plan).write());
    }
  }
};

} // namespace
