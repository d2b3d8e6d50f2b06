//===- LightningProgram.cpp - lightning attention as a tile program -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/LightningProgram.h"
#include "passes/programs/LightningWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mm01;

static constexpr int64_t C = kLightningBlock;
using Predicate = arith::CmpIPredicate;
using Values = TileBuilder::Values;

namespace {

/// The program of outputs.
class OutputWriter : LightningWriter {
public:
  using LightningWriter::LightningWriter;

  void write() {
    qMap = b.raggedMap(in.q, C, form.size);
    kMap = b.raggedMap(in.k, C, form.size);
    vMap = b.raggedMap(in.v, C, C);
    outMap = b.raggedMap(in.out, C, C);
    piece = findPiece();
    Value first = gpu::BlockIdOp::create(b, gpu::Dimension::y);
    if (!form.severalHeads)
      return writeHead(first);
    // Those heads of a sequence that are the cluster's, one after another.
    auto heads = scf::ForOp::create(
        b, first, b.layoutOf(in.q).extents[1],
        gpu::GridDimOp::create(b, gpu::Dimension::y), ValueRange(),
        [](OpBuilder &, Location, Value, ValueRange) {});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(heads.getBody());
    writeHead(heads.getInductionVar());
    scf::YieldOp::create(b);
  }

private:
  void writeHead(Value head) {
    begin(head);
    makeDecays();
    Value kv = findState();

    Value zero = b.index(0), one = b.index(1);
    Value blocks = countBlocks(piece);
    Value nothing = b.toBf16(b.constant(b.tile(C, C, b.getF32Type()), 0.0));
    Values carried = b.loop(
        blocks, {b.toBf16(kv), decay(kv, blockTokens(piece.length)), nothing},
        [&](Value t, ValueRange now) {
          LightningBox box = findBlock(piece, t);
          Value k = copyIn(kMap, box, zero, form.size, isShared());
          Value q = copyIn(qMap, box, zero, form.size, isShared());
          Value v = copyIn(vMap, box, column, C, /*shared=*/false);
          auto [high, low] = scores(q, k);

          // What the state adds to the output, and the block to the state.
          Value inter = b.mma(now[0], false, q, true);
          Value next = b.mma(weigh(v, box), false, k, false, now[1]);
          // The block before goes out while these products run.
          copyOut(now[2], outMap, findBlock(piece, b.sub(t, one)));
          Value out = b.mulf(inter, findOutDecays(box));
          out = b.mma(v, true, high, true, out);
          out = b.mma(v, true, low, true, out);
          Value tokens = blockTokens(b.sub(box.left, b.index(C)));
          return Values{b.toBf16(next), decay(next, tokens), b.toBf16(out)};
        });
    copyOut(carried[2], outMap, findBlock(piece, b.sub(blocks, one)));
    storeSlot(piece, carried[1], isLast());
  }

  void makeDecays() {
    Value zero = b.constant(place.getType(), int64_t(0));
    Value one = b.constant(place.getType(), int64_t(1));
    // exp(-s (i - j)) if i >= j, else 0; the other way round in reverse
    Value i = b.iota(0, C, C);
    Value apart = form.reverse ? b.sub(place, i) : b.sub(i, place);
    Value decays = decayOf(b.maximum(apart, zero));
    scoreDecays = b.select(b.compare(Predicate::sge, apart, zero), decays,
                           b.constant(decays.getType(), 0.0));
    // exp(-s (j + 1)), the state's on the way to token j, or exp(-s (C - j))
    Value end = b.constant(place.getType(), C);
    outDecays = decayOf(form.reverse ? b.sub(end, place) : b.add(place, one));
  }

  /// The state's decays on the way to each token of a block; in reverse it
  /// comes from the block's end, exp(-s (n - j)).
  Value findOutDecays(const LightningBox &box) {
    if (!form.reverse)
      return outDecays;
    Values decays = b.branch(
        isWhole(box), [&] { return Values{outDecays}; },
        [&] {
          Value apart = b.sub(b.splat(b.toI32(box.length), C, C), place);
          Value zero = b.constant(apart.getType(), int64_t(0));
          return Values{decayOf(b.maximum(apart, zero))};
        });
    return decays[0];
  }

  LightningPiece findPiece() {
    if (!hasSegments())
      return findSequence();
    Value x = gpu::ClusterIdOp::create(b, gpu::Dimension::x);
    Value sequences = countSequences();
    return findSegment(b.compare(Predicate::slt, x, sequences),
                       b.sub(x, sequences));
  }

