//===- Passes.h - tile programs in compiled programs ------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_PASSES_H
#define MM01_PASSES_PROGRAMS_PASSES_H

#include "dialects/tile/TileDialect.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mm01 {

#define GEN_PASS_DECL
#include "passes/programs/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/programs/Passes.h.inc"

/// Turns the ops that have a tile program into it; what is left becomes loops
/// over workgroups (addTiledPasses). To be run on a module.
void addProgramPasses(mlir::OpPassManager &manager);

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_PASSES_H
