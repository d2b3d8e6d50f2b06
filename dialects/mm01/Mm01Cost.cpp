//===- Mm01Cost.cpp - costs of the mm01 ops ---------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An extent that is static in the op's types is taken from there; T, N, R, the
// routed rows and the context come from the caller. Destinations that are only
// written count as written, caches and states only where they are touched.
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/IR/TypeUtilities.h"

#include <algorithm>

using namespace mlir;
using namespace mm01;

namespace {

double elementBytes(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8.0;
}

/// Extent `dimension` of `value`, or `dynamic` where the type does not say.
double extent(Value value, int64_t dimension, double dynamic = 0) {
  int64_t size = cast<ShapedType>(value.getType()).getDimSize(dimension);
  return ShapedType::isDynamic(size) ? dynamic : static_cast<double>(size);
}

/// Elements of `value`, whose first extent is `rows` where it is dynamic.
double elements(Value value, double rows) {
  double count = 1;
  for (int64_t i = 0, rank = cast<ShapedType>(value.getType()).getRank();
       i < rank; ++i)
    count *= extent(value, i, i == 0 ? rows : 0);
  return count;
}

double bytes(Value value, double rows) {
  return elements(value, rows) * elementBytes(value.getType());
}

/// With the scales of a quantised weight.
double bytes(WeightType weight) {
  double bytes = static_cast<double>(weight.getNumElements()) *
                 elementBytes(weight.getElementType());
  if (weight.isQuantized()) {
    RankedTensorType scales = weight.getScalesType();
    bytes += static_cast<double>(weight.getParts() * scales.getNumElements()) *
             elementBytes(scales.getElementType());
  }
  return bytes;
}

/// Elements of one row of a cache: all but the first `leading` extents.
double rowElements(Value cache, int64_t leading) {
  double count = 1;
  for (int64_t i = leading, rank = cast<ShapedType>(cache.getType()).getRank();
       i < rank; ++i)
    count *= extent(cache, i);
  return count;
}

/// What a rank sends, as a multiple of `whole`, the bytes of the tensor that
/// all parts make together: each part goes to all ranks but one, once.
OpCost exchange(Operation *op, Value token, double whole, double times) {
  FlatSymbolRefAttr name = cast<TokenType>(token.getType()).getGroup();
  auto group = SymbolTable::lookupNearestSymbolFrom<ProcessGroupOp>(op, name);
  double size = group ? std::max<int64_t>(group.getSize(), 1) : 1;
  OpCost cost;
  cost.bytesSent = times * whole * (size - 1) / size;
  return cost;
}

} // namespace

//===----------------------------------------------------------------------===//
// Dense ops
//===----------------------------------------------------------------------===//

OpCost EmbeddingOp::getCost(const CostSizes &sizes) {
  double tokens = extent(getTokens(), 0, sizes.tokens);
  WeightType table = getTable().getType();
  double row = table.getShape()[1] * elementBytes(table.getElementType());
  return {0, bytes(getTokens(), tokens) + tokens * row,
          bytes(getOut(), tokens)};
}

OpCost RmsNormOp::getCost(const CostSizes &sizes) {
  double tokens = extent(getX(), 0, sizes.tokens);
  double width = getWeight().getType().getShape()[0];
  // Square and add, divide, scale.
  return {4 * tokens * width,
          bytes(getX(), tokens) + bytes(getWeight().getType()),
          bytes(getOut(), tokens)};
}

OpCost LinearOp::getCost(const CostSizes &sizes) {
  double tokens = extent(getX(), 0, sizes.tokens);
  return {2 * tokens * getWeight().getType().getNumElements(),
          bytes(getX(), tokens) + bytes(getWeight().getType()),
          bytes(getOut(), tokens)};
}

OpCost HeadOp::getCost(const CostSizes &sizes) {
  double rows = extent(getRows(), 0, sizes.rows);
  WeightType weight = getWeight().getType();
  double row = weight.getShape()[1] * elementBytes(getX().getType());
  return {2 * rows * weight.getNumElements(),
          rows * row + bytes(getRows(), rows) + bytes(weight),
          bytes(getOut(), rows)};
}

