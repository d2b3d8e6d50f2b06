//===- SoftmaxProgram.h - softmax attention as a tile program ---*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_SOFTMAXPROGRAM_H
#define MM01_PASSES_PROGRAMS_SOFTMAXPROGRAM_H

#include "passes/programs/TileBuilder.h"

namespace mm01 {

/// Tokens of one sequence that a block computes, for one query head.
inline constexpr int64_t kSoftmaxRows = 128;
/// Tokens of a page of keys and values that the program takes.
inline constexpr int64_t kSoftmaxPage = 64;

/// What the body of a program sees: q and out [T, H, d], keys and values
/// [layers, pages, 64, KV, d].
struct SoftmaxOperands {
  mlir::Value q, keys, values, ragged, layer, out;
};

/// Shape and scale of an attention.
struct SoftmaxShape {
  int64_t size, queryHeads, keyHeads;
  double scale;
  /// Sequences of one token are left to others.
  bool skipSingle = false;

  /// The size of a batch that counts the program's sequences.
  RaggedExtent sequences() const {
    return skipSingle ? RaggedExtent::several : RaggedExtent::sequences;
  }
  int64_t group() const { return queryHeads / keyHeads; }
  /// Blocks of a cluster, which share the keys of their query heads; a tile of
  /// one panel cannot be shared.
  int64_t cluster() const { return group() % 2 == 0 && size > 64 ? 2 : 1; }
};

/// The shape of an op that has a program, else `reason` says why it has none.
std::optional<SoftmaxShape> findSoftmaxShape(SoftmaxAttentionOp op,
                                             llvm::StringRef &reason);

/// Clusters along x, blocks of tokens along y, key heads along z.
TileBuilder::Values softmaxGrid(TileBuilder &b, const SoftmaxShape &shape,
                                mlir::Value ragged);

/// Writes the program's body, see test/codegen/tile/Inputs/softmax.mlir.
void writeSoftmaxProgram(TileBuilder &b, const SoftmaxShape &shape,
                         const SoftmaxOperands &operands);

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_SOFTMAXPROGRAM_H
