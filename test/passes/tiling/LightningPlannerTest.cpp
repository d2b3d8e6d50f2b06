//===- LightningPlannerTest.cpp - plans against all other plans -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/LightningPlanner.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace mm01;

using Levels = std::vector<LightningLevel>;

namespace {

int64_t costOf(const Levels &levels, const std::vector<LightningItem> &items) {
  std::map<int64_t, int64_t> cost;
  for (const LightningLevel &level : levels)
    cost[level.tokens] = level.cost;
  int64_t total = 0;
  for (const LightningItem &item : items)
    total += item.level == 1 ? item.rows * cost[1] : cost[item.level];
  return total;
}

/// The least cost of all multisets of items that cover `tokens`, by trying
/// every number of each level.
int64_t cheapest(std::span<const LightningLevel> levels, int64_t tokens) {
  if (tokens <= 0)
    return 0;
  const LightningLevel &level = levels.back();
  if (levels.size() == 1)
    return (tokens + level.tokens - 1) / level.tokens * level.cost;
  int64_t least = INT64_MAX;
  for (int64_t count = 0; (count - 1) * level.tokens < tokens; ++count)
    least = std::min(least, count * level.cost +
                                cheapest(levels.first(levels.size() - 1),
                                         tokens - count * level.tokens));
  return least;
}

/// Every token is in one item, no item is empty or too full, levels fall.
void expectWhole(const std::vector<LightningItem> &items, int64_t tokens) {
  int64_t next = 0, level = INT64_MAX;
  for (const LightningItem &item : items) {
    EXPECT_EQ(item.first, next);
    EXPECT_GT(item.rows, 0);
    EXPECT_LE(item.level, level);
    if (item.level > 1) {
      EXPECT_LE(item.rows, item.level);
    }
    next += item.rows;
    level = item.level;
  }
  EXPECT_EQ(next, tokens);
}

TEST(LightningPlanner, IsTheCheapestOnRandomTables) {
  std::mt19937 random(1);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    Levels levels = {{1, draw(1, 30)}};
    for (int64_t tokens : {2, 3, 4, 6, 8})
      if (draw(0, 1))
        levels.push_back({tokens, draw(1, 30 * tokens)});
    LightningPlan plan = planLightning(levels);
    for (int64_t tokens = 0; tokens <= 70; ++tokens) {
      std::vector<LightningItem> items = itemsOf(plan, tokens);
      expectWhole(items, tokens);
      ASSERT_EQ(costOf(levels, items), cheapest(levels, tokens))
          << tokens << " tokens in round " << round;
    }
  }
}

// The levels that kernels have, and lengths around all of their boundaries.
TEST(LightningPlanner, IsTheCheapestOnLevelsOfKernels) {
  std::mt19937 random(2);
  auto draw = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < 10; ++round) {
    Levels levels = {{1, static_cast<int64_t>(draw(80, 400))}};
    for (int64_t tokens : {4, 8, 16, 32, 64, 128, 256})
      levels.push_back(
          {tokens, static_cast<int64_t>(draw(80, 240) * double(tokens))});
    LightningPlan plan = planLightning(levels);
    for (int64_t tokens : {1, 2, 15, 17, 20, 31, 32, 33, 63, 65, 127, 129, 255,
                           256, 257, 300, 511, 513, 700}) {
      std::vector<LightningItem> items = itemsOf(plan, tokens);
      expectWhole(items, tokens);
      ASSERT_EQ(costOf(levels, items), cheapest(levels, tokens))
          << tokens << " tokens in round " << round;
    }
  }
}

TEST(LightningPlanner, SingleTokensAlone) {
  LightningPlan plan = planLightning(Levels{{1, 7}});
  EXPECT_EQ(plan.repeat, 1);
  EXPECT_TRUE(plan.rest.empty());
  EXPECT_TRUE(plan.levels().empty());
  EXPECT_EQ(itemsOf(plan, 5), (std::vector<LightningItem>{{1, 0, 5}}));
}

// Single tokens that cost too much: the way to force a level.
TEST(LightningPlanner, OneLevelForced) {
  LightningPlan plan = planLightning(Levels{{1, 1'000'000}, {64, 1}});
  EXPECT_EQ(plan.levels(), std::vector<int64_t>{64});
  EXPECT_EQ(itemsOf(plan, 1), (std::vector<LightningItem>{{64, 0, 1}}));
  EXPECT_EQ(itemsOf(plan, 130), (std::vector<LightningItem>{
                                    {64, 0, 64}, {64, 64, 64}, {64, 128, 2}}));
}

// The example of the pass: bounds are where costs meet.
TEST(LightningPlanner, RestsOfTheExample) {
  LightningPlan plan = planLightning(Levels{{1, 10}, {32, 200}, {64, 380}});
  EXPECT_EQ(plan.repeat, 64);
  EXPECT_EQ(plan.rest, (std::vector<LightningRest>{{19, {}}, {49, {32}}}));
  EXPECT_EQ(
      itemsOf(plan, 64 + 35),
      (std::vector<LightningItem>{{64, 0, 64}, {32, 64, 32}, {1, 96, 3}}));
  EXPECT_EQ(itemsOf(plan, 64 + 50),
            (std::vector<LightningItem>{{64, 0, 64}, {64, 64, 50}}));
}

} // namespace
