//===- Passes.h - from tile programs to explicit ones -----------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILE_PASSES_H
#define MM01_PASSES_TILE_PASSES_H

#include "dialects/tile/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mm01 {

#define GEN_PASS_DECL
#include "passes/tile/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/tile/Passes.h.inc"

/// From sequential tile programs to programs with roles, layouts and barriers,
/// for a chip of Chips.h. To be run on a kernel.
void addTilePasses(mlir::OpPassManager &manager, llvm::StringRef chip);

/// Registers `mm01-lower-tile`, which runs these on the kernels of a module.
void registerTilePipelines();

/// On operations of a sequential program: the role that they belong to.
inline constexpr llvm::StringLiteral kTileRoleAttr = "tile.role";

/// Roles that consist of bulk copies and run on one thread.
inline bool isCopyRole(llvm::StringRef role) {
  return role == "load" || role == "store";
}

} // namespace mm01

#endif // MM01_PASSES_TILE_PASSES_H
