//===- SoftmaxMerge.cpp - the kernel that puts pieces together ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/SoftmaxDecode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace mm01;

namespace {

/// Pieces whose outputs a warp asks for at a time.
constexpr int64_t kAtOnce = 8;

/// A workgroup has a key head of a sequence, a warp one of its query heads.
class MergeWriter {
public:
  MergeWriter(KernelBuilder &b, const SoftmaxShape &shape,
              const SoftmaxPieces &pieces, Value ragged,
              const SoftmaxParts &parts)
      : b(b), shape(shape), pieces(pieces), ragged(ragged), parts(parts) {}

  Value write(Value sequences, Value out) {
    auto kernel = [&](ValueRange ids, ValueRange outs) -> SmallVector<Written> {
      n = ids[0];
      firstHead = b.mul(ids[1], b.index(shape.group()));
      Value begin = b.raggedGet(ragged, RaggedField::seq_offsets, n);
      Value end =
          b.raggedGet(ragged, RaggedField::seq_offsets, b.add(n, b.index(1)));
      Indices at{begin, firstHead, number(0)};
      Indices sizes{number(1), number(shape.group()), number(shape.size)};
      Value rows = b.slice(outs[0], at, sizes, 2);
      Value done = b.branch(
          b.equal(b.sub(end, begin), b.index(1)), rows.getType(),
          [&] { return Values{b.copy(merge(), rows)}; },
          [&] { return Values{rows}; })[0];
      return {{done, at, sizes}};
    };
    return b.kernel("softmax_merge", {sequences, b.index(shape.keyHeads)}, out,
                    kernel)[0];
  }

private:
  OpFoldResult number(int64_t value) { return b.getIndexAttr(value); }

  /// [G, d] of the workgroup's heads.
  Value merge() {
    Value past = b.raggedGet(ragged, RaggedField::past, n);
    Value pages = b.ceilDivide(b.add(past, b.index(1)), b.index(kSoftmaxPage));
    Value length = b.maximum(b.ceilDivide(pages, b.index(pieces.most)),
                             b.index(pieces.leastPages));
    count = b.ceilDivide(pages, length);
    Value all = b.empty({shape.group(), shape.size}, b.getF32Type());
    return b.forWarps(
        b.index(shape.group()), all, [&](Value i, Value out) -> Written {
          Indices at{i, number(0)}, sizes{number(1), number(shape.size)};
          Value row =
              mergeHead(b.add(firstHead, i), b.slice(out, at, sizes, 1));
          return {row, at, sizes};
        });
  }

  Value sumOf(Value head, Value piece, int64_t which) {
    return b.extract(parts.sums, {n, head, piece, b.index(which)});
  }
  Value weightOf(Value head, Value piece, Value maximum) {
    return b.exp(b.subf(sumOf(head, piece, 0), maximum));
  }

  Value mergeHead(Value head, Value row) {
    Value lowest = b.f32(-std::numeric_limits<float>::infinity());
    Value maximum =
        b.loop(b.index(0), count, lowest, [&](Value p, ValueRange now) {
          Value next = sumOf(head, p, 0);
          return Values{arith::MaxNumFOp::create(b, now[0], next)};
        })[0];
    Value total = b.sum(count, [&](Value p) {
      return b.mulf(weightOf(head, p, maximum), sumOf(head, p, 1));
    });
    Value share = b.divf(b.f32(1), total);
    Value steps = b.ceilDivide(count, b.index(kAtOnce));
    return b.loop(
        b.index(0), steps, b.fill(b.f32(0), row), [&](Value t, ValueRange now) {
          Values weights, outputs;
          for (int64_t u = 0; u < kAtOnce; ++u) {
            Value p = b.add(b.mul(t, b.index(kAtOnce)), b.index(u));
            Value last = b.sub(count, b.index(1));
            Value there = b.lessOrEqual(p, last);
            // One behind the last is the last again, and counts for nothing.
            p = b.minimum(p, last);
            Value weight = b.mulf(weightOf(head, p, maximum), share);
            weights.push_back(
                arith::SelectOp::create(b, there, weight, b.f32(0)));
            outputs.push_back(b.slice(
                parts.outputs, {n, p, head, number(0)},
                {number(1), number(1), number(1), number(shape.size)}, 1));
          }
          Value sum = b.elementwise(outputs, now[0], [&](ValueRange a) {
            Value sum = a.back();
            for (auto [weight, value] : llvm::zip(weights, a.drop_back()))
              sum = b.addf(sum, b.mulf(weight, value));
            return sum;
          });
          return Values{sum};
        })[0];
  }

  KernelBuilder &b;
  const SoftmaxShape &shape;
  const SoftmaxPieces &pieces;
  Value ragged;
  const SoftmaxParts &parts;
  Value n, firstHead, count;
};

} // namespace

Value mm01::writeSoftmaxMerge(KernelBuilder &b, const SoftmaxShape &shape,
                              const SoftmaxPieces &pieces, Value ragged,
                              const SoftmaxParts &parts, Value sequences,
                              Value out) {
  return MergeWriter(b, shape, pieces, ragged, parts).write(sequences, out);
}
