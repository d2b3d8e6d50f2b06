//===- Pipeline.cpp - from scheduled to kernels on the CPU ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mm01::addKernelPasses(OpPassManager &manager) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(createPrefetchRowsPass());
  function.addPass(createConvertMatmulToGemmPass());
  function.addPass(createVectorizeProductsPass());
  function.addPass(createVectorizeTransposesPass());
  function.addPass(createExpandCopiesPass());
  function.addPass(createVectorizeRowsPass());
  function.addPass(createVectorizeSumsPass());
  function.addPass(createConvertLinalgToLoopsPass());
  // A parallel loop inside a workgroup is a plain loop.
  function.addPass(createForallToForLoopPass());
  function.addPass(createRelaxFloatOrderPass());
  // Arithmetic on bf16 and f16 is that of float32, rounded after each op.
  function.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithEmulateUnsupportedFloatsOptions narrow;
  narrow.sourceTypeStrs = {"bf16", "f16"};
  narrow.targetTypeStr = "f32";
  function.addPass(arith::createArithEmulateUnsupportedFloats(narrow));
  function.addPass(createApproximateMathPass());
  function.addPass(createExpandArithPass());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
}
