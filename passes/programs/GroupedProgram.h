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
// an expert of few takes a narrow one: a program has one width, and does the
// experts whose rows, in as few equal parts as the widest allows, need that. An
// item is such a tile and 128 features of a bf16 gate, or 256; the two blocks
// of a cluster have half of the features each and share the rows. Items of an
// expert's features follow each other, so that weights come from the cache for
// all but the first. Clusters of a persistent grid take turns.
//
// Weights of int8 become bf16 on their way to the matrix unit, in the registers
// of the threads that multiply with them, which is why the weight is the first
// operand. bf16 holds each of them exactly; the scale of a feature multiplies
// the sum that is complete.
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

/// What a program's body sees of the operands.
struct GroupedOperands {
  mlir::Value rows;
  /// Where the rows of each expert begin; null where all rows are the one
  /// expert's.
  mlir::Value offsets;
  mlir::Value out;
  /// A gate and its partner, or one weight; [experts, features, hidden], or
  /// [features, hidden] of one expert.
  llvm::SmallVector<mlir::Value, 2> weights;
  /// Of int8 weights, the scales of the first expert's features, behind which
  /// those of the others lie.
  llvm::SmallVector<mlir::Value, 2> scales;
};

/// Elements of a row that a step of a product takes: 128 bytes of the weight.
int64_t getGroupedStep(WeightType weight);

/// Elements that an iteration takes at most. A program wants more than one, for
/// the assembler serialises products that are not in a loop.
int64_t getGroupedDepth(WeightType weight);

/// Widths of tiles: an expert takes the least that holds its equal parts. int8
/// weights leave no registers for the widest, and less where there is a gate.
llvm::ArrayRef<int64_t> getGroupedWidths(WeightType weight, bool gated);

/// Writes the program of the experts whose parts have more than `above` and at
/// most `width` rows, for a grid of kGroupedClusters.
void writeGroupedProgram(TileBuilder &b, int64_t width, int64_t above,
                         const GroupedOperands &operands);

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_GROUPEDPROGRAM_H
