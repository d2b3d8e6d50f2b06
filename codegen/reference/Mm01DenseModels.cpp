//===- Mm01DenseModels.cpp - reference of embedding, norm, linear, rotary -===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is its op's description in dialects/mm01/Mm01DenseOps.td.
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Models.h"
#include "dialects/mm01/Mm01LibraryOps.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

static Error embedding(EmbeddingOp op, Frame &frame) {
  Tensor tokens = frame.tensor(op.getTokens());
  const Weight &table = frame.weight(op.getTable());
  Tensor out = frame.take(op.getOutMutable());
  if (Error error =
          checkShapes(op, {{"out", out, {tokens.extent(0), table.columns()}}}))
    return error;
  std::vector<double> row(table.columns());
  Scalar *to = out.overwrite();
  for (int64_t t = 0; t < tokens.extent(0); ++t) {
    int64_t token = tokens.data()[t].i;
    if (Error error =
            checkIndex(op, "tokens[" + Twine(t) + "]", token, table.rows()))
      return error;
    table.readRow(0, token, row);
    for (double element : row)
      (to++)->f = element;
  }
  return frame.set(op.getResult(), std::move(out));
}

static Error rmsNorm(RmsNormOp op, Frame &frame) {
  Tensor x = frame.tensor(op.getX());
  const Weight &weight = frame.weight(op.getWeight());
  double eps = op.getEps().convertToDouble();
  int64_t features = x.extent(1);
  if (Error error =
          checkShapes(op, {{"x", x, {x.extent(0), weight.columns()}}}))
    return error;
  Tensor out(x.shape(), x.elementType());
  std::vector<double> scale(features);
  weight.readRow(0, 0, scale);
  Scalar *to = out.overwrite();
  for (int64_t t = 0; t < x.extent(0); ++t) {
    const Scalar *row = x.row(t);
    double squares = 0;
    for (int64_t i = 0; i < features; ++i)
      squares += row[i].f * row[i].f;
    double root = std::sqrt(squares / features + eps);
    for (int64_t i = 0; i < features; ++i)
      (to++)->f = scale[i] * row[i].f / root;
  }
  return frame.set(op.getResult(), std::move(out));
}

/// out[t, n] = Σ_k x[rows[t], k] · weight[n, k], each row of the weight widened
/// once.
static void multiplyTransposed(const Tensor &x, ArrayRef<int64_t> rows,
                               const Weight &weight, Tensor &out) {
  std::vector<double> column(weight.columns());
  Scalar *to = out.overwrite();
  for (int64_t n = 0; n < weight.rows(); ++n) {
    weight.readRow(0, n, column);
    for (auto [t, row] : llvm::enumerate(rows)) {
      double sum = 0;
      const Scalar *from = x.row(row);
      for (size_t k = 0; k < column.size(); ++k)
        sum += from[k].f * column[k];
      to[t * weight.rows() + n].f = sum;
    }
  }
}

/// mm01.linear, and mm01.library_linear where there are enough rows.
template <typename Op> static Error linear(Op op, Frame &frame) {
  Tensor x = frame.tensor(op.getX());
  const Weight &weight = frame.weight(op.getWeight());
  Tensor out = frame.take(op.getOutMutable());
  if (Error error =
          checkShapes(op, {{"x", x, {x.extent(0), weight.columns()}},
                           {"out", out, {x.extent(0), weight.rows()}}}))
    return error;
  if constexpr (std::is_same_v<Op, LibraryLinearOp>)
    if (x.extent(0) <= op.getAboveAttr().getInt())
      return frame.set(op.getResult(), std::move(out));
  SmallVector<int64_t> rows = llvm::to_vector(llvm::seq<int64_t>(x.extent(0)));
  multiplyTransposed(x, rows, weight, out);
  return frame.set(op.getResult(), std::move(out));
}

static Error head(HeadOp op, Frame &frame) {
  Tensor x = frame.tensor(op.getX()), chosen = frame.tensor(op.getRows());
  const Weight &weight = frame.weight(op.getWeight());
  Tensor out = frame.take(op.getOutMutable());
  if (Error error =
          checkShapes(op, {{"x", x, {x.extent(0), weight.columns()}},
                           {"out", out, {chosen.extent(0), weight.rows()}}}))
    return error;
  SmallVector<int64_t> rows;
  for (int64_t r = 0; r < chosen.extent(0); ++r) {
    rows.push_back(chosen.data()[r].i);
    if (Error error =
            checkIndex(op, "rows[" + Twine(r) + "]", rows[r], x.extent(0)))
      return error;
  }
  multiplyTransposed(x, rows, weight, out);
  return frame.set(op.getResult(), std::move(out));
}

static Error rotary(RotaryOp op, Frame &frame) {
  Tensor x = frame.tensor(op.getX());
  const Ragged &ragged = frame.ragged(op.getRagged());
  int64_t heads = x.extent(1), size = x.extent(2);
  if (Error error = checkShapes(op, {{"x", x, {ragged.tokens(), heads, size}}}))
    return error;
  if (static_cast<int64_t>(op.getRotaryDim()) > size)
    return opError(op, "rotary_dim is " + Twine(op.getRotaryDim()) +
                           ", expected at most " + Twine(size));
  int64_t half = op.getRotaryDim() / 2;
  double theta = op.getTheta().convertToDouble();
  Tensor out(x.shape(), x.elementType());
  Scalar *outs = out.overwrite();
  std::copy_n(x.data(), x.elements(), outs);
  for (int64_t t = 0; t < ragged.tokens(); ++t)
    for (int64_t i = 0; i < half; ++i) {
      double angle =
          ragged.position(t) * std::pow(theta, -double(i) / double(half));
      double c = std::cos(angle), s = std::sin(angle);
      for (int64_t h = 0; h < heads; ++h) {
        const Scalar *from = x.row(t) + h * size;
        Scalar *to = outs + (t * heads + h) * size;
        to[i].f = from[i].f * c - from[i + half].f * s;
        to[i + half].f = from[i + half].f * c + from[i].f * s;
      }
    }
  return frame.set(op.getResult(), std::move(out));
}

void attachMm01DenseModels(MLIRContext &context) {
  attach<EmbeddingOp, embedding>(context);
  attach<RmsNormOp, rmsNorm>(context);
  attach<LinearOp, linear<LinearOp>>(context);
  attach<LibraryLinearOp, linear<LibraryLinearOp>>(context);
  attach<HeadOp, head>(context);
  attach<RotaryOp, rotary>(context);
}

} // namespace mm01::reference
