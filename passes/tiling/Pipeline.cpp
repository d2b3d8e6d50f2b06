//===- Pipeline.cpp - the passes from graph to tiled -*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tiling/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

void mm01::addTiledPasses(mlir::OpPassManager &manager) {
  manager.addPass(createPlanLightningPass());
  manager.addPass(createSplitLightningPass());
  manager.addPass(createFormKernelsPass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
}
