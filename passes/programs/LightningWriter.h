//===- LightningWriter.h - parts of lightning programs ----------*- C++ -*-===//
//-*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_LIGHTNINGWRITER_H
#define MM01_PASSES_PROGRAMS_LIGHTNINGWRITER_H

#include "passes/programs/LightningProgram.h"

namespace mm01 {

/// The tokens of one cluster: a sequence, or a segment of one.
struct LightningPiece {
  mlir::Value sequence, begin, length;
  /// Of segments: the number of this one, how many the sequence has, the entry
  /// of the first.
  mlir::Value segment, count, first;
};

/// A block of tokens: where its box lies (TileBuilder::raggedMap), how many
/// there are, and how many from its beginning to the end of the piece.
struct LightningBox {
  mlir::Value clip, row, length, left;
};

/// Writes the parts of which the programs are made.
class LightningWriter {
public:
  using Values = TileBuilder::Values;

  LightningWriter(TileBuilder &b, const LightningForm &form,
                  const LightningOperands &in);
  /// Everything of a head that does not depend on the tokens.
  void begin(mlir::Value head);

  bool isShared() const { return form.cluster() > 1; }
  bool hasSegments() const { return in.segmentStates != nullptr; }

  /// How many sequences the program has, and the i-th of them.
  mlir::Value countSequences();
  mlir::Value sequenceAt(mlir::Value i);
  /// The piece of this cluster; `entry` is null for one without segments.
  LightningPiece findSequence();
  LightningPiece findSegment(mlir::Value isSequence, mlir::Value entry);

  /// The tokens of block t; none before the first.
  LightningBox findBlock(const LightningPiece &piece, mlir::Value t);
  mlir::Value countBlocks(const LightningPiece &piece);
  /// A tile of a map's tensor; `columns` is where its columns begin.
  mlir::Value copyIn(mlir::Value map, const LightningBox &box,
                     mlir::Value columns, int64_t width, bool shared);

  /// exp(-s x) of a tile of distances.
  mlir::Value decayOf(mlir::Value distances);
  /// A tile rounded to bf16, and what that takes from it.
  std::pair<mlir::Value, mlir::Value> split(mlir::Value tile);
  /// (weights ⊙ V)ᵀ of a block, rounded once.
  mlir::Value weigh(mlir::Value v, const LightningBox &box);
  /// Whether a block has all its tokens.
  mlir::Value isWhole(const LightningBox &box);
  /// The state decayed by as many tokens. The decay less 1 is rounded, not the
  /// decay, so that a slope near 0 keeps its precision.
  mlir::Value decay(mlir::Value kv, mlir::Value tokens);
  /// The tokens of the block before which `left` are left.
  mlir::Value blockTokens(mlir::Value left);

  /// Reads a state where the condition holds, else zeros: of the slot, or of an
  /// entry of segments. Transposed: rows are value columns.
  mlir::Value loadSlot(const LightningPiece &piece, mlir::Value condition);
  mlir::Value loadEntry(mlir::Value entry);
  void storeSlot(const LightningPiece &piece, mlir::Value kv,
                 mlir::Value condition);
  void storeEntry(mlir::Value entry, mlir::Value kv, mlir::Value condition);
  /// Whether a sequence goes on from a state in its slot.
  mlir::Value goesOn(const LightningPiece &piece);

  TileBuilder &b;
  const LightningForm form;
  const LightningOperands in;
  mlir::Value head, column;
  /// -s, -s log2(e), and the token (column) of each element of a block's tile.
  mlir::Value minusSlope, rate, place;

private:
  struct Memory {
    mlir::Value buffer, offset, keyStride, valueStride;
  };
  Memory slotOf(const LightningPiece &piece);
  Memory entryOf(mlir::Value entry);
  mlir::Value load(const Memory &memory, mlir::Value condition);
  void store(const Memory &memory, mlir::Value kv, mlir::Value condition);
  /// The columns that there are of this block's 64, where the condition holds.
  mlir::Value maskOf(mlir::Value condition);
  mlir::Value offset(mlir::Value n);
  /// Segments of as many tokens.
  mlir::Value segmentsOf(mlir::Value tokens);

  mlir::Value wholeHigh, wholeLow;
};

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_LIGHTNINGWRITER_H
