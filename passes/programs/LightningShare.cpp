//===- LightningShare.cpp - prefill's share of a chip beside decode -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/LightningShare.h"

#include "passes/programs/LightningProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mm01;

// Nanoseconds on an H200 of a head: of a sequence, but for its blocks, of a
// block of 64 tokens, both while others use the memory, and of a single token
// with all multiprocessors. By tools/bench/hopper_mixed.py.
static constexpr int64_t kSequence = 6200, kBlock = 870, kSingle = 36;

LightningShare mm01::shareHeads(TileBuilder &b, const Chip &chip, Value ragged,
                                Value heads, int64_t cluster) {
  Value one = b.index(1);
  Value several = b.raggedSize(ragged, RaggedExtent::several);
  Value single = b.sub(b.raggedSize(ragged, RaggedExtent::sequences), several);
  Value tokens = b.sub(b.raggedSize(ragged, RaggedExtent::tokens), single);
  // Each sequence may have a block that is not full.
  Value blocks = b.add(b.ceilDivide(tokens, kLightningBlock), several);
  Value prefill =
      b.add(b.mul(several, b.index(kSequence)), b.mul(blocks, b.index(kBlock)));
  Value decode = b.mul(single, b.index(kSingle));
  Value most = b.index(chip.multiprocessors / cluster / 2);
  // clusters <= most, without a division by what may be zero
  Value hides =
      b.compare(arith::CmpIPredicate::sle, prefill, b.mul(decode, most));
  Value time = b.maximum(b.mul(decode, several), one);
  Value share = arith::CeilDivUIOp::create(b, prefill, time);
  return {hides, b.minimum(share, heads)};
}
