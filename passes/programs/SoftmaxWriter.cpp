//===- SoftmaxWriter.cpp - what softmax programs have in common -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/SoftmaxWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace mm01;

static constexpr int64_t P = kSoftmaxPage;

/// Below every score, and finite: a row that has seen no key yet goes on with
/// exp2(0) and not with a difference of infinities.
static constexpr double kLowest = -1e30;

/// How far a score may be above the reference of its row, in powers of two: the
/// weights are at most 256, as exact as any.
static constexpr double kSlack = 8;

using Values = TileBuilder::Values;

SoftmaxWriter::SoftmaxWriter(TileBuilder &b, const SoftmaxShape &shape,
                             const SoftmaxOperands &in, int64_t rows,
                             int64_t keys)
    : b(b), shape(shape), in(in), rows(rows), keys(keys),
      rowVector(RankedTensorType::get({rows}, b.getF32Type())) {}

//===----------------------------------------------------------------------===//
// Keys and values
//===----------------------------------------------------------------------===//

Value SoftmaxWriter::pagedMap(Value cache) {
  auto [extents, strides] = b.layoutOf(cache);
  Value page = b.index(P);
  Value first = b.sub(b.mul(in.layer, strides[0]), b.mul(page, strides[2]));
  Values view = {extents[3], extents[1], b.index(P + 1), page, extents[4]};
  Values steps = {strides[3], strides[1], strides[2], strides[2]};
  return exec::TensorMapOp::create(
      b, exec::TensorMapType::get(b.getContext()), cache, first, view, steps,
      b.getDenseI64ArrayAttr({1, 1, 1, P, shape.size}), b.getI64IntegerAttr(0));
}

void SoftmaxWriter::copyPage(Value map, Value buffer, Value page, Value count,
                             int64_t row, bool shared) {
  DenseI64ArrayAttr part;
  if (keys > P)
    part = b.getDenseI64ArrayAttr({row, P});
  tile::CopyInOp::create(
      b, map,
      ValueRange{b.index(0), b.sub(b.index(P), count), count, page, keyHead},
      buffer, Value(), Value(), shared, part);
}

//===----------------------------------------------------------------------===//
// Online softmax
//===----------------------------------------------------------------------===//

Values SoftmaxWriter::start() {
  return {b.constant(rowVector, kLowest), zeros(8), zeros(shape.size)};
}

Values SoftmaxWriter::step(Value q, Value keyTile, Value valueTile,
                           ValueRange carried,
                           function_ref<Value(Value)> mask) {
  Value scale = b.f32(shape.scale * std::numbers::log2e);
  rowScales = tensor::SplatOp::create(b, scale, rowVector);
  Value scores = mask(b.mma(q, false, keyTile, true));
  Values now = raise(scores, carried);
  Value minus = b.negf(b.mulf(now[0], rowScales));
  Value weights =
      b.exp2(b.fma(scores, b.splat(scale, rows, keys), broadcast(minus, keys)));
  Value sums = b.addf(now[1], tile::RowSumOp::create(b, parts(), weights));
  return {now[0], sums,
          b.mma(b.toBf16(weights), false, valueTile, false, now[2])};
}

/// Raises references to the maxima, and rescales what was summed, where a score
/// is above its reference by more than kSlack in base 2.
Values SoftmaxWriter::raise(Value scores, ValueRange carried) {
  Value maxima = tile::RowMaximumOp::create(b, parts(), scores);
  Value slack =
      b.constant(rowVector, kSlack / (shape.scale * std::numbers::log2e));
  Value above = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, maxima,
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

Value SoftmaxWriter::total(Value sums) {
  return tile::RowSumOp::create(b, rowVector, sums);
}

Value SoftmaxWriter::hide(Value scores, Value seen) {
  Value none =
      b.constant(scores.getType(), -std::numeric_limits<double>::infinity());
  return b.select(seen, scores, none);
}

RankedTensorType SoftmaxWriter::parts() {
  return b.tile(rows, 8, b.getF32Type());
}
Value SoftmaxWriter::zeros(int64_t columns) {
  return b.constant(b.tile(rows, columns, b.getF32Type()), 0.0);
}
Value SoftmaxWriter::broadcast(Value rowValues, int64_t columns) {
  return tile::BroadcastOp::create(b, b.tile(rows, columns, b.getF32Type()),
                                   rowValues);
}
