//===- FormLightningDecode.cpp - single tokens get a kernel ----*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sequence of one token is decoded by moving its whole state through the
// chip once; nothing else takes time. A kernel that is made for blocks of
// tokens would do it with a few of the chip's blocks, so single tokens get one
// of their own:
//
//     %o, %s = mm01.lightning_attention %q, … into %out, %state
//   ->
//     %o1, %s1 = scf.forall (%n, %h, %part) in (%N, H, d / 32)
//         shared_outs(%out, %state) {…} {mm01.kernel = "lightning_decode",
//         exec.sequences = #exec.sequences<single>}
//     %o, %s = mm01.lightning_attention %q, … into %o1, %s1
//         {mm01.skip_single}
//
// A workgroup has a sequence n, a head h and 32 columns c of the state, and
// does nothing unless the sequence has exactly one token, t:
//
//     S[i, c] = (exp(-s) - 1) S[i, c] + S[i, c] + k[t, i] v[t, c]
//     out[t, c] = Σ_i q[t, i] S[i, c]
//
// which is the recurrence of LightningKernels.cpp, S being 0 where the sequence
// has no past. Both lines are one linalg.generic, which reads and writes the
// state once.
//
// Requires the graph phase. Test:
// test/passes/tiling/form-lightning-decode.mlir
//
//===----------------------------------------------------------------------===//

#include "dialects/exec/ExecDialect.h"
#include "passes/tiling/KernelBuilder.h"
#include "passes/tiling/LightningDecode.h"
#include "passes/tiling/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mm01 {
#define GEN_PASS_DEF_FORMLIGHTNINGDECODEPASS
#include "passes/tiling/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// Columns of a state that one workgroup has: rows of 128 bytes, and enough
/// workgroups for a chip even of a single sequence.
constexpr int64_t kColumns = 32;

class DecodeWriter {
public:
  DecodeWriter(KernelBuilder &b, LightningAttentionOp op)
      : b(b), op(op), ragged(op.getRagged()),
        width(cast<ShapedType>(op.getQ().getType()).getDimSize(2)),
        columns(width % kColumns == 0 ? kColumns
                : width % 16 == 0     ? 16
                                      : width) {}

  ValueRange write() {
    Value heads = b.dim(op.getQ(), 1);
    ValueRange results = b.kernel(
        "lightning_decode", {countSequences(), heads, b.index(width / columns)},
        {op.getOut(), op.getState()}, [&](ValueRange ids, ValueRange outs) {
          return workgroup(ids[0], ids[1], ids[2], outs);
        });
    results.front().getDefiningOp()->setAttr(
        exec::kSequencesAttr,
        exec::SequencesAttr::get(b.getContext(), exec::Sequences::single));
    return results;
  }

private:
  /// All, unless none has one token. How many have is no number for a grid:
  /// padding has none, and a graph is for any padding.
  Value countSequences() {
    Value all = b.raggedSize(ragged, RaggedExtent::sequences);
    Value several = b.raggedSize(ragged, RaggedExtent::several);
    return arith::SelectOp::create(b, b.equal(all, several), b.index(0), all);
  }

  OpFoldResult number(int64_t value) { return b.getIndexAttr(value); }

