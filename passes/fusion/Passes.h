//===- Passes.h - passes that make one kernel of several ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_FUSION_PASSES_H
#define MM01_PASSES_FUSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mm01 {

#define GEN_PASS_DECL
#include "passes/fusion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/fusion/Passes.h.inc"

/// Between products as kernel candidates and everything as kernel candidates:
/// fuses on tensors.
void addFusionPasses(mlir::OpPassManager &manager);

/// Makes the mm01 ops on rows of tokens tileable. Every registry whose context
/// runs the fusion passes needs it.
void registerTilingModels(mlir::DialectRegistry &registry);

} // namespace mm01

#endif // MM01_PASSES_FUSION_PASSES_H
