//===- SoftmaxProgram.cpp - softmax attention as a tile program -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/SoftmaxProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace mm01;

namespace {

constexpr int64_t R = kSoftmaxRows;
constexpr int64_t K = kSoftmaxRows;
constexpr int64_t P = kSoftmaxPage;

/// Below every score, and finite: a row that has seen no key yet goes on with
/// exp2(0) and not with a difference of infinities.
constexpr double kLowest = -1e30;

/// How far a score may be above the reference of its row, in powers of two: the
/// weights are at most 256, as exact as any.
constexpr double kSlack = 8;

using Values = TileBuilder::Values;

/// Blocks of tokens of all sequences: sequence n has those from
/// offsets[n] / R + n, so their number is known without any sequence's length.
Value blocksOf(TileBuilder &b, Value ragged) {
  Value whole = b.divide(b.raggedSize(ragged, RaggedExtent::tokens), R);
  return b.add(whole, b.raggedSize(ragged, RaggedExtent::sequences));
}

class SoftmaxWriter {
public:
  SoftmaxWriter(TileBuilder &b, const SoftmaxShape &shape,
                const SoftmaxOperands &in)
      : b(b), shape(shape), in(in),
        rowVector(RankedTensorType::get({R}, b.getF32Type())) {}

  void write() {
    Value qMap = b.raggedMap(in.q, R, shape.size);
    Value outMap = b.raggedMap(in.out, R, shape.size);
    Value keyMap = pagedMap(in.keys), valueMap = pagedMap(in.values);
    findHead();
    findSequence();
    findTokens();

    Value q = b.alloc(R, shape.size);
    copyQueries(qMap, q);
    Values done = b.loop(
        steps, {b.constant(rowVector, kLowest), zeros(8), zeros(shape.size)},
        [&](Value t, ValueRange carried) {
          Value first = b.mul(b.sub(b.sub(steps, t), b.index(1)), b.index(K));
          Value keys = b.alloc(K, shape.size), values = b.alloc(K, shape.size);
          copyPages(keyMap, keys, valueMap, values, first);
          return step(q, keys, values, first, carried);
        });
    Value total = tile::RowSumOp::create(b, rowVector, done[1]);
    Value inverse = arith::DivFOp::create(b, b.constant(rowVector, 1.0), total);
    Value result = b.toBf16(b.mulf(done[2], broadcast(inverse, shape.size)));
    Value buffer = b.alloc(R, shape.size);
    b.write(result, buffer, /*transposed=*/false);
    tile::CopyOutOp::create(b, buffer, outMap, rowCoordinates());
  }

private:
  /// Keys or values of the layer as {key heads, pages, 65, 64, size}, beginning
  /// a page before them: at coordinates (0, 64 - n, n, page, head) a box holds
  /// the first n tokens of a page, and then zeros.
  Value pagedMap(Value cache) {
    auto [extents, strides] = b.layoutOf(cache);
    Value page = b.index(P);
    Value first = b.sub(b.mul(in.layer, strides[0]), b.mul(page, strides[2]));
    Values view = {extents[3], extents[1], b.index(P + 1), page, extents[4]};
    Values steps = {strides[3], strides[1], strides[2], strides[2]};
    return exec::TensorMapOp::create(
        b, exec::TensorMapType::get(b.getContext()), cache, first, view, steps,
        b.getDenseI64ArrayAttr({1, 1, 1, P, shape.size}),
        b.getI64IntegerAttr(0));
  }

  void findHead() {
    Value inGroup = gpu::ClusterIdOp::create(b, gpu::Dimension::x);
    if (shape.cluster() > 1)
      inGroup = b.add(b.mul(inGroup, b.index(shape.cluster())),
                      gpu::ClusterBlockIdOp::create(b, gpu::Dimension::x));
    keyHead = gpu::BlockIdOp::create(b, gpu::Dimension::z);
    head = b.add(b.mul(keyHead, b.index(shape.group())), inGroup);
  }