  SmallVector<Written> workgroup(Value n, Value h, Value part,
                                 ValueRange outs) {
    Value token = b.raggedGet(ragged, RaggedField::seq_offsets, n);
    Value end =
        b.raggedGet(ragged, RaggedField::seq_offsets, b.add(n, b.index(1)));
    Value slot = b.raggedGet(ragged, RaggedField::slot, n);
    Value past = b.raggedGet(ragged, RaggedField::past, n);
    Value column = b.mul(part, b.index(columns));
    OpFoldResult zero = number(0), one = number(1);
    Indices stateAt{op.getLayer(), slot, h, zero, column};
    Indices stateSize{one, one, one, number(width), number(columns)};
    Indices rowAt{token, h, column}, rowSize{one, one, number(columns)};
    Value state = b.slice(outs[1], stateAt, stateSize, 2);
    Value row = b.slice(outs[0], rowAt, rowSize, 1);
    Value single = b.equal(b.sub(end, token), b.index(1));
    Values done = b.branch(
        single, TypeRange{row.getType(), state.getType()},
        [&] {
          Indices headAt{token, h, zero}, headSize{one, one, number(width)};
          Value q = b.slice(op.getQ(), headAt, headSize, 1);
          Value k = b.slice(op.getK(), headAt, headSize, 1);
          Value v = b.slice(op.getV(), rowAt, rowSize, 1);
          Values next = step(q, k, v, growthOf(h), past, state);
          return Values{b.copy(next[1], row), next[0]};
        },
        [&] { return Values{row, state}; });
    return {{done[0], rowAt, rowSize}, {done[1], stateAt, stateSize}};
  }

  /// exp(-s) - 1, rounded once.
  Value growthOf(Value h) {
    Value slope = b.narrow(b.extract(op.getSlopes(), h), b.getF64Type());
    Value negated = arith::NegFOp::create(b, slope);
    return b.narrow(math::ExpM1Op::create(b, negated), b.getF32Type());
  }

  /// The state after the token, and what it answers in float32.
  Values step(Value q, Value k, Value v, Value growth, Value past,
              Value state) {
    Value fresh = b.lessOrEqual(past, b.index(0));
    Value total = b.fill(b.f32(0), b.empty({columns}, b.getF32Type()));
    MLIRContext *context = b.getContext();
    AffineExpr i = b.getAffineDimExpr(0), c = b.getAffineDimExpr(1);
    auto map = [&](ArrayRef<AffineExpr> results) {
      return AffineMap::get(2, 0, results, context);
    };
    auto generic = linalg::GenericOp::create(
        b, TypeRange{state.getType(), total.getType()}, ValueRange{q, k, v},
        ValueRange{state, total},
        ArrayRef{map(i), map(i), map(c), map({i, c}), map(c)},
        ArrayRef{utils::IteratorType::reduction, utils::IteratorType::parallel},
        [&](OpBuilder &nested, Location, ValueRange a) {
          OpBuilder::InsertionGuard guard(b);
          b.restoreInsertionPoint(nested.saveInsertionPoint());
          // What an earlier owner of the slot left behind is not used.
          Value before =
              arith::SelectOp::create(b, fresh, b.f32(0), a[3]).getResult();
          Value kept = b.addf(b.mulf(before, growth), before);
          Value after = b.addf(b.mulf(b.widen(a[1]), b.widen(a[2])), kept);
          Value sum = b.accumulate(a[4], b.mulf(b.widen(a[0]), after));
          linalg::YieldOp::create(b, ValueRange{after, sum});
        });
    return generic.getResults();
  }

  KernelBuilder &b;
  LightningAttentionOp op;
  Value ragged;
  int64_t width, columns;
};

struct FormLightningDecodePass
    : mm01::impl::FormLightningDecodePassBase<FormLightningDecodePass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<LightningAttentionOp> ops;
    getOperation().walk([&](LightningAttentionOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (LightningAttentionOp op : ops) {
      auto q = cast<ShapedType>(op.getQ().getType());
      // What form-kernels refuses is left for it to name.
      if (op->hasAttr(kSkipSingleAttr) || q.isDynamicDim(2) ||
          !getElementTypeOrSelf(op.getState().getType()).isF32())
        continue;
      rewriter.setInsertionPoint(op);
      KernelBuilder b(rewriter, op.getLoc());
      ValueRange results = DecodeWriter(b, op).write();
      rewriter.modifyOpInPlace(op, [&] {
        op.getOutMutable().set(results[0]);
        op.getStateMutable().set(results[1]);
        op->setAttr(kSkipSingleAttr, rewriter.getUnitAttr());
      });
    }
  }
};

} // namespace
