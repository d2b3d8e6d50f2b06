//===- Passes.h - passes on whole models ------------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_GRAPH_PASSES_H
#define MM01_PASSES_GRAPH_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mm01 {

#define GEN_PASS_DECL
#include "passes/graph/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/graph/Passes.h.inc"

/// Adds the passes that lead from phase grad to phase spmd: what is said of a
/// rank's program while its ops are still whole.
/// To phase graph: the model's weights in the types that the program keeps.
void addGraphPasses(mlir::OpPassManager &manager);

/// To phase spmd: collectives in a known order, extents related.
void addSpmdPasses(mlir::OpPassManager &manager);

} // namespace mm01

#endif // MM01_PASSES_GRAPH_PASSES_H
