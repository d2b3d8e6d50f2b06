//===- Mm01LibraryOps.cpp - ops that a device's library does --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01LibraryOps.h"

#include "dialects/mm01/Mm01OpSupport.h"

using namespace mlir;
using namespace mm01;

#define GET_OP_CLASSES
#include "dialects/mm01/Mm01LibraryOps.cpp.inc"

LogicalResult LibraryLinearOp::verify() {
  ShapedType x = getX().getType(), out = getOut().getType();
  WeightType weight = getWeight().getType();
  ArrayRef<int64_t> shape = weight.getShape();
  if (failed(require(*this, compatible(x.getDimSize(0), out.getDimSize(0)),
                     "C1", "out must have as many rows as x")) ||
      failed(require(
          *this,
          shape.size() == 2 && compatible(shape[0], out.getDimSize(1)) &&
              compatible(shape[1], x.getDimSize(1)),
          "C2",
          "weight must be [last extent of out, last extent of x], found " +
              toString(weight))))
    return failure();
  Type narrow = x.getElementType(), made = out.getElementType();
  if (failed(require(*this,
                     (narrow.isBF16() || narrow.isF16()) &&
                         weight.getElementType() == narrow &&
                         (made == narrow || made.isF32()),
                     "C3",
                     "x and weight must be of one type, bf16 or f16, and out "
                     "of it or f32, found " +
                         toString(x) + " and " + toString(weight) + " into " +
                         toString(out))))
    return failure();
  int64_t above = getAboveAttr().getInt();
  return require(*this, above >= 0, "C4",
                 "above must not be negative, found " + Twine(above));
}

OpCost LibraryLinearOp::getCost(const CostSizes &sizes) {
  auto bytes = [](ShapedType type) {
    return type.getElementTypeBitWidth() / 8.0;
  };
  ShapedType x = getX().getType(), out = getOut().getType();
  double tokens = x.isDynamicDim(0) ? sizes.tokens : x.getDimSize(0);
  if (tokens <= static_cast<double>(getAboveAttr().getInt()))
    return {};
  double rows = getWeight().getType().getShape()[0];
  double depth = getWeight().getType().getShape()[1];
  return {2 * tokens * rows * depth,
          tokens * depth * bytes(x) + rows * depth * bytes(x),
          tokens * rows * bytes(out)};
}
