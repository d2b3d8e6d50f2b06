//===- GroupedProgram.h - products of experts as tile programs --*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of x lie expert after expert. With one weight per expert
//
//     out[row] = x[row] · W[expert]ᵀ
//
// and with two, a gate and what it is multiplied with,
//
//     out[row] = silu(x[row] · G[expert]ᵀ) * (x[row] · U[expert]ᵀ)
//
// Products are transposed, so that the rows of x are the columns of a tile and
// an expert of few takes a narrow one: a program has one width, a multiple of
// 16 up to 256, and does the experts whose rows, in as few equal parts as 256
// allows, need that. An item is such a tile and 128 features of a gate, or 256;
// the two blocks of a cluster have half of the features each and share the
// rows. Items of an expert's features follow each other, so that weights come
// from the cache for all but the first. Clusters of a persistent grid take
// turns.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_GROUPEDPROGRAM_H
#define MM01_PASSES_PROGRAMS_GROUPEDPROGRAM_H

#include "passes/programs/TileBuilder.h"

namespace mm01 {

/// Blocks of a cluster, and clusters of the grid: an H200 has 132
/// multiprocessors.
inline constexpr int64_t kGroupedCluster = 2;
inline constexpr int64_t kGroupedClusters = 66;

/// Elements of a row that a step of a product takes; a program wants more than
/// one step, for the assembler serialises products that are not in a loop.
inline constexpr int64_t kGroupedStep = 64;

/// What a program's body sees of the operands.
struct GroupedOperands {
  mlir::Value rows, offsets, out;
  /// A gate and its partner, or one weight; [experts, features, hidden].
  llvm::SmallVector<mlir::Value, 2> weights;
};

/// Widths of tiles: an expert takes the least that holds its equal parts.
inline constexpr int64_t kGroupedWidths[] = {16, 32, 64, 96, 128, 192, 256};

/// Writes the program of the experts whose parts have more than `above` and at
/// most `width` rows, for a grid of kGroupedClusters.
void writeGroupedProgram(TileBuilder &b, int64_t width, int64_t above,
                         const GroupedOperands &operands);

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_GROUPEDPROGRAM_H
