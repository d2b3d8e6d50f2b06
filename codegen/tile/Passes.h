//===- Passes.h - passes that make Hopper kernels ---------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_TILE_PASSES_H
#define MM01_CODEGEN_TILE_PASSES_H

#include "dialects/tile/TileDialect.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mm01 {

#define GEN_PASS_DECL
#include "codegen/tile/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/tile/Passes.h.inc"

/// From tile programs with explicit barriers to the LLVM and NVVM dialects. To
/// be run on a module.
void addTileToNvvmPasses(mlir::OpPassManager &manager);

/// Registers `mm01-tile-to-nvvm`, which runs these.
void registerTileToNvvmPipeline();

} // namespace mm01

#endif // MM01_CODEGEN_TILE_PASSES_H
