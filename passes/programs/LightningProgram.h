//===- LightningProgram.h - lightning attention as tile programs *- C++ -*-===//
//-*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forward pass of lightning attention on bf16 activations, in blocks of
// C = 64 tokens. For each block, with D the decays of scores:
//
//     S = Q Kᵀ                    scores, of a role that runs ahead
//     P = S ⊙ D
//     Oᵀ = decay ⊙ (KVᵀ Qᵀ) + Vᵀ Pᵀ
//     KVᵀ = λ^length · KVᵀ + (weights ⊙ V)ᵀ K
//
// All after the scores is transposed, so that the state's accumulator, rounded
// to bf16, is the operand of the next block's product and never leaves the
// registers. A cluster computes one head of one sequence, each of its blocks 64
// value columns; states and decays are float32. dialects/tile/README.md follows
// it through the passes.
//
// Few heads leave most of a chip idle, so that long sequences are cut into
// segments of L tokens, each a cluster's (LightningSegments.h). A first program
// computes what each segment adds to the state, in the second each begins with
// the sum of those before it.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_LIGHTNINGPROGRAM_H
#define MM01_PASSES_PROGRAMS_LIGHTNINGPROGRAM_H

#include "passes/programs/TileBuilder.h"

namespace mm01 {

/// Tokens of a block.
inline constexpr int64_t kLightningBlock = 64;

/// What a program's body sees of the operands of lightning attention, and
/// where sequences are cut into segments the tokens of one and the states that
/// segments add, [entries, heads, size, size]; else null.
struct LightningOperands {
  mlir::Value q, k, v, slopes, ragged, layer, out, state;
  mlir::Value segmentTokens = nullptr, segmentStates = nullptr;
};

/// What does not change where a program is written.
struct LightningForm {
  /// Head size, a multiple of 16 up to 128.
  int64_t size;
  /// Sequences of one token are left to others.
  bool skipSingle = false;
  /// A cluster takes heads of a sequence one after another.
  bool severalHeads = false;
  /// From the last token of a sequence to the first; blocks and segments are
  /// counted from its end.
  bool reverse = false;

  /// The size of a batch that counts the program's sequences.
  RaggedExtent sequences() const {
    return skipSingle ? RaggedExtent::several : RaggedExtent::sequences;
  }
  /// Blocks of a cluster: each has 64 value columns.
  int64_t cluster() const { return size > kLightningBlock ? 2 : 1; }
};

/// Writes the program that computes the output and the states of sequences. Of
/// the grid, y is a head and cluster x < N sequence x, or, where single tokens
/// are left to others, the x-th of several tokens; where there are segments,
/// those of a single one, and the clusters behind are the entries of segments.
/// Of several heads, y is the first, and they are as many apart as the grid has
/// rows.
void writeLightningOutputs(TileBuilder &b, const LightningForm &form,
                           const LightningOperands &operands);

/// Writes the program that computes what segments add to the state: cluster x
/// of the grid is an entry. The first segment's includes the state before the
/// sequence, the last segment's entry is that state.
void writeLightningSegments(TileBuilder &b, const LightningForm &form,
                            const LightningOperands &operands);

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_LIGHTNINGPROGRAM_H
