//===- SoftmaxDecode.cpp - the program of pieces of keys ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/SoftmaxDecode.h"
#include "passes/programs/SoftmaxWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mm01;

static constexpr int64_t R = kSoftmaxDecodeRows;
static constexpr int64_t P = kSoftmaxPage;
using Predicate = arith::CmpIPredicate;
using Values = TileBuilder::Values;

// On an H200, by tools/bench/hopper_softmax_decode.py: one sequence of 1,024
// tokens takes 8.7 us with pieces of 4 pages and 11.2 with 8; 64 of 4,096 take
// 280 and 273. Pieces for two blocks of each multiprocessor, and not one, make
// the kernel behind longer: one sequence of 32,768 takes 44.8 us, not 42.1.
static constexpr int64_t kLeastPages = 4;

SoftmaxPieces mm01::chooseSoftmaxPieces(const Chip &chip, int64_t keyHeads) {
  return {std::max<int64_t>(chip.multiprocessors / keyHeads, 1), kLeastPages};
}

namespace {

class PieceWriter : SoftmaxWriter {
public:
  PieceWriter(TileBuilder &b, const SoftmaxShape &shape,
              const SoftmaxPieces &pieces, const SoftmaxOperands &in,
              const SoftmaxParts &parts)
      : SoftmaxWriter(b, shape, in, R, P), pieces(pieces), out(parts) {}

  void write() {
    Value queryMap = mapOfQueries();
    Value keyMap = pagedMap(in.keys), valueMap = pagedMap(in.values);
    findItem();

    Value q = b.alloc(R, shape.size);
    Value zero = b.index(0);
    tile::CopyInOp::create(b, queryMap, ValueRange{zero, zero, keyHead, token},
                           q, Value(), Value(), /*multicast=*/false,
                           DenseI64ArrayAttr());
    Values done = b.loop(steps, start(), [&](Value t, ValueRange carried) {
      Value page = b.add(firstPage, t);
      Value number = RaggedGetOp::create(b, b.getIndexType(), in.ragged,
                                         RaggedField::page_table,
                                         ValueRange{sequence, page});
      Value left = b.sub(visible, b.mul(page, b.index(P)));
      Value count = b.minimum(left, b.index(P));
      Value keyTile = b.alloc(P, shape.size),
            valueTile = b.alloc(P, shape.size);
      copyPage(keyMap, keyTile, number, count, 0, /*shared=*/false);
      copyPage(valueMap, valueTile, number, count, 0, /*shared=*/false);
      return step(q, keyTile, valueTile, carried,
                  [&](Value scores) { return mask(scores, count); });
    });
    storeSums(done[0], total(done[1]));
    storeOutput(done[2]);
  }

private:
  /// The queries as {tokens, key heads, heads of a group, size}: a box has one
  /// group's, and then zeros.
  Value mapOfQueries() {
    auto [extents, strides] = b.layoutOf(in.q);
    Value group = b.index(shape.group());
    Values view = {extents[0], b.index(shape.keyHeads), group, extents[2]};
    Values steps = {strides[0], b.mul(strides[1], group), strides[1]};
    return exec::TensorMapOp::create(
        b, exec::TensorMapType::get(b.getContext()), in.q, Value(), view, steps,
        b.getDenseI64ArrayAttr({1, 1, R, shape.size}), b.getI64IntegerAttr(0));
  }

