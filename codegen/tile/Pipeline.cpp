//===- Pipeline.cpp - from tile programs to LLVM and NVVM -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/Passes.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mm01::addTileToNvvmPasses(OpPassManager &manager) {
  OpPassManager &device = manager.nest<gpu::GPUModuleOp>();
  device.addNestedPass<tile::KernelOp>(createDispatchRolesPass());
  device.addNestedPass<tile::KernelOp>(createExpandExponentialsPass());
  device.addPass(createConvertTileToNvvmPass());
  // Kernels of another making stand beside them.
  OpPassManager &kernel = device.nest<LLVM::LLVMFuncOp>();
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  kernel.addPass(createSCFToControlFlowPass());
  kernel.addPass(createConvertToLLVMPass());
  kernel.addPass(createReconcileUnrealizedCastsPass());
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
}

void mm01::registerTileToNvvmPipeline() {
  PassPipelineRegistration<>(
      "mm01-tile-to-nvvm",
      "Turn explicit tile programs into the LLVM and NVVM dialects",
      [](OpPassManager &manager) { addTileToNvvmPasses(manager); });
}
