//===- Pipelines.h - one pipeline for each phase --------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PIPELINES_PIPELINES_H
#define MM01_PASSES_PIPELINES_PIPELINES_H

#include "passes/pipelines/Phase.h"

#include "mlir/Pass/PassManager.h"

#include <functional>
#include <map>

namespace mm01 {

/// The passes that lead from the module of the phase before to that of a phase.
/// A phase without an entry leaves the module as it is. Passes know no code
/// generator, so the tools fill this table; what a pass must know of the target
/// it reads from the module's attributes, not from options, so that a pipeline
/// does the same in every tool.
using PhasePasses = std::map<Phase, std::function<void(mlir::OpPassManager &)>>;

/// Adds the passes of one phase, and the verify pass that guards its end.
void addPhase(mlir::OpPassManager &manager, Phase phase,
              const PhasePasses &passes);

/// Registers `PREFIX-NAME` for each phase, "mm01-phase-tiled": it takes the
/// module of the phase before and does exactly what addPhase adds.
void registerPhasePipelines(llvm::StringRef prefix, const PhasePasses &passes);

} // namespace mm01

#endif // MM01_PASSES_PIPELINES_PIPELINES_H
