//===- Passes.h - passes and pipeline of the host's code --------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOST_PASSES_H
#define MM01_CODEGEN_HOST_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mm01 {

#define GEN_PASS_DECL
#include "codegen/host/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/host/Passes.h.inc"

/// From the kernels phase to the host phase: the whole module in the LLVM
/// dialect, with its manifest as the attribute `exec.manifest`.
void addHostPasses(mlir::OpPassManager &manager);

} // namespace mm01

#endif // MM01_CODEGEN_HOST_PASSES_H
