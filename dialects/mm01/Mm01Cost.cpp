//===- Mm01Cost.cpp - costs of the mm01 ops -*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01Dialect.h"

using namespace mlir;
using namespace mm01;

namespace {

double bytesPerElement(Type type) { return type.getIntOrFloatBitWidth() / 8.0; }

/// Bytes of a tensor whose dynamic extents are all `dynamic`.
double bytes(Value value, int64_t dynamic) {
  auto type = cast<ShapedType>(value.getType());
  double count = 1;
  for (int64_t extent : type.getShape())
    count *= ShapedType::isDynamic(extent) ? dynamic : extent;
  return count * bytesPerElement(type.getElementType());
}

double bytes(WeightType weight) {
  return double(weight.getNumElements()) *
         bytesPerElement(weight.getElementType());
}

/// Elements that one sequence's row of a lightning state has.
double stateElements(ShapedType state) {
  double count = 1;
  for (int64_t extent : state.getShape().drop_front(2))
    count *= extent;
  return count;
}

} // namespace

OpCost EmbeddingOp::getCost(const CostSizes &sizes) {
  WeightType table = getTable().getType();
  double row = table.getShape()[1] * bytesPerElement(table.getElementType());
  return {0, bytes(getTokens(), sizes.tokens) + sizes.tokens * row,
          bytes(getOut(), sizes.tokens)};
}

OpCost RmsNormOp::getCost(const CostSizes &sizes) {
  double width = getWeight().getType().getShape()[0];
  return {4.0 * sizes.tokens * width,
          bytes(getX(), sizes.tokens) + bytes(getWeight().getType()),
          bytes(getOut(), sizes.tokens)};
}

OpCost LinearOp::getCost(const CostSizes &sizes) {
  return {2.0 * sizes.tokens * getWeight().getType().getNumElements(),
          bytes(getX(), sizes.tokens) + bytes(getWeight().getType()),
          bytes(getOut(), sizes.tokens)};
}

OpCost HeadOp::getCost(const CostSizes &sizes) {
  return {2.0 * sizes.rows * getWeight().getType().getNumElements(),
          bytes(getX(), sizes.rows) + bytes(getRows(), sizes.rows) +
              bytes(getWeight().getType()),
          bytes(getOut(), sizes.rows)};
}

OpCost RotaryOp::getCost(const CostSizes &sizes) {
  double heads = cast<ShapedType>(getX().getType()).getDimSize(1);
  return {3.0 * sizes.tokens * heads * getRotaryDim(),
          bytes(getX(), sizes.tokens), bytes(getOut(), sizes.tokens)};
}

OpCost LightningAttentionOp::getCost(const CostSizes &sizes) {
  auto state = cast<ShapedType>(getState().getType());
  double elements = stateElements(state);
  double stateBytes =
      sizes.sequences * elements * bytesPerElement(state.getElementType());
  // The recurrence: two operations to decay and update, two to read.
  return {4.0 * sizes.tokens * elements,
          3 * bytes(getQ(), sizes.tokens) + stateBytes,
          bytes(getOut(), sizes.tokens) + stateBytes};
}

OpCost CacheUpdateOp::getCost(const CostSizes &sizes) {
  double moved = 2 * bytes(getK(), sizes.tokens);
  return {0, moved, moved};
}

OpCost SoftmaxAttentionOp::getCost(const CostSizes &sizes) {
  auto q = cast<ShapedType>(getQ().getType());
  auto keys = cast<ShapedType>(getKeys().getType());
  double pairs = double(sizes.tokens) * sizes.context * q.getDimSize(1);
  double row = keys.getDimSize(3) * keys.getDimSize(4) *
               bytesPerElement(keys.getElementType());
  return {pairs * (4.0 * q.getDimSize(2) + 1),
          bytes(getQ(), sizes.tokens) +
              2 * row * sizes.context * double(sizes.sequences),
          bytes(getOut(), sizes.tokens)};
}

OpCost RouteOp::getCost(const CostSizes &sizes) {
  double experts = cast<ShapedType>(getLogits().getType()).getDimSize(1);
  return {3.0 * sizes.tokens * experts, bytes(getLogits(), sizes.tokens),
          bytes(getWeights(), sizes.tokens) +
              bytes(getExperts(), sizes.tokens)};
}

OpCost DispatchOp::getCost(const CostSizes &sizes) {
  double chosen = cast<ShapedType>(getExperts().getType()).getDimSize(1);
  double indices = bytes(getExperts(), sizes.tokens);
  return {0, bytes(getX(), sizes.tokens) + indices,
          chosen * bytes(getX(), sizes.tokens) + indices +
              bytes(getOffsets(), 0)};
}

OpCost GroupedLinearOp::getCost(const CostSizes &sizes) {
  ArrayRef<int64_t> weight = getWeight().getType().getShape();
  // `tokens` counts the rows here: each is multiplied by one expert's weight.
  return {2.0 * sizes.tokens * weight[1] * weight[2],
          bytes(getRows(), sizes.tokens) + bytes(getWeight().getType()),
          bytes(getOut(), sizes.tokens)};
}

OpCost CombineOp::getCost(const CostSizes &sizes) {
  double chosen = cast<ShapedType>(getPositions().getType()).getDimSize(1);
  double out = bytes(getOut(), sizes.tokens);
  return {2.0 * sizes.tokens * chosen *
              cast<ShapedType>(getOut().getType()).getDimSize(1),
          chosen * out + 2 * bytes(getWeights(), sizes.tokens), out};
}
