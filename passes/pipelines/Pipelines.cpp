//===- Pipelines.cpp - one pipeline for each phase ------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/pipelines/Pipelines.h"

#include "passes/pipelines/Passes.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mm01;

void mm01::addPhase(OpPassManager &manager, Phase phase,
                    const PhasePasses &passes) {
  auto found = passes.find(phase);
  if (found != passes.end())
    found->second(manager);
  VerifyPhasePassOptions options;
  options.phase = phase;
  manager.addPass(createVerifyPhasePass(options));
}

void mm01::registerPhasePipelines(StringRef prefix, const PhasePasses &passes) {
  for (Phase phase : allPhases()) {
    std::string flag = (prefix + "-" + phaseName(phase)).str();
    registerPassPipeline(
        flag,
        ("leads to phase " + phaseName(phase) + ": " + phaseDescription(phase))
            .str(),
        [flag, phase,
         passes](OpPassManager &manager, StringRef options,
                 function_ref<LogicalResult(const Twine &)> error) {
          if (!options.empty())
            return error(flag + " takes no options, found '" + options + "'");
          addPhase(manager, phase, passes);
          return success();
        },
        [](function_ref<void(const detail::PassOptions &)>) {});
  }
}