  /// The last sequence whose blocks begin at this one or before. The last
  /// blocks come first, since they take longest.
  void findSequence() {
    Value y = gpu::BlockIdOp::create(b, gpu::Dimension::y);
    block = b.sub(b.sub(blocksOf(b, in.ragged), b.index(1)), y);
    Value sequences = b.raggedSize(in.ragged, RaggedExtent::sequences);
    Value zeros = math::CountLeadingZerosOp::create(b, b.toI32(sequences));
    Value digits = b.sub(
        arith::ConstantIntOp::create(b, /*value=*/32, /*width=*/32), zeros);
    Value often = arith::IndexCastOp::create(b, b.getIndexType(), digits);
    sequence =
        b.loop(often, {b.index(0), sequences}, [&](Value, ValueRange bounds) {
          Value middle = b.divide(b.add(bounds[0], bounds[1]), 2);
          Value before =
              b.compare(arith::CmpIPredicate::sle, firstBlock(middle), block);
          return Values{b.select(before, middle, bounds[0]),
                        b.select(before, bounds[1], middle)};
        })[0];
  }

  Value firstBlock(Value sequence) {
    Value begin = b.raggedGet(in.ragged, RaggedField::seq_offsets, sequence);
    return b.add(b.divide(begin, R), sequence);
  }

  /// The block's tokens and the keys that the last of them sees.
  void findTokens() {
    Value begin = b.raggedGet(in.ragged, RaggedField::seq_offsets, sequence);
    Value end = b.raggedGet(in.ragged, RaggedField::seq_offsets,
                            b.add(sequence, b.index(1)));
    Value row = b.mul(b.sub(block, firstBlock(sequence)), b.index(R));
    Value left = b.sub(b.sub(end, begin), row);
    count = b.maximum(b.minimum(left, b.index(R)), b.index(0));
    tokenEnd = b.add(b.add(begin, row), count);
    position = b.add(b.raggedGet(in.ragged, RaggedField::past, sequence), row);
    some = b.compare(arith::CmpIPredicate::sgt, count, b.index(0));
    visible = b.select(some, b.add(position, count), b.index(1));
    Value lastKey = b.sub(visible, b.index(1));
    steps = b.maximum(b.add(b.divide(lastKey, K), b.index(1)), b.index(1));
    lastPage = b.divide(lastKey, P);
  }

  Values rowCoordinates() {
    return {b.index(0), b.sub(b.index(R), count), tokenEnd, head};
  }

  /// A copy in has a row that exists: a block without tokens takes the first
  /// token, and of its pages the first.
  void copyQueries(Value map, Value buffer) {
    Value rows = b.maximum(count, b.index(1));
    Value begin = b.select(some, b.sub(tokenEnd, count), b.index(0));
    tile::CopyInOp::create(b, map,
                           ValueRange{b.index(0), b.sub(b.index(R), rows),
                                      b.add(begin, rows), head},
                           buffer, Value(), Value(), /*multicast=*/false,
                           DenseI64ArrayAttr());
  }

  /// Copies keys and values from `first`, two pages of each. A page behind the
  /// last is the last again; its keys are behind the diagonal there.
  void copyPages(Value keyMap, Value keys, Value valueMap, Value values,
                 Value first) {
    Values numbers, counts;
    for (int64_t i = 0; i < K / P; ++i) {
      Value page = b.minimum(b.add(b.divide(first, P), b.index(i)), lastPage);
      Value number = RaggedGetOp::create(b, b.getIndexType(), in.ragged,
                                         RaggedField::page_table,
                                         ValueRange{sequence, page});
      numbers.push_back(b.select(some, number, b.index(0)));
      Value left = b.sub(visible, b.mul(page, b.index(P)));
      counts.push_back(b.minimum(left, b.index(P)));
    }
    for (auto [map, buffer] :
         {std::pair(keyMap, keys), std::pair(valueMap, values)})
      for (int64_t i = 0; i < K / P; ++i)
        tile::CopyInOp::create(
            b, map,
            ValueRange{b.index(0), b.sub(b.index(P), counts[i]), counts[i],
                       numbers[i], keyHead},
            buffer, Value(), Value(), /*multicast=*/shape.cluster() > 1,
            b.getDenseI64ArrayAttr({i * P, P}));
  }

