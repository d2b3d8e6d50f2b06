//===- Passes.h - passes and pipeline of CPU kernels ------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_X86_PASSES_H
#define MM01_CODEGEN_X86_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mm01 {

#define GEN_PASS_DECL
#include "codegen/x86/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/x86/Passes.h.inc"

/// From the scheduled phase to the kernels phase: linalg becomes loops and
/// library calls. To be run on a module.
void addKernelPasses(mlir::OpPassManager &manager);

} // namespace mm01

#endif // MM01_CODEGEN_X86_PASSES_H
