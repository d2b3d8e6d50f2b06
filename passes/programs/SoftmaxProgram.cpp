//===- SoftmaxProgram.cpp - softmax attention as a tile program -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/SoftmaxProgram.h"
#include "passes/programs/SoftmaxWriter.h"

#include "passes/tiling/LightningDecode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mm01;

using Values = TileBuilder::Values;

namespace {

constexpr int64_t R = kSoftmaxRows;
constexpr int64_t K = kSoftmaxRows;
constexpr int64_t P = kSoftmaxPage;

/// Blocks of tokens of all sequences: the i-th, n, has those from
/// offsets[n] / R + i, so their number is known without any sequence's length.
Value blocksOf(TileBuilder &b, const SoftmaxShape &shape, Value ragged) {
  Value whole = b.divide(b.raggedSize(ragged, RaggedExtent::tokens), R);
  return b.add(whole, b.raggedSize(ragged, shape.sequences()));
}

class PrefillWriter : SoftmaxWriter {
public:
  PrefillWriter(TileBuilder &b, const SoftmaxShape &shape,
                const SoftmaxOperands &in)
      : SoftmaxWriter(b, shape, in, R, K) {}

  void write() {
    Value qMap = b.raggedMap(in.q, R, shape.size);
    Value outMap = b.raggedMap(in.out, R, shape.size);
    Value keyMap = pagedMap(in.keys), valueMap = pagedMap(in.values);
    findHead();
    findSequence();
    findTokens();

    Value q = b.alloc(R, shape.size);
    copyQueries(qMap, q);
    Values done = b.loop(steps, start(), [&](Value t, ValueRange carried) {
      Value first = b.mul(b.sub(b.sub(steps, t), b.index(1)), b.index(K));
      Value keyTile = b.alloc(K, shape.size),
            valueTile = b.alloc(K, shape.size);
      copyPages(keyMap, keyTile, valueMap, valueTile, first);
      return step(q, keyTile, valueTile, carried,
                  [&](Value scores) { return mask(scores, first); });
    });
    Value sum = total(done[1]);
    Value inverse = arith::DivFOp::create(b, b.constant(rowVector, 1.0), sum);
    Value result = b.toBf16(b.mulf(done[2], broadcast(inverse, shape.size)));
    Value buffer = b.alloc(R, shape.size);
    b.write(result, buffer, /*transposed=*/false);
    tile::CopyOutOp::create(b, buffer, outMap, rowCoordinates());
  }

private:
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
    block = b.sub(b.sub(blocksOf(b, shape, in.ragged), b.index(1)), y);
    Value sequences = b.raggedSize(in.ragged, shape.sequences());
    Value zeros = math::CountLeadingZerosOp::create(b, b.toI32(sequences));
    Value digits = b.sub(
        arith::ConstantIntOp::create(b, /*value=*/32, /*width=*/32), zeros);
    Value often = arith::IndexCastOp::create(b, b.getIndexType(), digits);
    Value number =
        b.loop(often, {b.index(0), sequences}, [&](Value, ValueRange bounds) {
          Value middle = b.divide(b.add(bounds[0], bounds[1]), 2);
          Value before =
              b.compare(arith::CmpIPredicate::sle, firstBlock(middle), block);
          return Values{b.select(before, middle, bounds[0]),
                        b.select(before, bounds[1], middle)};
        })[0];
    sequence = sequenceAt(number);
    blockInSequence = b.sub(block, firstBlock(number));
  }

  /// The number of the program's i-th sequence.
  Value sequenceAt(Value i) {
    return shape.skipSingle
               ? b.raggedGet(in.ragged, RaggedField::several_sequence, i)
               : i;
  }

  Value firstBlock(Value i) {
    Value begin =
        b.raggedGet(in.ragged, RaggedField::seq_offsets, sequenceAt(i));
    return b.add(b.divide(begin, R), i);
  }

  /// The block's tokens and the keys that the last of them sees.
  void findTokens() {
    Value begin = b.raggedGet(in.ragged, RaggedField::seq_offsets, sequence);
    Value end = b.raggedGet(in.ragged, RaggedField::seq_offsets,
                            b.add(sequence, b.index(1)));
    Value row = b.mul(blockInSequence, b.index(R));
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
    Value taken = b.maximum(count, b.index(1));
    Value begin = b.select(some, b.sub(tokenEnd, count), b.index(0));
    tile::CopyInOp::create(b, map,
                           ValueRange{b.index(0), b.sub(b.index(R), taken),
                                      b.add(begin, taken), head},
                           buffer, Value(), Value(), /*multicast=*/false,
                           DenseI64ArrayAttr());
  }

  /// Copies keys and values from `first`, two pages of each. A page behind the
  /// last is the last again; its keys are behind the diagonal there.
  void copyPages(Value keyMap, Value keyTile, Value valueMap, Value valueTile,
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
         {std::pair(keyMap, keyTile), std::pair(valueMap, valueTile)})
      for (int64_t i = 0; i < K / P; ++i)
        copyPage(map, buffer, numbers[i], counts[i], i * P,
                 /*shared=*/shape.cluster() > 1);
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
          return Values{hide(scores, seen)};
        },
        [&] { return Values{scores}; })[0];
  }

  Value head, block, sequence, blockInSequence;
  Value count, some, tokenEnd, position, visible, steps, lastPage;
};

} // namespace

std::optional<SoftmaxShape> mm01::findSoftmaxShape(SoftmaxAttentionOp op,
                                                   StringRef &reason) {
  auto q = cast<RankedTensorType>(op.getQ().getType());
  auto keys = cast<RankedTensorType>(op.getKeys().getType());
  int64_t size = q.getDimSize(2);
  if (!q.getElementType().isBF16() || !keys.getElementType().isBF16() ||
      !getElementTypeOrSelf(op.getOut()).isBF16()) {
    reason = "its tensors are not all bf16, which the matrix unit takes";
    return std::nullopt;
  }
  if (q.isDynamicDim(1) || keys.isDynamicDim(3)) {
    reason = "its number of heads is dynamic";
    return std::nullopt;
  }
  if (ShapedType::isDynamic(size) || size % 16 != 0 || size > 128) {
    reason = "its head size is no multiple of 16 up to 128";
    return std::nullopt;
  }
  if (keys.getDimSize(2) != kSoftmaxPage) {
    reason = "its pages do not have 64 tokens";
    return std::nullopt;
  }
  // Maxima are taken before the scale.
  if (!(op.getScale().convertToDouble() > 0)) {
    reason = "its scale is not positive";
    return std::nullopt;
  }
  return SoftmaxShape{size, q.getDimSize(1), keys.getDimSize(3),
                      op.getScale().convertToDouble(),
                      op->hasAttr(kSkipSingleAttr)};
}

Values mm01::softmaxGrid(TileBuilder &b, const SoftmaxShape &shape,
                         Value ragged) {
  Value blocks = blocksOf(b, shape, ragged);
  if (shape.skipSingle) {
    Value none =
        b.compare(arith::CmpIPredicate::eq,
                  b.raggedSize(ragged, RaggedExtent::several), b.index(0));
    blocks = b.select(none, b.index(0), blocks);
  }
  return {b.index(shape.group() / shape.cluster()), blocks,
          b.index(shape.keyHeads)};
}

void mm01::writeSoftmaxProgram(TileBuilder &b, const SoftmaxShape &shape,
                               const SoftmaxOperands &operands) {
  PrefillWriter(b, shape, operands).write();
}
