//===- PlanLightning.cpp - plans the blocks of lightning attention --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lengths are run-time facts: what a compiler can decide is which items each
// length is cut into. Requires the module's table of costs.
//
//     module attributes {mm01.lightning_costs = [
//       {head_size = 64, levels = array<i64: 1, 32, 64>,
//        costs = array<i64: 10, 200, 380>}]}
//       mm01.lightning_attention %q, %k, %v, … : tensor<?x4x64xf32>, …
//   ->
//       mm01.lightning_attention %q, %k, %v, … {mm01.lightning_plan =
//         {repeat = 64, rest = [{bound = 19, items = array<i64>},
//                               {bound = 49, items = array<i64: 32>}]}}
//
// Long sequences repeat a block even where single tokens cost less, since each
// of those rounds the state.
//
// Test: test/passes/tiling/plan-lightning*.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/LightningAttributes.h"
#include "passes/tiling/Passes.h"

#include "dialects/mm01/Mm01Dialect.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

namespace mm01 {
#define GEN_PASS_DEF_PLANLIGHTNINGPASS
#include "passes/tiling/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// The costs of the measured head size whose ratio to `size` is nearest 1; of
/// two the first.
static const LightningCosts &nearest(const std::vector<LightningCosts> &table,
                                     int64_t size) {
  auto ratio = [&](const LightningCosts &costs) {
    double large = std::max(size, costs.headSize);
    return large / std::min(size, costs.headSize);
  };
  return *llvm::min_element(table, [&](const auto &left, const auto &right) {
    return ratio(left) < ratio(right);
  });
}

/// Costs of which single tokens are not the cheapest a token. Each of them
/// rounds the state, a block does so once: thousands of single tokens lose a
/// digit that blocks keep.
static std::vector<LightningLevel>
withoutCheapTokens(std::vector<LightningLevel> levels) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const LightningLevel &level : llvm::drop_begin(levels))
    least = std::min(least, llvm::divideCeilSigned(level.cost, level.tokens));
  if (levels.size() > 1)
    levels[0].cost = std::max(levels[0].cost, least);
  return levels;
}

namespace {

struct PlanLightningPass
    : mm01::impl::PlanLightningPassBase<PlanLightningPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(planAll()))
      signalPassFailure();
  }

private:
  LogicalResult planAll() {
    SmallVector<LightningAttentionOp> ops;
    getOperation().walk([&](LightningAttentionOp op) { ops.push_back(op); });
    if (ops.empty())
      return success();
    FailureOr<std::vector<LightningCosts>> table =
        readLightningCosts(getOperation());
    if (failed(table))
      return failure();
    Builder b(&getContext());
    for (LightningAttentionOp op : ops) {
      if (op->hasAttr(kLightningPlanAttr)) {
        if (failed(readLightningPlan(op)))
          return failure();
        continue;
      }
      int64_t size = cast<ShapedType>(op.getQ().getType()).getDimSize(2);
      if (size > 0)
        op->setAttr(kLightningPlanAttr,
                    toAttribute(b, planLightning(withoutCheapTokens(
                                       nearest(*table, size).levels))));
    }
    return success();
  }
};

} // namespace
