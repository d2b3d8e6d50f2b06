//===- LightningPlanner.cpp - cuts a sequence into items ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/LightningPlanner.h"

#include <algorithm>
#include <set>

using namespace mm01;

std::vector<int64_t> LightningPlan::levels() const {
  std::set<int64_t, std::greater<>> used = {repeat};
  for (const LightningRest &entry : rest)
    used.insert(entry.items.begin(), entry.items.end());
  used.erase(1);
  return {used.begin(), used.end()};
}

namespace {

/// The costs of the cheapest plans of 0, 1, … `most` tokens, and the level that
/// each takes first: the greatest of equally cheap ones.
struct Cheapest {
  std::vector<int64_t> cost{0};
  std::vector<int64_t> level{0};

  Cheapest(std::span<const LightningLevel> levels, int64_t most) {
    for (int64_t n = 1; n <= most; ++n) {
      int64_t best = 0, chosen = 0;
      for (const LightningLevel &level : levels) {
        int64_t total =
            level.cost + cost[std::max<int64_t>(0, n - level.tokens)];
        if (chosen == 0 || total <= best) {
          best = total;
          chosen = level.tokens;
        }
      }
      cost.push_back(best);
      level.push_back(chosen);
    }
  }

  /// The block items of n tokens, falling.
  std::vector<int64_t> blocks(int64_t n) const {
    std::vector<int64_t> items;
    for (; n > 0; n -= level[n])
      if (level[n] > 1)
        items.push_back(level[n]);
    std::sort(items.rbegin(), items.rend());
    return items;
  }
};

} // namespace

LightningPlan mm01::planLightning(std::span<const LightningLevel> levels) {
  // The least cost a token; of equals the greatest level.
  const LightningLevel &main =
      *std::min_element(levels.rbegin(), levels.rend(),
                        [](const LightningLevel &a, const LightningLevel &b) {
                          return a.cost * b.tokens < b.cost * a.tokens;
                        });

  // Among main.tokens items of other levels some cover together a multiple of
  // main.tokens, and items of `main` do that at no higher cost. So beyond this
  // many tokens a cheapest plan has an item of `main`.
  int64_t enough = (main.tokens - 1) * levels.back().tokens;
  Cheapest cheapest(levels, enough + main.tokens);
  // The rest ends where it is so already.
  int64_t last = enough;
  auto hasMain = [&](int64_t n) {
    return cheapest.cost[n] ==
           main.cost + cheapest.cost[std::max<int64_t>(0, n - main.tokens)];
  };
  while (last > 0 && hasMain(last))
    --last;

  LightningPlan plan{main.tokens, {}};
  for (int64_t n = 1; n <= last; ++n) {
    std::vector<int64_t> items = cheapest.blocks(n);
    if (!plan.rest.empty() && plan.rest.back().items == items)
      plan.rest.back().bound = n;
    else
      plan.rest.push_back({n, std::move(items)});
  }
  return plan;
}

std::vector<LightningItem> mm01::itemsOf(const LightningPlan &plan,
                                         int64_t tokens) {
  int64_t last = plan.rest.empty() ? 0 : plan.rest.back().bound;
  std::vector<int64_t> blocks;
  int64_t left = tokens;
  for (; left > last; left -= plan.repeat)
    if (plan.repeat > 1)
      blocks.push_back(plan.repeat);
  for (const LightningRest &entry : plan.rest)
    if (left > 0 && left <= entry.bound) {
      blocks.insert(blocks.end(), entry.items.begin(), entry.items.end());
      break;
    }
  std::sort(blocks.rbegin(), blocks.rend());

  std::vector<LightningItem> items;
  int64_t first = 0;
  for (int64_t level : blocks) {
    items.push_back({level, first, std::min(level, tokens - first)});
    first += level;
  }
  if (first < tokens)
    items.push_back({1, first, tokens - first});
  return items;
}
