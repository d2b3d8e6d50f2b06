//===- Mm01DenseOps.cpp - verifiers of the dense ops ------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01OpSupport.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace mm01;

/// `weight` is [N, K] with N the last extent of out and K that of x.
static LogicalResult verifyProjection(Operation *op, WeightType weight,
                                      ShapedType x, ShapedType out,
                                      StringRef label) {
  ArrayRef<int64_t> shape = weight.getShape();
  return require(
      op,
      shape.size() == 2 && compatible(shape[0], out.getShape().back()) &&
          compatible(shape[1], x.getShape().back()),
      label,
      "weight must be [last extent of out, last extent of x], found " +
          toString(weight));
}

LogicalResult EmbeddingOp::verify() {
  ArrayRef<int64_t> table = getTable().getType().getShape();
  if (failed(require(*this,
                     compatible(getTokens().getType().getDimSize(0),
                                getOut().getType().getDimSize(0)),
                     "C1", "out must have one row a token")))
    return failure();
  return require(*this,
                 table.size() == 2 &&
                     compatible(table[1], getOut().getType().getDimSize(1)),
                 "C2",
                 "table must be [V, last extent of out], found " +
                     toString(getTable().getType()));
}

LogicalResult RmsNormOp::verify() {
  ArrayRef<int64_t> weight = getWeight().getType().getShape();
  if (failed(require(
          *this, compatibleShapes(getX().getType(), getOut().getType()), "C1",
          "out must have the shape of x, " + toString(getX().getType()))) ||
      failed(require(*this,
                     weight.size() == 1 &&
                         compatible(weight[0], getX().getType().getDimSize(1)),
                     "C2",
                     "weight must be [last extent of x], found " +
                         toString(getWeight().getType()))))
    return failure();
  double eps = getEps().convertToDouble();
  return require(*this, std::isfinite(eps) && eps >= 0, "C3",
                 "eps must be finite and not negative, found " +
                     llvm::formatv("{0}", eps).str());
}

LogicalResult LinearOp::verify() {
  if (failed(require(*this,
                     compatible(getX().getType().getDimSize(0),
                                getOut().getType().getDimSize(0)),
                     "C1", "out must have as many rows as x")))
    return failure();
  return verifyProjection(*this, getWeight().getType(), getX().getType(),
                          getOut().getType(), "C2");
}

LogicalResult HeadOp::verify() {
  if (failed(require(*this,
                     compatible(getRows().getType().getDimSize(0),
                                getOut().getType().getDimSize(0)),
                     "C1", "out must have one row for each element of rows")))
    return failure();
  return verifyProjection(*this, getWeight().getType(), getX().getType(),
                          getOut().getType(), "C2");
}

LogicalResult RotaryOp::verify() {
  int64_t size = getX().getType().getDimSize(2), rotary = getRotaryDim();
  if (failed(require(
          *this, compatibleShapes(getX().getType(), getOut().getType()), "C1",
          "out must have the shape of x, " + toString(getX().getType()))) ||
      failed(
          require(*this,
                  rotary >= 0 && rotary % 2 == 0 &&
                      (ShapedType::isDynamic(size) || rotary <= size),
                  "C2",
                  "rotary_dim must be even and at most the head size, found " +
                      Twine(rotary))))
    return failure();
  double theta = getTheta().convertToDouble();
  return require(*this, std::isfinite(theta) && theta > 0, "C3",
                 "theta must be finite and positive, found " +
                     llvm::formatv("{0}", theta).str());
}
