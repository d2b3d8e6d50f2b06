//===- LightningPlanner.h - cuts a sequence into items --------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host planner of lightning attention, a leaf without MLIR: it decides what
// every target does with a sequence of n tokens. A level is a kernel for blocks
// of m tokens that costs the same for every number of rows up to m; level 1 is
// one token of the recurrence. The cheapest plan covers n tokens by items:
//
//     best(0) = 0;  best(n) = min over levels m of cost(m) + best(max(0, n -
//     m))
//
// In a long sequence all but a few items are of the level with the least cost a
// token. So a plan for all lengths is that level and a short table for the
// rest.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_LIGHTNINGPLANNER_H
#define MM01_PASSES_TILING_LIGHTNINGPLANNER_H

#include <cstdint>
#include <span>
#include <vector>

namespace mm01 {

/// Tokens of a block, and the positive cost of one item, in any unit.
struct LightningLevel {
  int64_t tokens;
  int64_t cost;
};

/// What is left of up to `bound` tokens takes these levels, falling; tokens
/// behind them are single.
struct LightningRest {
  int64_t bound;
  std::vector<int64_t> items;

  bool operator==(const LightningRest &) const = default;
};

/// The cheapest way for every length: while more than the last bound of `rest`
/// (0 without one) tokens are left, another item of level `repeat`; then the
/// first entry of `rest` whose bound is not less than what is left.
struct LightningPlan {
  int64_t repeat;
  std::vector<LightningRest> rest;

  /// The block levels in use, falling, without level 1.
  std::vector<int64_t> levels() const;
};

/// Tokens [first, first + rows) of a sequence, at a level: a block of up to
/// `level` rows, or for level 1 `rows` single tokens.
struct LightningItem {
  int64_t level;
  int64_t first;
  int64_t rows;

  bool operator==(const LightningItem &) const = default;
};

/// The cheapest plan. Levels rise and begin with 1; costs are positive.
LightningPlan planLightning(std::span<const LightningLevel> levels);

/// The items of a sequence of `tokens` tokens, in its order.
std::vector<LightningItem> itemsOf(const LightningPlan &plan, int64_t tokens);

} // namespace mm01

#endif // MM01_PASSES_TILING_LIGHTNINGPLANNER_H
