//===- Pipeline.cpp - from tile programs to explicit ones -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mm01::addTilePasses(OpPassManager &manager, StringRef chip) {
  manager.addPass(createAssignRolesPass());
  PipelineBuffersPassOptions pipeline;
  pipeline.chip = chip.str();
  manager.addPass(createPipelineBuffersPass(pipeline));
  SplitRolesPassOptions split;
  split.chip = chip.str();
  manager.addPass(createSplitRolesPass(split));
  manager.addPass(createOverlapProductsPass());
  manager.addPass(createScheduleProductsPass());
  manager.addPass(createVerifyPipesPass());
  manager.addPass(createInferLayoutsPass());
  manager.addPass(createMaterializeBarriersPass());
  manager.addPass(createTakeItemsPass());
  manager.addPass(createInsertProxyFencesPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

namespace {
struct LowerTileOptions : PassPipelineOptions<LowerTileOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("h20, h100, h200 or h800"),
                           llvm::cl::init("h200")};
};
} // namespace

void mm01::registerTilePipelines() {
  PassPipelineRegistration<LowerTileOptions>(
      "mm01-lower-tile",
      "Make roles, layouts and barriers of sequential tile programs explicit",
      [](OpPassManager &manager, const LowerTileOptions &options) {
        addTilePasses(manager.nest<gpu::GPUModuleOp>().nest<tile::KernelOp>(),
                      options.chip);
      });
}
