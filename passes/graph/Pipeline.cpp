//===- Pipeline.cpp - the passes that lead to phases graph and spmd -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Passes.h"

#include "mlir/Pass/PassManager.h"

void mm01::addGraphPasses(mlir::OpPassManager &manager) {
  manager.addPass(createQuantizeWeightsPass());
  manager.addPass(createAddSamplingPass());
}

void mm01::addSpmdPasses(mlir::OpPassManager &manager) {
  manager.addPass(createVerifyTokensPass());
  manager.addPass(createRelateExtentsPass());
  manager.addPass(createRelateCachesPass());
}