  /// The state before the piece: that of the slot, of nothing, or the sum of
  /// what the segments before this one add.
  Value findState() {
    Value zero = b.index(0), one = b.index(1);
    Value some = b.compare(Predicate::sgt, piece.length, zero);
    Value before = b.both(some, goesOn(piece));
    if (!hasSegments())
      return loadSlot(piece, before);
    Value alone = b.compare(Predicate::eq, piece.count, one);
    Value isFirst = b.compare(Predicate::eq, piece.segment, zero);
    // The last entry has what was before the first segment.
    Value from = b.select(isFirst, b.add(piece.first, b.sub(piece.count, one)),
                          piece.first);
    Value entries = b.select(isFirst, one, piece.segment);
    entries = b.select(alone, zero, entries);
    entries = b.select(some, entries, zero);
    Values sum = b.loop(entries, {loadSlot(piece, b.both(before, alone))},
                        [&](Value i, ValueRange now) {
                          return Values{b.addf(decay(now[0], in.segmentTokens),
                                               loadEntry(b.add(from, i)))};
                        });
    return sum[0];
  }

  /// Where the state goes back to the slot: behind a sequence's last token.
  Value isLast() {
    Value some = b.compare(Predicate::sgt, piece.length, b.index(0));
    if (!hasSegments())
      return some;
    return b.both(some,
                  b.compare(Predicate::eq, b.add(piece.segment, b.index(1)),
                            piece.count));
  }

  /// P in shared memory, and what rounding takes from it as a second summand: a
  /// block of few tokens would show it.
  std::pair<Value, Value> scores(Value q, Value k) {
    Value s = b.mma(q, false, k, true);
    auto [high, low] = split(b.mulf(s, scoreDecays));
    Value highs = b.alloc(C, C), lows = b.alloc(C, C);
    b.write(high, highs, false);
    b.write(low, lows, false);
    return {highs, lows};
  }

  void copyOut(Value outTransposed, Value map, const LightningBox &box) {
    Value buffer = b.alloc(C, C);
    b.write(outTransposed, buffer, /*transposed=*/true);
    // A box of no tokens may begin before the tensor, where no copy may go.
    Value row = b.maximum(box.row, b.index(0));
    tile::CopyOutOp::create(b, buffer, map,
                            ValueRange{column, box.clip, row, head});
  }

  LightningPiece piece;
  Value qMap, kMap, vMap, outMap, scoreDecays, outDecays;
};

/// The program of segments' states.
class SegmentWriter : LightningWriter {
public:
  using LightningWriter::LightningWriter;

  void write() {
    Value kMap = b.raggedMap(in.k, C, form.size);
    Value vMap = b.raggedMap(in.v, C, C);
    begin(gpu::BlockIdOp::create(b, gpu::Dimension::y));
    Value zero = b.index(0), one = b.index(1);
    Value entry = gpu::ClusterIdOp::create(b, gpu::Dimension::x);
    Value no = arith::ConstantIntOp::create(b, 0, /*width=*/1);
    LightningPiece piece = findSegment(no, entry);
    Value some = b.compare(Predicate::sgt, piece.length, zero);
    Value isFirst = b.compare(Predicate::eq, piece.segment, zero);
    Value isLast =
        b.compare(Predicate::eq, b.add(piece.segment, one), piece.count);
    // Nobody asks for what the last segment adds.
    piece.length = b.select(isLast, zero, piece.length);
    Value begins = b.both(some, arith::OrIOp::create(b, isFirst, isLast));
    Value kv = loadSlot(piece, b.both(begins, goesOn(piece)));
    Values carried =
        b.loop(countBlocks(piece), {decay(kv, blockTokens(piece.length))},
               [&](Value t, ValueRange now) {
                 LightningBox box = findBlock(piece, t);
                 Value k = copyIn(kMap, box, zero, form.size, isShared());
                 Value v = copyIn(vMap, box, column, C, /*shared=*/false);
                 Value next = b.mma(weigh(v, box), false, k, false, now[0]);
                 Value tokens = blockTokens(b.sub(box.left, b.index(C)));
                 return Values{decay(next, tokens)};
               });
    storeEntry(entry, carried[0], some);
  }
};

} // namespace

void mm01::writeLightningOutputs(TileBuilder &b, const LightningForm &form,
                                 const LightningOperands &operands) {
  OutputWriter(b, form, operands).write();
}

void mm01::writeLightningSegments(TileBuilder &b, const LightningForm &form,
                                  const LightningOperands &operands) {
  SegmentWriter(b, form, operands).write();
}
