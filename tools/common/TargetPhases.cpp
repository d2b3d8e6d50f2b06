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
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/programs/Passes.h"
#include "passes/schedule/Passes.h"
#include "passes/tiling/Passes.h"

using namespace mm01;

PhasePasses mm01::cpuPhasePasses() {
  // Ops join products, so these become kernels first.
  auto addAllTiledPasses = [](mlir::OpPassManager &manager) {
    manager.addPass(createSetLightningCostsPass());
    manager.addPass(createFormProjectionsPass());
    addFusionPasses(manager);
    addTiledPasses(manager);
  };
  return {
      {Phase::Graph, addGraphPasses},    {Phase::Spmd, addSpmdPasses},
      {Phase::Tiled, addAllTiledPasses}, {Phase::Scheduled, addScheduledPasses},
      {Phase::Kernels, addKernelPasses}, {Phase::Host, addHostPasses},
  };
}

PhasePasses mm01::hopperPhasePasses() {
  auto addDeviceGraphPasses = [](mlir::OpPassManager &manager) {
    addGraphPasses(manager);
    manager.addPass(createAddRandomWeightsPass());
  };
  auto addDeviceTiledPasses = [](mlir::OpPassManager &manager) {
    manager.addPass(createFormLightningDecodePass());
    addProgramPasses(manager);
    manager.addPass(createSetLightningCostsPass());
    manager.addPass(createFormDeviceKernelsPass());
    manager.addPass(createFuseRowsPass());
    addTiledPasses(manager);
  };
  auto addDeviceHostPasses = [](mlir::OpPassManager &manager) {
    manager.addPass(createSerializeKernelsPass());
    addHostPasses(manager);
  };
  return {
      {Phase::Graph, addDeviceGraphPasses},
      {Phase::Spmd, addSpmdPasses},
      {Phase::Tiled, addDeviceTiledPasses},
      {Phase::Scheduled, addDeviceScheduledPasses},
      {Phase::Kernels, addDeviceKernelPasses},
      {Phase::Host, addDeviceHostPasses},
  };
}
