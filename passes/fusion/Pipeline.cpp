//===- Pipeline.cpp - the fusion passes in their order --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/Passes.h"

#include "mlir/Pass/PassManager.h"

void mm01::addFusionPasses(mlir::OpPassManager &manager) {
  manager.addPass(createFuseRowsPass());
  manager.addPass(createFuseTwinsPass());
  manager.addPass(createFuseConsumersPass());
}
