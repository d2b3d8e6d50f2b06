//===- Mm01MoeModels.cpp - reference of the mixture of experts ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is its op's description in dialects/mm01/Mm01MoeOps.td.
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Models.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

/// The index of the largest element that is not taken yet; of equal ones the
/// lowest. Some element must be left.
static int64_t largest(ArrayRef<double> elements, ArrayRef<bool> taken) {
  int64_t best = -1;
  for (int64_t i = 0; i < static_cast<int64_t>(elements.size()); ++i)
    if (!taken[i] && (best < 0 || elements[i] > elements[best]))
      best = i;
  return best;
}

static Error route(RouteOp op, Frame &frame) {
  Tensor logits = frame.tensor(op.getLogits());
  Tensor weights = frame.take(op.getWeightsMutable()),
         experts = frame.take(op.getExpertsMutable());
  int64_t total = logits.extent(1), chosen = weights.extent(1);
  if (Error error =
          checkShapes(op, {{"weights", weights, {logits.extent(0), chosen}},
                           {"experts", experts, {logits.extent(0), chosen}}}))
    return error;
  Expected<const Tensor *> forced =
      frame.takeRoute(op, logits.extent(0), chosen);
  if (!forced)
    return forced.takeError();
  Scalar *weight = weights.overwrite(), *expert = experts.overwrite();
  for (int64_t t = 0; t < logits.extent(0); ++t) {
    SmallVector<double> p;
    for (int64_t e = 0; e < total; ++e)
      p.push_back(logits.row(t)[e].f);
    double peak = *std::max_element(p.begin(), p.end());
    // The denominator of the softmax cancels out when the shares are divided by
    // their sum.
    for (double &element : p)
      element = std::exp(element - peak);
    SmallVector<bool> taken(total, false);
    double sum = 0;
    for (int64_t j = 0; j < chosen; ++j) {
      int64_t best = *forced ? (*forced)->row(t)[j].i : largest(p, taken);
      if (best < 0 || best >= total || taken[best])
        return opError(op, "the recorded expert " + Twine(best) +
                               " is none of the " + Twine(total) +
                               ", or is there twice");
      taken[best] = true;
      sum += p[best];
      weight[t * chosen + j].f = p[best];
      expert[t * chosen + j].i = best;
    }
    for (int64_t j = 0; j < chosen; ++j)
      weight[t * chosen + j].f /= sum;
  }
  if (Routes *record = frame.options().recordRoutes)
    record->push_back(experts);
  if (Error error = frame.set(op.getNewWeights(), std::move(weights)))
    return error;
  return frame.set(op.getNewExperts(), std::move(experts));
}

static Error dispatch(DispatchOp op, Frame &frame) {
  Tensor x = frame.tensor(op.getX()), experts = frame.tensor(op.getExperts());
  Tensor rows = frame.take(op.getRowsMutable()),
         offsets = frame.take(op.getOffsetsMutable()),
         positions = frame.take(op.getPositionsMutable());
  int64_t total = offsets.extent(0) - 1, chosen = experts.extent(1);
  int64_t tokens = x.extent(0), features = x.extent(1);
  if (Error error =
          checkShapes(op, {{"experts", experts, {tokens, chosen}},
                           {"positions", positions, {tokens, chosen}},
                           {"rows", rows, {tokens * chosen, features}}}))
    return error;
  for (int64_t i = 0; i < experts.elements(); ++i)
    if (Error error = checkIndex(
            op, "experts[" + Twine(i / chosen) + ", " + Twine(i % chosen) + "]",
            experts.data()[i].i, total))
      return error;

  Scalar *row = rows.overwrite(), *offset = offsets.overwrite(),
         *position = positions.overwrite();
  int64_t next = 0;
  for (int64_t e = 0; e < total; ++e) {
    offset[e].i = next;
    for (int64_t i = 0; i < experts.elements(); ++i)
      if (experts.data()[i].i == e) {
        position[i].i = next;
        std::copy_n(x.row(i / chosen), features, row + next * features);
        ++next;
      }
  }
  offset[total].i = next;
  if (Error error = frame.set(op.getNewRows(), std::move(rows)))
    return error;
  if (Error error = frame.set(op.getNewOffsets(), std::move(offsets)))
    return error;
  return frame.set(op.getNewPositions(), std::move(positions));
}

static Error groupedLinear(GroupedLinearOp op, Frame &frame) {
  Tensor rows = frame.tensor(op.getRows()),
         offsets = frame.tensor(op.getOffsets());
  const Weight &weight = frame.weight(op.getWeight());
  Tensor out = frame.take(op.getOutMutable());
  if (Error error = checkShapes(
          op, {{"rows", rows, {rows.extent(0), weight.columns()}},
               {"out", out, {rows.extent(0), weight.rows()}},
               {"offsets", offsets, {weight.type().getParts() + 1}}}))
    return error;
  std::vector<double> column(weight.columns());
  Scalar *to = out.mutableData();
  for (int64_t e = 0; e < weight.type().getParts(); ++e) {
    int64_t begin = offsets.data()[e].i, end = offsets.data()[e + 1].i;
    if (begin < 0 || begin > end || end > rows.extent(0))
      return opError(op, "expert " + Twine(e) + " has rows [" + Twine(begin) +
                             ", " + Twine(end) + "), expected part of [0, " +
                             Twine(rows.extent(0)) + ")");
    for (int64_t n = 0; begin < end && n < weight.rows(); ++n) {
      weight.readRow(e, n, column);
      for (int64_t m = begin; m < end; ++m) {
        double sum = 0;
        for (size_t k = 0; k < column.size(); ++k)
          sum += rows.row(m)[k].f * column[k];
        to[m * weight.rows() + n].f = sum;
      }
    }
  }
  return frame.set(op.getResult(), std::move(out));
}

static Error combine(CombineOp op, Frame &frame) {
  Tensor rows = frame.tensor(op.getRows()),
         positions = frame.tensor(op.getPositions()),
         weights = frame.tensor(op.getWeights());
  Tensor out = frame.take(op.getOutMutable());
  int64_t tokens = out.extent(0), features = out.extent(1);
  int64_t chosen = positions.extent(1);
  if (Error error =
          checkShapes(op, {{"positions", positions, {tokens, chosen}},
                           {"weights", weights, {tokens, chosen}},
                           {"rows", rows, {rows.extent(0), features}}}))
    return error;
  Scalar *to = out.overwrite();
  std::fill_n(to, out.elements(), Scalar{0.0});
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t j = 0; j < chosen; ++j) {
      int64_t position = positions.row(t)[j].i;
      if (Error error =
              checkIndex(op, "positions[" + Twine(t) + ", " + Twine(j) + "]",
                         position, rows.extent(0)))
        return error;
      double share = weights.row(t)[j].f;
      for (int64_t i = 0; i < features; ++i)
        to[t * features + i].f += share * rows.row(position)[i].f;
    }
  return frame.set(op.getResult(), std::move(out));
}

void attachMm01MoeModels(MLIRContext &context) {
  attach<RouteOp, route>(context);
  attach<DispatchOp, dispatch>(context);
  attach<GroupedLinearOp, groupedLinear>(context);
  attach<CombineOp, combine>(context);
}

} // namespace mm01::reference