OpCost RotaryOp::getCost(const CostSizes &sizes) {
  double tokens = extent(getX(), 0, sizes.tokens);
  return {3 * tokens * extent(getX(), 1) * getRotaryDim(),
          bytes(getX(), tokens), bytes(getOut(), tokens)};
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

OpCost LightningAttentionOp::getCost(const CostSizes &sizes) {
  double tokens = extent(getQ(), 0, sizes.tokens);
  double state = rowElements(getState(), 2);
  double stateBytes =
      sizes.sequences * state * elementBytes(getState().getType());
  // Two operations to update an element and two to read it. Its decay is one a
  // block of tokens, not one a token.
  return {4 * tokens * state,
          bytes(getQ(), tokens) + bytes(getK(), tokens) +
              bytes(getV(), tokens) + bytes(getSlopes(), 0) + stateBytes,
          bytes(getOut(), tokens) + stateBytes};
}

OpCost CacheUpdateOp::getCost(const CostSizes &sizes) {
  double tokens = extent(getK(), 0, sizes.tokens);
  return {0, bytes(getK(), tokens) + bytes(getV(), tokens),
          2 * elements(getK(), tokens) * elementBytes(getKeys().getType())};
}

OpCost SoftmaxAttentionOp::getCost(const CostSizes &sizes) {
  double tokens = extent(getQ(), 0, sizes.tokens);
  double pairs = tokens * sizes.context * extent(getQ(), 1);
  // The keys of a sequence are those of its last token, which attends to half
  // its tokens of this call more than they do on average.
  double keys = sizes.sequences * static_cast<double>(sizes.context) +
                std::max(0.0, tokens - sizes.sequences) / 2;
  double row = rowElements(getKeys(), 3) * elementBytes(getKeys().getType());
  // Two products and one exponential.
  return {pairs * (4 * extent(getQ(), 2) + 1),
          bytes(getQ(), tokens) + 2 * keys * row, bytes(getOut(), tokens)};
}

//===----------------------------------------------------------------------===//
// Mixture of experts
//===----------------------------------------------------------------------===//

OpCost RouteOp::getCost(const CostSizes &sizes) {
  double tokens = extent(getLogits(), 0, sizes.tokens);
  // Exponential, sum, comparison.
  return {3 * elements(getLogits(), tokens), bytes(getLogits(), tokens),
          bytes(getWeights(), tokens) + bytes(getExperts(), tokens)};
}

OpCost DispatchOp::getCost(const CostSizes &sizes) {
  double tokens = extent(getX(), 0, sizes.tokens);
  double routed = tokens * extent(getExperts(), 1);
  return {0, bytes(getX(), tokens) + bytes(getExperts(), tokens),
          bytes(getRows(), routed) + bytes(getOffsets(), 0) +
              bytes(getPositions(), tokens)};
}

OpCost GroupedLinearOp::getCost(const CostSizes &sizes) {
  double routed = extent(getRows(), 0, sizes.routed);
  WeightType weight = getWeight().getType();
  double parts = weight.getParts();
  // Experts without a row are not read.
  return {2 * routed * (weight.getNumElements() / parts),
          bytes(getRows(), routed) + bytes(getOffsets(), 0) +
              bytes(weight) * (std::min(parts, routed) / parts),
          bytes(getOut(), routed)};
}

OpCost CombineOp::getCost(const CostSizes &sizes) {
  double tokens = extent(getOut(), 0, sizes.tokens);
  double routed = tokens * extent(getPositions(), 1);
  return {2 * routed * extent(getOut(), 1),
          bytes(getRows(), routed) + bytes(getPositions(), tokens) +
              bytes(getWeights(), tokens),
          bytes(getOut(), tokens)};
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

OpCost AllReduceOp::getCost(const CostSizes &sizes) {
  // A reduce-scatter and an all-gather.
  return exchange(*this, getAfter(), bytes(getX(), sizes.tokens), 2);
}

OpCost AllGatherOp::getCost(const CostSizes &sizes) {
  return exchange(*this, getAfter(), bytes(getOut(), sizes.tokens), 1);
}

OpCost ReduceScatterOp::getCost(const CostSizes &sizes) {
  return exchange(*this, getAfter(), bytes(getX(), sizes.tokens), 1);
}

OpCost AllToAllOp::getCost(const CostSizes &sizes) {
  return exchange(*this, getAfter(), bytes(getX(), sizes.routed), 1);
}

OpCost RingShiftOp::getCost(const CostSizes &sizes) {
  OpCost cost;
  cost.bytesSent = bytes(getX(), sizes.tokens);
  return cost;
}
