//===- LightningAttributes.h - costs and plans in a module ------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the planner's input and result are written in a module:
//
//     module attributes {mm01.lightning_costs = [
//       {head_size = 64, levels = array<i64: 1, 32, 64>,
//        costs = array<i64: 10, 200, 380>}]}
//     mm01.lightning_attention … {mm01.lightning_plan = {repeat = 64, rest = [
//       {bound = 19, items = array<i64>},
//       {bound = 49, items = array<i64: 32>}]}}
//
// Readers report, at the operation, what breaks the rules of
// LightningPlanner.h.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_LIGHTNINGATTRIBUTES_H
#define MM01_PASSES_TILING_LIGHTNINGATTRIBUTES_H

#include "passes/tiling/LightningPlanner.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mm01 {

/// On the module: an array with the costs of each measured head size.
inline constexpr llvm::StringLiteral kLightningCostsAttr =
    "mm01.lightning_costs";
/// On mm01.lightning_attention, and on its kernel in the tiled phase.
inline constexpr llvm::StringLiteral kLightningPlanAttr = "mm01.lightning_plan";

/// On mm01.lightning_attention: tokens of a sequence are taken from the last to
/// the first, as gradients need it.
inline constexpr llvm::StringLiteral kLightningReverseAttr = "mm01.reverse";

/// The levels that kernels are written for.
inline constexpr int64_t kLightningLevels[] = {1, 4, 8, 16, 32, 64, 128, 256};

/// What items of one head of `headSize` cost.
struct LightningCosts {
  int64_t headSize;
  std::vector<LightningLevel> levels;
};

/// The module's table, of at least one head size.
mlir::FailureOr<std::vector<LightningCosts>>
readLightningCosts(mlir::ModuleOp module);

/// The op's plan; single tokens alone where it has none.
mlir::FailureOr<LightningPlan> readLightningPlan(mlir::Operation *op);

mlir::Attribute toAttribute(mlir::Builder &b,
                            llvm::ArrayRef<LightningCosts> table);
mlir::Attribute toAttribute(mlir::Builder &b, const LightningPlan &plan);

} // namespace mm01

#endif // MM01_PASSES_TILING_LIGHTNINGATTRIBUTES_H