  /// The block's piece: which pages, none where there is nothing to do. The
  /// last pieces come first: of long sequences alone there are any.
  void findItem() {
    Value x = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    Value y = gpu::BlockIdOp::create(b, gpu::Dimension::y);
    Value count = gpu::GridDimOp::create(b, gpu::Dimension::y);
    sequence = b.divide(x, shape.keyHeads);
    keyHead = b.sub(x, b.mul(sequence, b.index(shape.keyHeads)));
    piece = b.sub(b.sub(count, b.index(1)), y);

    Value begin = b.raggedGet(in.ragged, RaggedField::seq_offsets, sequence);
    Value end = b.raggedGet(in.ragged, RaggedField::seq_offsets,
                            b.add(sequence, b.index(1)));
    Value past = b.raggedGet(in.ragged, RaggedField::past, sequence);
    Value single = b.compare(Predicate::eq, b.sub(end, begin), b.index(1));
    visible = b.add(past, b.index(1));
    Value pages = b.ceilDivide(visible, P);
    Value length =
        b.maximum(b.ceilDivide(pages, pieces.most), b.index(pieces.leastPages));
    firstPage = b.mul(piece, length);
    Value left = b.minimum(b.sub(pages, firstPage), length);
    steps = b.select(single, b.maximum(left, b.index(0)), b.index(0));
    Value some = b.compare(Predicate::sgt, steps, b.index(0));
    heads = b.select(some, b.index(shape.group()), b.index(0));
    // There is always a first token.
    token = b.select(single, begin, b.index(0));
  }

  /// Hides what lies behind the last key.
  Value mask(Value scores, Value count) {
    Value partial = b.compare(Predicate::slt, count, b.index(P));
    return b.branch(
        partial,
        [&] {
          Value seen = b.compare(Predicate::slt, b.iota(1, R, P),
                                 b.splat(b.toI32(count), R, P));
          return Values{hide(scores, seen)};
        },
        [&] { return Values{scores}; })[0];
  }

  /// The rows that are heads.
  Value rowsOf(int64_t columns) {
    return b.compare(Predicate::slt, b.iota(0, R, columns),
                     b.splat(b.toI32(heads), R, columns));
  }

  Value firstHead() { return b.mul(keyHead, b.index(shape.group())); }

  void storeSums(Value references, Value totals) {
    auto [extents, strides] = b.layoutOf(out.sums);
    Value maxima = b.mulf(references, b.constant(rowVector, shape.scale));
    Value column = b.iota(1, R, 8);
    auto number = [&](int64_t value) {
      return b.constant(column.getType(), value);
    };
    Value isFirst = b.compare(Predicate::eq, column, number(0));
    Value both = b.select(isFirst, broadcast(maxima, 8), broadcast(totals, 8));
    Value here = b.compare(Predicate::slt, column, number(2));
    Value at =
        b.add(b.mul(sequence, strides[0]), b.mul(firstHead(), strides[1]));
    at = b.add(at, b.mul(piece, strides[2]));
    tile::StoreOp::create(b, both, out.sums, at,
                          ValueRange{strides[1], strides[3]},
                          b.both(here, rowsOf(8)));
  }

  void storeOutput(Value output) {
    auto [extents, strides] = b.layoutOf(out.outputs);
    Value at = b.add(b.mul(sequence, strides[0]), b.mul(piece, strides[1]));
    at = b.add(at, b.mul(firstHead(), strides[2]));
    tile::StoreOp::create(b, output, out.outputs, at,
                          ValueRange{strides[2], strides[3]},
                          rowsOf(shape.size));
  }

  const SoftmaxPieces pieces;
  const SoftmaxParts out;
  Value sequence, piece, token, visible, firstPage, steps, heads;
};

} // namespace

Value mm01::countSingleSequences(TileBuilder &b, Value ragged) {
  Value all = b.raggedSize(ragged, RaggedExtent::sequences);
  Value several = b.raggedSize(ragged, RaggedExtent::several);
  return b.select(b.compare(Predicate::eq, all, several), b.index(0), all);
}

Values mm01::softmaxDecodeGrid(TileBuilder &b, const SoftmaxShape &shape,
                               const SoftmaxPieces &pieces, Value ragged) {
  Value pages = b.raggedSize(ragged, RaggedExtent::pages);
  Value most =
      b.minimum(b.ceilDivide(pages, pieces.leastPages), b.index(pieces.most));
  return {b.mul(countSingleSequences(b, ragged), b.index(shape.keyHeads)), most,
          b.index(1)};
}

void mm01::writeSoftmaxDecode(TileBuilder &b, const SoftmaxShape &shape,
                              const SoftmaxPieces &pieces,
                              const SoftmaxOperands &operands,
                              const SoftmaxParts &parts) {
  PieceWriter(b, shape, pieces, operands, parts).write();
}
