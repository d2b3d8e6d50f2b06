//===- Pipeline.cpp - tile programs of ops on tensors ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/Passes.h"

#include "mlir/Pass/PassManager.h"

void mm01::addProgramPasses(mlir::OpPassManager &manager) {
  manager.addPass(createFormLightningProgramsPass());
  manager.addPass(createFormSoftmaxDecodePass());
  manager.addPass(createFormSoftmaxProgramsPass());
  manager.addPass(createFormGroupedProgramsPass());
}
