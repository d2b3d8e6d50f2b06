//===- LightningBlocks.h - lightning attention by blocks of tokens --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The block form of lightning attention for one head (arXiv 2501.08313, section
// 2.2.2), m tokens at a time, with i, j = 0 … m - 1 in the block and the slope
// s:
//
//     out = (q ⊙ exp(-s (i + 1))) S + ((q kᵀ) ⊙ D) v
//     D(i, j) = exp(-s (i - j)) where j <= i, else 0
//     S <- exp(-s m) S + (k ⊙ exp(-s (m - 1 - j)))ᵀ v
//
// All exponents are at most 0, and each decay is rounded once: D is never taken
// apart into exp(-s i) · exp(s j). The state decays once a block, so that a
// slope whose decay of one token is lost in float32 still acts.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_LIGHTNINGBLOCKS_H
#define MM01_PASSES_TILING_LIGHTNINGBLOCKS_H

#include "passes/tiling/KernelBuilder.h"

namespace mm01 {

/// Tokens of a block.
inline constexpr int64_t kLightningBlock = 64;

/// q, k, v and out of one sequence and head: [tokens, d], float32.
struct LightningRows {
  mlir::Value q, k, v, out;
};

/// Runs `blocks` blocks from row 0 on, `blocks` at least 1. `slope` is a
/// float64 scalar, `state` [d, d]. Returns the new state and out.
std::pair<mlir::Value, mlir::Value>
writeLightningBlocks(KernelBuilder &b, mlir::Value blocks, mlir::Value slope,
                     mlir::Value state, const LightningRows &rows);

} // namespace mm01

#endif // MM01_PASSES_TILING_LIGHTNINGBLOCKS_H
