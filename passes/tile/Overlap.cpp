//===- Overlap.cpp - products of two iterations that can overlap ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Overlap.h"

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

/// All that `value` is computed from inside the loop's body.
static DenseSet<Value> sourcesOf(Value value, scf::ForOp loop) {
  DenseSet<Value> seen;
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (op && loop->isProperAncestor(op))
      op->walk([&](Operation *inner) {
        llvm::append_range(work, inner->getOperands());
      });
  }
  return seen;
}

std::optional<Overlap> mm01::findOverlap(scf::ForOp loop, StringRef &reason) {
  auto products = llvm::to_vector(loop.getBody()->getOps<MmaOp>());
  if (products.size() != 2) {
    reason = "does not have two products";
    return std::nullopt;
  }
  auto [first, second] = std::pair(products[0], products[1]);
  DenseSet<Value> behind = sourcesOf(second.getA(), loop);
  if (!isa<RankedTensorType>(second.getA().getType()) ||
      !behind.contains(first.getResult())) {
    reason = "has a second product whose operand is not made of the first";
    return std::nullopt;
  }
  auto isTile = [](Value value) {
    return isa<RankedTensorType>(value.getType());
  };
  DenseSet<Value> ahead = sourcesOf(first.getResult(), loop);
  if (llvm::any_of(loop.getRegionIterArgs(), [&](Value carried) {
        return isTile(carried) && ahead.contains(carried);
      })) {
    reason = "has a first product that depends on a carried tile";
    return std::nullopt;
  }
  if (!second->hasOneUse() ||
      *second->user_begin() != loop.getBody()->getTerminator() ||
      first.getB() == second.getB()) {
    reason = "needs the second product in the same iteration";
    return std::nullopt;
  }
  return Overlap{first, second};
}
