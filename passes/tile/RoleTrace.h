//===- RoleTrace.h - what a role does to pipes, step by step ----*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILE_ROLETRACE_H
#define MM01_PASSES_TILE_ROLETRACE_H

#include "dialects/tile/TileDialect.h"

namespace mm01 {

/// One step of a role that other roles can notice, or that must wait for them.
struct RoleStep {
  enum Kind {
    acquire,
    commit,
    await,
    release,
    /// Threads or bulk copies write to the tile of a turn, read it, or begin a
    /// product that reads it.
    write,
    read,
    product,
    /// Closes a group of products; waits for all but `turn` groups.
    closeGroup,
    waitGroups
  };

  Kind kind;
  mlir::Operation *op;
  /// Null for steps that concern products alone.
  mlir::Value pipe;
  int64_t turn = 0;
};

/// The steps of a role when every loop of unknown length runs `iterations`
/// times, and such a loop inside of one a number of times that differs from one
/// iteration of the outer to the next. Control flow may depend on nothing but
/// the numbers of iterations; an error says where a step depends on something
/// else.
mlir::FailureOr<llvm::SmallVector<RoleStep>> traceRole(tile::RoleOp role,
                                                       int64_t iterations);

} // namespace mm01

#endif // MM01_PASSES_TILE_ROLETRACE_H
