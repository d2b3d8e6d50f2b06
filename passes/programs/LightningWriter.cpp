//===- LightningWriter.cpp - what lightning programs have in common -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/LightningWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <numbers>

using namespace mlir;
using namespace mm01;

static constexpr int64_t C = kLightningBlock;
using Predicate = arith::CmpIPredicate;

LightningWriter::LightningWriter(TileBuilder &b, const LightningForm &form,
                                 const LightningOperands &in)
    : b(b), form(form), in(in) {
  column = b.index(0);
  if (isShared())
    column =
        b.mul(gpu::ClusterBlockIdOp::create(b, gpu::Dimension::x), b.index(C));
  place = b.iota(1, C, C);
}

void LightningWriter::begin(Value ofHead) {
  head = ofHead;
  Value slope = memref::LoadOp::create(b, in.slopes, ValueRange{head});
  minusSlope = b.negf(slope);
  rate = b.mulf(minusSlope, b.f32(std::numbers::log2e));
  // exp(-s (C - 1 - j)), token j's way to the end of a whole block, or
  // exp(-s j), that to the beginning of any
  Value last = b.constant(place.getType(), int64_t(C - 1));
  Value way = form.reverse ? place : b.sub(last, place);
  std::tie(wholeHigh, wholeLow) = split(decayOf(way));
}

//===----------------------------------------------------------------------===//
// Pieces and blocks
//===----------------------------------------------------------------------===//

Value LightningWriter::offset(Value n) {
  return b.raggedGet(in.ragged, RaggedField::seq_offsets, n);
}

Value LightningWriter::segmentsOf(Value tokens) {
  Value step = in.segmentTokens;
  return arith::DivUIOp::create(b, b.add(tokens, b.sub(step, b.index(1))),
                                step);
}

Value LightningWriter::countSequences() {
  return b.raggedSize(in.ragged, form.sequences());
}

Value LightningWriter::sequenceAt(Value i) {
  return form.skipSingle
             ? b.raggedGet(in.ragged, RaggedField::several_sequence, i)
             : i;
}

LightningPiece LightningWriter::findSequence() {
  LightningPiece piece;
  piece.sequence = sequenceAt(gpu::ClusterIdOp::create(b, gpu::Dimension::x));
  piece.begin = offset(piece.sequence);
  piece.length = b.sub(offset(b.add(piece.sequence, b.index(1))), piece.begin);
  return piece;
}

LightningPiece LightningWriter::findSegment(Value isSequence, Value entry) {
  Value zero = b.index(0), one = b.index(1), none = b.index(-1);
  // Counts entries off the sequences that have several segments.
  Values found = b.loop(
      b.select(isSequence, zero, countSequences()), {entry, none, zero, zero},
      [&](Value i, ValueRange now) {
        Value n = sequenceAt(i);
        Value left = now[0];
        Value count = segmentsOf(b.sub(offset(b.add(n, one)), offset(n)));
        count = b.select(b.compare(Predicate::sgt, count, one), count, zero);
        Value inside = b.both(b.compare(Predicate::sge, left, zero),
                              b.compare(Predicate::slt, left, count));
        return Values{b.sub(left, count), b.select(inside, n, now[1]),
                      b.select(inside, left, now[2]),
                      b.select(inside, count, now[3])};
      });
  LightningPiece piece;
  Value x = gpu::ClusterIdOp::create(b, gpu::Dimension::x);
  Value n = b.select(isSequence, sequenceAt(b.select(isSequence, x, zero)),
                     b.maximum(found[1], zero));
  Value begin = offset(n), tokens = b.sub(offset(b.add(n, one)), begin);
  Value alone = b.compare(Predicate::sle, segmentsOf(tokens), one);
  Value there =
      b.select(isSequence, alone, b.compare(Predicate::sge, found[1], zero));
  piece.sequence = n;
  piece.segment = found[2];
  piece.count = b.select(isSequence, one, found[3]);
  piece.first = b.sub(entry, piece.segment);
  Value skipped = b.mul(piece.segment, in.segmentTokens);
  Value rest = b.sub(tokens, skipped);
  piece.length = b.select(there, b.minimum(rest, in.segmentTokens), zero);
  piece.begin =
      b.add(begin, form.reverse ? b.sub(rest, piece.length) : skipped);
  return piece;
}

LightningBox LightningWriter::findBlock(const LightningPiece &piece, Value t) {
  Value done = b.mul(t, b.index(C));
  Value left = b.sub(piece.length, done);
  Value before = b.compare(Predicate::slt, t, b.index(0));
  Value tokens = b.select(before, b.index(0), b.minimum(left, b.index(C)));
  Value end = b.add(piece.begin, form.reverse ? left : b.add(done, tokens));
  return {b.sub(b.index(C), tokens), end, tokens, left};
}

