//===- mm01-opt.cpp - runs passes of the project on MLIR files --*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/Passes.h"
#include "codegen/host/Passes.h"
#include "codegen/tile/Passes.h"
#include "codegen/x86/Passes.h"
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/pipelines/Passes.h"
#include "passes/programs/Passes.h"
#include "passes/schedule/Passes.h"
#include "passes/tile/Passes.h"
#include "passes/tiling/Passes.h"
#include "tools/common/Dialects.h"
#include "tools/common/TargetPhases.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mm01::registerDialects(registry);
  mlir::registerAllPasses();
  mm01::registerFusionPasses();
  mm01::registerGraphPasses();
  mm01::registerPipelinePasses();
  mm01::registerHopperPasses();
  mm01::registerHostPasses();
  mm01::registerProgramsPasses();
  mm01::registerSchedulePasses();
  mm01::registerTilePasses();
  mm01::registerTileToNvvmPasses();
  mm01::registerTilePipelines();
  mm01::registerTileToNvvmPipeline();
  mm01::registerTilingPasses();
  mm01::registerX86Passes();
  mm01::registerPhasePipelines("mm01-phase", mm01::cpuPhasePasses());
  mm01::registerPhasePipelines("mm01-sm_90a-phase", mm01::hopperPhasePasses());
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mm01 optimizer driver\n", registry));
}
