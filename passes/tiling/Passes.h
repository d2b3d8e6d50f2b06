//===- Passes.h - from whole ops to kernel candidates -*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_PASSES_H
#define MM01_PASSES_TILING_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mm01 {

#define GEN_PASS_DECL
#include "passes/tiling/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/tiling/Passes.h.inc"

/// Graph (or spmd) to tiled, but for fusion.
void addTiledPasses(mlir::OpPassManager &manager);

} // namespace mm01

#endif // MM01_PASSES_TILING_PASSES_H
