//===- LightningBlocks.h - lightning attention by blocks of tokens --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The block form of lightning attention for one head (arXiv 2501.08313, section
// 2.2.2), r tokens at a time, with i, j = 0 … r - 1 in the block and the slope
// s:
//
//     out = (q ⊙ exp(-s (i + 1))) S + ((q kᵀ) ⊙ D) v
//     D(i, j) = exp(-s (i - j)) where j <= i, else 0
//     S <- exp(-s r) S + kᵀ (v ⊙ exp(-s (r - 1 - j)))
//
// A block of level m computes on m rows, of which those from r on are zeros:
// they read nothing, write nothing, and do not decay the state.
//
// All exponents are at most 0, and D is never taken apart into exp(-s i) ·
// exp(s j). D and the weights of rows are float32 exponentials, whose errors
// stay in one block. The state is multiplied once a block, by 1 + expm1(-s r)
// in float64, rounded as expm1: a slope whose decay of one token is lost in
// float32 still acts.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_LIGHTNINGBLOCKS_H
#define MM01_PASSES_TILING_LIGHTNINGBLOCKS_H

#include "passes/tiling/KernelBuilder.h"

namespace mm01 {

/// Tokens in a side of the tiles in which a block's scores are computed; every
/// level above 1 is a multiple.
constexpr int64_t lightningTile(int64_t level) {
  return level < 32 ? level : 32;
}

/// q, k and v of one sequence and head: [tokens, d] in any storage type.
struct LightningRows {
  mlir::Value q, k, v;
};

/// The decays by distance of one head, for blocks of some levels.
class LightningDecays {
public:
  /// `slope` is a float64 scalar, `levels` fall and are above 1. Writes the
  /// exponentials where the index `blocks`, the number of blocks that need
  /// them, is not 0.
  LightningDecays(KernelBuilder &b, mlir::Value slope,
                  llvm::ArrayRef<int64_t> levels, mlir::Value blocks);
  /// With `tables` that were written before, in the order of tableSizes.
  LightningDecays(KernelBuilder &b, mlir::Value slope,
                  llvm::ArrayRef<int64_t> levels, mlir::ValueRange tables);

  /// The number of exponentials in each table.
  static llvm::SmallVector<int64_t> tableSizes(llvm::ArrayRef<int64_t> levels);
  /// Writes the exponentials into such tables.
  static Values writeTables(KernelBuilder &b, mlir::Value slope,
                            llvm::ArrayRef<int64_t> levels,
                            mlir::ValueRange tables);

  /// [tile · tile]: of the tile of D whose first element has this distance,
  /// a multiple of the tile, the rows one after another.
  mlir::Value from(int64_t tile, mlir::Value distance) const;
  /// The decay at one distance of 0 to the first of the levels.
  mlir::Value at(mlir::Value distance) const;
  /// [count]: the decays at the distances 1, 2, … count.
  mlir::Value after(int64_t count) const;
  /// What is added to a state of 1 after `rows` tokens, expm1(-s rows). Made in
  /// float64, so worth keeping for all blocks of a length.
  mlir::Value growth(mlir::Value rows) const;

private:
  KernelBuilder &b;
  mlir::Value slope;
  mlir::Value rows; // [levels[0] + 1]: by distance
  /// For each side of a tile, [m · tile] with the longest block's m:
  /// D(i, j) for all i and the first tile of j.
  llvm::SmallVector<std::pair<int64_t, mlir::Value>> tiles;
};

/// Writes one block of a level: rows [first, first + count) of one sequence and
/// head, 0 <= count <= level. `full` is the growth of `level` tokens, `state`
/// is [d, d], `out` [tokens, d]. Returns both.
std::pair<mlir::Value, mlir::Value>
writeLightningBlock(KernelBuilder &b, int64_t level,
                    const LightningDecays &decays, const LightningRows &rows,
                    mlir::Value first, mlir::Value count, mlir::Value full,
                    mlir::Value state, mlir::Value out);

} // namespace mm01

#endif // MM01_PASSES_TILING_LIGHTNINGBLOCKS_H
