//===- LightningSegments.h - how long sequences are cut ---------*- C++ -*-===//
//-*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without segments a cluster takes a head of a sequence, and few heads leave
// multiprocessors idle. With G segments of one sequence there are G times as
// many clusters, but the keys and values are read twice and a launch is more.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_LIGHTNINGSEGMENTS_H
#define MM01_PASSES_PROGRAMS_LIGHTNINGSEGMENTS_H

#include "passes/tile/Chips.h"

namespace mm01 {

struct LightningSegments {
  /// Segments of a long sequence; with 1 there are none.
  int64_t count;
  /// Tokens of a batch from which on segments pay for the second launch.
  int64_t leastTokens;

  /// Room for the states of segments, each of a batch's tokens / count: only
  /// longer sequences have entries, and those less than twice their share.
  int64_t entries() const { return 2 * count; }
};

/// The cheapest for as many heads, of clusters of as many blocks.
LightningSegments chooseLightningSegments(const Chip &chip, int64_t heads,
                                          int64_t cluster);

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_LIGHTNINGSEGMENTS_H
