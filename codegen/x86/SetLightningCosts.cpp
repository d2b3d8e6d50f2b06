//===- SetLightningCosts.cpp - the measured costs of lightning levels -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner of lightning attention knows no target: this pass tells it what
// was measured on this one.
//
// Before: module attributes {mm01.isa = "x86-64-v4"}
// After:  module attributes {mm01.isa = "x86-64-v4", mm01.lightning_costs =
//             [{head_size = 64, levels = array<i64: 1, 32, …>,
//               costs = array<i64: …>}, …]}
//
// Requires nothing. Tested by test/codegen/x86/set-lightning-costs.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Isa.h"
#include "codegen/x86/Passes.h"
#include "passes/tiling/LightningAttributes.h"

namespace mm01 {
#define GEN_PASS_DEF_SETLIGHTNINGCOSTSPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

struct Measured {
  StringLiteral isa;
  int64_t headSize;
  LightningLevel levels[std::size(kLightningLevels)];
};

constexpr Measured kMeasured[] = {
#define MM01_LIGHTNING_COSTS(isa, headSize, ...) {isa, headSize, {__VA_ARGS__}},
#include "codegen/x86/LightningCosts.def"
};

struct SetLightningCostsPass
    : mm01::impl::SetLightningCostsPassBase<SetLightningCostsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(kLightningCostsAttr))
      return;
    StringRef level = isaOf(module);
    std::vector<LightningCosts> table;
    for (const Measured &measured : kMeasured)
      if (measured.isa == level)
        table.push_back(
            {measured.headSize,
             {std::begin(measured.levels), std::end(measured.levels)}});
    if (table.empty()) {
      module.emitOpError("has mm01.isa \"")
          << level << "\", for which no costs of lightning attention were "
          << "measured, expected x86-64-v2, x86-64-v3 or x86-64-v4";
      return signalPassFailure();
    }
    Builder b(&getContext());
    module->setAttr(kLightningCostsAttr, toAttribute(b, table));
  }
};

} // namespace
