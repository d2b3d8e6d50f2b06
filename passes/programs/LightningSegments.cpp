//===- LightningSegments.cpp - how long sequences are cut for a chip ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/LightningSegments.h"

#include "passes/programs/LightningProgram.h"

#include "llvm/Support/MathExtras.h"

using namespace mm01;

// Nanoseconds on an H200 while memory is not what limits: a block of 64 tokens
// with its output, one of which only the state is wanted, and a launch with
// what comes before its first block, sums of states included. Fitted to times
// of tools/bench/hopper_lightning.py.
static constexpr double kOutputBlock = 870, kStateBlock = 700, kLaunch = 26000;
static constexpr int64_t kMostSegments = 16;

LightningSegments mm01::chooseLightningSegments(const Chip &chip, int64_t heads,
                                                int64_t cluster) {
  // A block of tokens of a long sequence, by the number of segments.
  auto cost = [&](int64_t count) {
    int64_t waves =
        llvm::divideCeil(count * heads * cluster, chip.multiprocessors);
    double block = kOutputBlock + (count > 1 ? kStateBlock : 0);
    return double(waves) * block / double(count);
  };
  int64_t best = 1;
  for (int64_t count = 2; count <= kMostSegments; ++count)
    if (cost(count) < cost(best))
      best = count;
  if (best == 1)
    return {1, 0};
  auto blocks = int64_t(kLaunch / (kOutputBlock - cost(best)));
  return {best, (blocks + 1) * kLightningBlock};
}
