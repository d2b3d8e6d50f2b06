//===- LightningAttributes.cpp - costs and plans in a module --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/LightningAttributes.h"

using namespace mlir;
using namespace mm01;

/// No sum of costs over a sequence overflows below this.
static constexpr int64_t kMostCost = 1'000'000'000'000;

static LogicalResult checkLevel(Operation *op, int64_t level) {
  if (llvm::is_contained(kLightningLevels, level))
    return success();
  return op->emitOpError("has lightning level ")
         << level
         << ", which has no kernel, expected 1, 4, 8, 16, 32, 64, 128 or 256";
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

static FailureOr<LightningCosts> readEntry(ModuleOp module, Attribute attr) {
  auto entry = dyn_cast<DictionaryAttr>(attr);
  auto size = entry ? entry.getAs<IntegerAttr>("head_size") : nullptr;
  auto levels = entry ? entry.getAs<DenseI64ArrayAttr>("levels") : nullptr;
  auto costs = entry ? entry.getAs<DenseI64ArrayAttr>("costs") : nullptr;
  if (!size || !levels || !costs || levels.size() != costs.size())
    return module.emitOpError("has lightning costs ")
           << attr
           << ", expected {head_size = D, levels = array<i64: …>, costs = "
              "array<i64: …>} with one cost for each level";
  if (size.getInt() <= 0)
    return module.emitOpError("has lightning costs for heads of ")
           << size.getInt() << ", expected a positive size";
  if (levels.empty() || levels[0] != 1)
    return module.emitOpError("has lightning costs without those of single "
                              "tokens, expected level 1 first");
  LightningCosts read{size.getInt(), {}};
  for (auto [level, cost] :
       llvm::zip_equal(levels.asArrayRef(), costs.asArrayRef())) {
    if (failed(checkLevel(module, level)))
      return failure();
    if (!read.levels.empty() && level <= read.levels.back().tokens)
      return module.emitOpError("has lightning level ")
             << level << " after " << read.levels.back().tokens
             << ", expected levels that rise";
    if (cost <= 0 || cost > kMostCost)
      return module.emitOpError("has a cost of ")
             << cost << " for lightning level " << level
             << ", expected 1 to 10^12";
    read.levels.push_back({level, cost});
  }
  return read;
}

FailureOr<std::vector<LightningCosts>>
mm01::readLightningCosts(ModuleOp module) {
  auto table = module->getAttrOfType<ArrayAttr>(kLightningCostsAttr);
  if (!table || table.empty())
    return module.emitOpError("expected ")
           << kLightningCostsAttr << ", an array with the costs of each "
           << "measured head size";
  std::vector<LightningCosts> costs;
  for (Attribute attr : table) {
    FailureOr<LightningCosts> entry = readEntry(module, attr);
    if (failed(entry))
      return failure();
    for (const LightningCosts &other : costs)
      if (other.headSize == entry->headSize)
        return module.emitOpError("has two lightning costs for heads of ")
               << other.headSize << ", expected one";
    costs.push_back(*entry);
  }
  return costs;
}

Attribute mm01::toAttribute(Builder &b, ArrayRef<LightningCosts> table) {
  SmallVector<Attribute> entries;
  for (const LightningCosts &entry : table) {
    SmallVector<int64_t> levels, costs;
    for (const LightningLevel &level : entry.levels) {
      levels.push_back(level.tokens);
      costs.push_back(level.cost);
    }
    entries.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("head_size", b.getI64IntegerAttr(entry.headSize)),
         b.getNamedAttr("levels", b.getDenseI64ArrayAttr(levels)),
         b.getNamedAttr("costs", b.getDenseI64ArrayAttr(costs))}));
  }
  return b.getArrayAttr(entries);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The next entry of a rest whose entries so far end at `before` tokens.
static FailureOr<LightningRest> readRest(Operation *op, Attribute attr,
                                         int64_t before) {
  auto entry = dyn_cast<DictionaryAttr>(attr);
  auto bound = entry ? entry.getAs<IntegerAttr>("bound") : nullptr;
  auto items = entry ? entry.getAs<DenseI64ArrayAttr>("items") : nullptr;
  if (!bound || !items)
    return op->emitOpError("has a rest ")
           << attr
           << " in its plan, expected {bound = N, items = array<i64: …>}";
  if (bound.getInt() <= before)
    return op->emitOpError("has a rest up to ")
           << bound.getInt() << " tokens after " << before
           << " in its plan, expected bounds that rise";
  LightningRest rest{bound.getInt(), {}};
  int64_t taken = 0;
  for (int64_t level : items.asArrayRef()) {
    if (failed(checkLevel(op, level)))
      return failure();
    // The last item alone may be padded, so it is the smallest and has a row.
    if (level == 1 || (taken > 0 && level > rest.items.back()))
      return op->emitOpError("has an item of level ")
             << level << " for up to " << bound.getInt()
             << " tokens in its plan, expected levels of blocks that fall";
    if (taken > before)
      return op->emitOpError("has an item of level ")
             << level << " without rows for " << before + 1
             << " tokens in its plan, expected the items before to leave some";
    rest.items.push_back(level);
    taken += level;
  }
  return rest;
}

FailureOr<LightningPlan> mm01::readLightningPlan(Operation *op) {
  LightningPlan plan{1, {}};
  Attribute attr = op->getAttr(kLightningPlanAttr);
  if (!attr)
    return plan;
  auto entry = dyn_cast<DictionaryAttr>(attr);
  auto repeat = entry ? entry.getAs<IntegerAttr>("repeat") : nullptr;
  auto rest = entry ? entry.getAs<ArrayAttr>("rest") : nullptr;
  if (!repeat || !rest)
    return op->emitOpError("has the plan ")
           << attr << ", expected {repeat = LEVEL, rest = […]}";
  if (failed(checkLevel(op, repeat.getInt())))
    return failure();
  plan.repeat = repeat.getInt();
  for (Attribute next : rest) {
    int64_t before = plan.rest.empty() ? 0 : plan.rest.back().bound;
    FailureOr<LightningRest> read = readRest(op, next, before);
    if (failed(read))
      return failure();
    plan.rest.push_back(*read);
  }
  return plan;
}

Attribute mm01::toAttribute(Builder &b, const LightningPlan &plan) {
  SmallVector<Attribute> rest;
  for (const LightningRest &entry : plan.rest)
    rest.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("bound", b.getI64IntegerAttr(entry.bound)),
         b.getNamedAttr("items", b.getDenseI64ArrayAttr(entry.items))}));
  return b.getDictionaryAttr(
      {b.getNamedAttr("repeat", b.getI64IntegerAttr(plan.repeat)),
       b.getNamedAttr("rest", b.getArrayAttr(rest))});
}
