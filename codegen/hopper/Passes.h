//===- Passes.h - passes that make kernels for Hopper -----------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_PASSES_H
#define MM01_CODEGEN_HOPPER_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mm01 {

#define GEN_PASS_DECL
#include "codegen/hopper/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/hopper/Passes.h.inc"

/// From the scheduled phase of a program for a GPU to the kernels phase: every
/// kernel a function of the LLVM dialect.
void addDeviceKernelPasses(mlir::OpPassManager &manager);

} // namespace mm01

#endif // MM01_CODEGEN_HOPPER_PASSES_H