  /// One step of the online softmax: {references, sums by thread, output}.
  Values step(Value q, Value keys, Value values, Value first,
              ValueRange carried) {
    Value scale = b.f32(shape.scale * std::numbers::log2e);
    rowScales = tensor::SplatOp::create(b, scale, rowVector);
    Value scores = mask(b.mma(q, false, keys, true), first);
    Values now = raise(scores, carried);
    Value minus = b.negf(b.mulf(now[0], rowScales));
    Value weights =
        b.exp2(b.fma(scores, b.splat(scale, R, K), broadcast(minus, K)));
    Value sums = b.addf(now[1], tile::RowSumOp::create(b, parts(), weights));
    return {now[0], sums,
            b.mma(b.toBf16(weights), false, values, false, now[2])};
  }

  /// Raises references to the maxima, and rescales what was summed, where a
  /// score is above its reference by more than kSlack in base 2.
  Values raise(Value scores, ValueRange carried) {
    Value maxima = tile::RowMaximumOp::create(b, parts(), scores);
    Value slack =
        b.constant(rowVector, kSlack / (shape.scale * std::numbers::log2e));
    Value above =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, maxima,
                              broadcast(b.addf(carried[0], slack), 8));
    return b.branch(
        tile::AnyOp::create(b, b.getI1Type(), above),
        [&] {
          Value highest = tile::RowMaximumOp::create(b, rowVector, maxima);
          highest = arith::MaxNumFOp::create(b, carried[0], highest);
          Value factor = b.exp2(b.mulf(b.subf(carried[0], highest), rowScales));
          return Values{highest, b.mulf(carried[1], broadcast(factor, 8)),
                        b.mulf(carried[2], broadcast(factor, shape.size))};
        },
        [&] { return Values(carried); });
  }

  /// Hides the keys behind each token: all are visible unless the keys meet the
  /// diagonal.
  Value mask(Value scores, Value first) {
    Value ahead = b.sub(position, first);
    Value meets = b.compare(arith::CmpIPredicate::slt, ahead, b.index(K - 1));
    return b.branch(
        meets,
        [&] {
          Value apart = b.sub(b.iota(1, R, K), b.iota(0, R, K));
          Value seen = b.compare(arith::CmpIPredicate::sle, apart,
                                 b.splat(b.toI32(ahead), R, K));
          Value none = b.constant(scores.getType(),
                                  -std::numeric_limits<double>::infinity());
          return Values{b.select(seen, scores, none)};
        },
        [&] { return Values{scores}; })[0];
  }

  RankedTensorType parts() { return b.tile(R, 8, b.getF32Type()); }
  Value zeros(int64_t columns) {
    return b.constant(b.tile(R, columns, b.getF32Type()), 0.0);
  }
  Value broadcast(Value rows, int64_t columns) {
    return tile::BroadcastOp::create(b, b.tile(R, columns, b.getF32Type()),
                                     rows);
  }

  TileBuilder &b;
  const SoftmaxShape shape;
  const SoftmaxOperands in;
  const RankedTensorType rowVector;
  Value keyHead, head, block, sequence;
  Value count, some, tokenEnd, position, visible, steps, lastPage;
  Value rowScales;
};

} // namespace

Values mm01::softmaxGrid(TileBuilder &b, const SoftmaxShape &shape,
                         Value ragged) {
  return {b.index(shape.group() / shape.cluster()), blocksOf(b, ragged),
          b.index(shape.keyHeads)};
}

void mm01::writeSoftmaxProgram(TileBuilder &b, const SoftmaxShape &shape,
                               const SoftmaxOperands &operands) {
  SoftmaxWriter(b, shape, operands).write();
}
