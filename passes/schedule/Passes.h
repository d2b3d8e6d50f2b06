//===- Passes.h - passes and pipeline from tiled to scheduled --*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_SCHEDULE_PASSES_H
#define MM01_PASSES_SCHEDULE_PASSES_H

#include "dialects/exec/ExecDialect.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mm01 {

#define GEN_PASS_DECL
#include "passes/schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/schedule/Passes.h.inc"

/// Everything from the tiled phase (kernels are scf.forall on tensors) to the
/// scheduled phase: buffers placed in the arena, kernels outlined, results
/// described. To be run on a module.
void addScheduledPasses(mlir::OpPassManager &manager);

/// The same for a program whose kernels run on a GPU: they end in a gpu.module.
void addDeviceScheduledPasses(mlir::OpPassManager &manager);

/// Says how ops of the project become buffer ops. Every registry whose context
/// runs the scheduled passes needs it.
void registerBufferizationModels(mlir::DialectRegistry &registry);

} // namespace mm01

#endif // MM01_PASSES_SCHEDULE_PASSES_H
