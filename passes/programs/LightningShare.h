//===- LightningShare.h - prefill beside decode -----------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cluster of the program for several tokens has its multiprocessors to
// itself, most of the time waiting for its state, while single tokens want the
// memory, which fewer multiprocessors keep busy, too. So beside single tokens
// short prefills have as few clusters as are done when those are, and each
// takes several heads of a sequence, one after another:
//
//     time of H · single states = H · (time of prefills) / clusters
//
// where the heads cancel out. Where clusters would be more than half a chip,
// nothing can hide, and each head has its own.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_LIGHTNINGSHARE_H
#define MM01_PASSES_PROGRAMS_LIGHTNINGSHARE_H

#include "passes/programs/TileBuilder.h"
#include "passes/tile/Chips.h"

namespace mm01 {

struct LightningShare {
  /// Whether prefills can hide beside single tokens, and of how many heads of a
  /// sequence at a time, if so.
  mlir::Value hides, heads;
};

/// For clusters of `cluster` blocks.
LightningShare shareHeads(TileBuilder &b, const Chip &chip, mlir::Value ragged,
                          mlir::Value heads, int64_t cluster);

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_LIGHTNINGSHARE_H