Value LightningWriter::countBlocks(const LightningPiece &piece) {
  return b.ceilDivide(piece.length, C);
}

Value LightningWriter::copyIn(Value map, const LightningBox &box, Value columns,
                              int64_t width, bool shared) {
  Value buffer = b.alloc(C, width);
  tile::CopyInOp::create(b, map, ValueRange{columns, box.clip, box.row, head},
                         buffer, Value(), Value(), shared, DenseI64ArrayAttr());
  return buffer;
}

//===----------------------------------------------------------------------===//
// Decays
//===----------------------------------------------------------------------===//

Value LightningWriter::decayOf(Value distances) {
  return b.exp2(b.mulf(b.toFloat(distances), b.splat(rate, C, C)));
}

std::pair<Value, Value> LightningWriter::split(Value tile) {
  Value high = b.toBf16(tile);
  return {high, b.toBf16(b.subf(tile, b.toF32(high)))};
}

Value LightningWriter::weigh(Value v, const LightningBox &box) {
  Values weights = {wholeHigh, wholeLow};
  if (!form.reverse)
    weights = b.branch(
        isWhole(box), [&] { return weights; },
        [&] {
          Value last = b.toI32(b.sub(box.length, b.index(1)));
          Value apart = b.sub(b.splat(last, C, C), place);
          Value zero = b.constant(apart.getType(), int64_t(0));
          auto [high, low] = split(decayOf(b.maximum(apart, zero)));
          return Values{high, low};
        });
  Value values = b.read(v, /*transposed=*/true);
  return b.fma(values, weights[0], b.mulf(values, weights[1]));
}

Value LightningWriter::isWhole(const LightningBox &box) {
  return b.compare(Predicate::eq, box.length, b.index(C));
}

Value LightningWriter::decay(Value kv, Value tokens) {
  Value growth = b.expm1(b.mulf(b.toFloat(tokens), minusSlope));
  return b.fma(kv, b.splat(growth, C, form.size), kv);
}

Value LightningWriter::blockTokens(Value left) {
  return b.minimum(b.maximum(left, b.index(0)), b.index(C));
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

Value LightningWriter::goesOn(const LightningPiece &piece) {
  Value past = b.raggedGet(in.ragged, RaggedField::past, piece.sequence);
  return b.compare(Predicate::ne, past, b.index(0));
}

LightningWriter::Memory LightningWriter::slotOf(const LightningPiece &piece) {
  auto [extents, strides] = b.layoutOf(in.state);
  Value slot = b.raggedGet(in.ragged, RaggedField::slot, piece.sequence);
  Value at = b.add(b.mul(in.layer, strides[0]), b.mul(slot, strides[1]));
  at = b.add(at, b.mul(head, strides[2]));
  return {in.state, b.add(at, b.mul(column, strides[4])), strides[3],
          strides[4]};
}

LightningWriter::Memory LightningWriter::entryOf(Value entry) {
  auto [extents, strides] = b.layoutOf(in.segmentStates);
  Value at = b.add(b.mul(entry, strides[0]), b.mul(head, strides[1]));
  return {in.segmentStates, b.add(at, b.mul(column, strides[3])), strides[2],
          strides[3]};
}

Value LightningWriter::maskOf(Value condition) {
  Value columns = b.sub(b.index(form.size), column);
  if (condition)
    columns = b.select(condition, columns, b.index(0));
  return b.compare(Predicate::slt, b.iota(0, C, form.size),
                   b.splat(b.toI32(columns), C, form.size));
}

Value LightningWriter::load(const Memory &memory, Value condition) {
  return tile::LoadOp::create(
      b, b.tile(C, form.size, b.getF32Type()), memory.buffer, memory.offset,
      ValueRange{memory.valueStride, memory.keyStride}, maskOf(condition));
}

void LightningWriter::store(const Memory &memory, Value kv, Value condition) {
  tile::StoreOp::create(b, kv, memory.buffer, memory.offset,
                        ValueRange{memory.valueStride, memory.keyStride},
                        maskOf(condition));
}

Value LightningWriter::loadSlot(const LightningPiece &piece, Value condition) {
  return load(slotOf(piece), condition);
}
Value LightningWriter::loadEntry(Value entry) {
  return load(entryOf(entry), nullptr);
}
void LightningWriter::storeSlot(const LightningPiece &piece, Value kv,
                                Value condition) {
  store(slotOf(piece), kv, condition);
}
void LightningWriter::storeEntry(Value entry, Value kv, Value condition) {
  store(entryOf(entry), kv, condition);
}
