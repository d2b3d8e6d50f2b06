//===- TargetPhases.cpp - the passes of each phase for a target -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/common/TargetPhases.h"

#include "codegen/hopper/Passes.h"
#include "codegen/host/Passes.h"
#include "codegen/x86/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/schedule/Passes.h"
#include "passes/tiling/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mm01;

static void addGraphPasses(mlir::OpPassManager &manager) {
  manager.addPass(createQuantizeWeightsPass());
}

static void addSpmdPasses(mlir::OpPassManager &manager) {
  manager.addPass(createVerifyTokensPass());
}

PhasePasses mm01::cpuPhasePasses() {
  return {
      {Phase::Graph, addGraphPasses},    {Phase::Spmd, addSpmdPasses},
      {Phase::Tiled, addTiledPasses},    {Phase::Scheduled, addScheduledPasses},
      {Phase::Kernels, addKernelPasses}, {Phase::Host, addHostPasses},
  };
}

PhasePasses mm01::hopperPhasePasses() {
  auto addDeviceHostPasses = [](mlir::OpPassManager &manager) {
    manager.addPass(createSerializeKernelsPass());
    addHostPasses(manager);
  };
  return {
      {Phase::Graph, addGraphPasses},
      {Phase::Spmd, addSpmdPasses},
      {Phase::Tiled, addTiledPasses},
      {Phase::Scheduled, addDeviceScheduledPasses},
      {Phase::Kernels, addDeviceKernelPasses},
      {Phase::Host, addDeviceHostPasses},
  };
}
