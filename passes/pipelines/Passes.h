//===- Passes.h - passes of the pipelines ---------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PIPELINES_PASSES_H
#define MM01_PASSES_PIPELINES_PASSES_H

#include "passes/pipelines/Phase.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mm01 {

/// Gives a pass option the names and descriptions of the phases.
struct PhaseOptionValues {
  template <typename Option> void apply(Option &option) const {
    for (Phase phase : allPhases())
      option.getParser().addLiteralOption(phaseName(phase), phase,
                                          phaseDescription(phase));
  }
};

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/pipelines/Passes.h.inc"

} // namespace mm01

#endif // MM01_PASSES_PIPELINES_PASSES_H
