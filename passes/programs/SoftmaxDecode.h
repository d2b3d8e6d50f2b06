//===- SoftmaxDecode.h - single tokens of softmax attention -----*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sequence of one token is answered by reading its keys and values once. The
// query heads of a key head are the rows of one tile, so that each is read for
// all of them, and a sequence's pages are cut into pieces, a block's each, so
// that one sequence alone has work for a whole chip:
//
//     m_p = max_j s_j;  l_p = Σ_j exp(s_j - m_p);  o_p = Σ_j exp(s_j - m_p) v_j
//
// for the keys j of piece p, in float32. What the pieces found is put together
// by a kernel behind:
//
//     m = max_p m_p;  out = Σ_p exp(m_p - m) o_p / Σ_p exp(m_p - m) l_p
//
// How a sequence is cut depends on its own length alone, so its results do not
// depend on what else is in the batch, and the grid on the sizes of the batch
// alone, so that a captured launch stays right while sequences grow.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_SOFTMAXDECODE_H
#define MM01_PASSES_PROGRAMS_SOFTMAXDECODE_H

#include "passes/programs/SoftmaxProgram.h"
#include "passes/tile/Chips.h"
#include "passes/tiling/KernelBuilder.h"

namespace mm01 {

/// Rows of the tile of queries: no more query heads share a key head.
inline constexpr int64_t kSoftmaxDecodeRows = 64;

/// How the pages of a sequence are cut: into as few pieces of equal length,
/// `leastPages` or more, as `most` allows.
struct SoftmaxPieces {
  int64_t most, leastPages;

  /// Blocks of the program that a multiprocessor holds.
  static constexpr int64_t resident = 2;
};

/// Pieces that fill a chip where one sequence has `keyHeads` heads of keys.
SoftmaxPieces chooseSoftmaxPieces(const Chip &chip, int64_t keyHeads);

/// What the pieces of all sequences found: `sums` [N, H, pieces, 2], the
/// maximum m and the sum l, and `outputs` [N, pieces, H, d].
struct SoftmaxParts {
  mlir::Value sums, outputs;
};

/// All sequences, unless none has one token. How many have is no number for a
/// grid: padding has none, and a graph is for any padding.
mlir::Value countSingleSequences(TileBuilder &b, mlir::Value ragged);

/// Key heads of sequences along x, pieces along y.
TileBuilder::Values softmaxDecodeGrid(TileBuilder &b, const SoftmaxShape &shape,
                                      const SoftmaxPieces &pieces,
                                      mlir::Value ragged);

/// Writes the body of the program that makes parts; `operands` have no out.
void writeSoftmaxDecode(TileBuilder &b, const SoftmaxShape &shape,
                        const SoftmaxPieces &pieces,
                        const SoftmaxOperands &operands,
                        const SoftmaxParts &parts);

/// Writes the kernel that puts the parts of so many sequences together, and
/// returns the new `out`.
mlir::Value writeSoftmaxMerge(KernelBuilder &b, const SoftmaxShape &shape,
                              const SoftmaxPieces &pieces, mlir::Value ragged,
                              const SoftmaxParts &parts, mlir::Value sequences,
                              mlir::Value out);

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_SOFTMAXDECODE_H
