//===- Pipeline.cpp - from tiled to scheduled ----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/Passes.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mm01;

/// Tensors become buffers, results are placed.
static void addBufferization(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createMarkTiedArgumentsPass());
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  manager.addPass(createBufferizePass());

  // Without this, casts hide that a result is an argument, and a copy of a
  // buffer to itself stays.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createPlaceResultsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createVerifyInPlacePass());
}

/// Loops become kernels.
static void addKernels(OpPassManager &manager) {
  manager.addPass(createOutlineKernelsPass());
  manager.addPass(memref::createResolveShapedTypeResultDimsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

/// Buffers of kernels become scratch, those of the host an arena.
static void addMemory(OpPassManager &manager, int64_t stackBytes) {
  PlanScratchPassOptions scratch;
  scratch.stackBytes = stackBytes;
  manager.addNestedPass<func::FuncOp>(createPlanScratchPass(scratch));
  manager.addPass(createPlanArenaPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void mm01::addScheduledPasses(OpPassManager &manager) {
  addBufferization(manager);
  manager.addPass(createFuseLaunchesPass());
  addKernels(manager);
  addMemory(manager, /*stackBytes=*/1024);
}

void mm01::addDeviceScheduledPasses(OpPassManager &manager) {
  addBufferization(manager);
  manager.addNestedPass<func::FuncOp>(createOffloadCopiesPass());
  addKernels(manager);
  manager.addPass(createFormBranchesPass());
  addMemory(manager, /*stackBytes=*/0);
  manager.addPass(createOutlineProgramsPass());
  manager.addPass(createOffloadKernelsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}
