//===- Pipeline.cpp - from scheduled to kernels on Hopper -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/Passes.h"
#include "codegen/tile/Passes.h"
#include "codegen/x86/Passes.h"
#include "passes/tile/Chips.h"
#include "passes/tile/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mm01::addDeviceKernelPasses(OpPassManager &manager) {
  addTilePasses(manager.nest<gpu::GPUModuleOp>().nest<tile::KernelOp>(),
                kUsualChip);
  manager.addPass(createShapeTensorMapsPass());
  addTileToNvvmPasses(manager);

  OpPassManager &module = manager.nest<gpu::GPUModuleOp>();
  OpPassManager &kernel = module.nest<func::FuncOp>();
  kernel.addPass(createExpandCopiesPass());
  kernel.addPass(createRelaxFloatOrderPass());
  kernel.addPass(createDistributeThreadsPass());
  // What one thread does alone.
  kernel.addPass(createConvertLinalgToLoopsPass());
  kernel.addPass(createForallToForLoopPass());
  kernel.addPass(createCanonicalizerPass());
  // Arithmetic on bf16 and f16 is that of float32, rounded after each op.
  kernel.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithEmulateUnsupportedFloatsOptions narrow;
  narrow.sourceTypeStrs = {"bf16", "f16"};
  narrow.targetTypeStr = "f32";
  kernel.addPass(arith::createArithEmulateUnsupportedFloats(narrow));
  kernel.addPass(createApproximateMathPass());
  kernel.addPass(createLegalizeMathPass());
  kernel.addPass(createExpandArithPass());
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  kernel.addPass(createLoopInvariantCodeMotionPass());

  // Views become arithmetic on offsets, which the affine dialect expresses.
  kernel.addPass(memref::createExpandStridedMetadataPass());
  kernel.addPass(createLowerAffinePass());
  kernel.addPass(createSCFToControlFlowPass());
  module.addPass(createConvertKernelsToNvvmPass());
  module.addPass(createReconcileUnrealizedCastsPass());
  module.addPass(createCanonicalizerPass());
  module.addPass(createCSEPass());
  // Grids are divisions that round up.
  manager.addNestedPass<func::FuncOp>(createExpandArithPass());
}
