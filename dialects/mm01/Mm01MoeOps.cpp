//===- Mm01MoeOps.cpp - verifiers of the mixture of experts -----*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01OpSupport.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mm01;

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

LogicalResult RouteOp::verify() {
  ShapedType logits = shaped(getLogits()), weights = shaped(getWeights());
  int64_t experts = logits.getDimSize(1), chosen = weights.getDimSize(1);
  return require(
      *this,
      haveOneShape({getWeights(), getExperts()}) &&
          compatible(logits.getDimSize(0), weights.getDimSize(0)) &&
          compatible(logits.getDimSize(0),
                     shaped(getExperts()).getDimSize(0)) &&
          shaped(getExperts()).getDimSize(1) == chosen &&
          !ShapedType::isDynamic(experts) && !ShapedType::isDynamic(chosen) &&
          chosen >= 1 && chosen <= experts,
      "C1",
      "weights and experts must be [T, k] with 1 <= k <= E and k and E static, "
      "found " +
          toString(weights) + " and " + toString(getExperts().getType()) +
          " for logits " + toString(logits));
}

LogicalResult DispatchOp::verify() {
  ShapedType x = shaped(getX()), experts = shaped(getExperts());
  ShapedType rows = shaped(getRows()), offsets = shaped(getOffsets());
  if (failed(require(*this,
                     compatibleShapes(experts, shaped(getPositions())) &&
                         compatible(experts.getDimSize(0), x.getDimSize(0)),
                     "C1",
                     "experts and positions must be [rows of x, k], found " +
                         toString(experts) + " and " +
                         toString(getPositions().getType()))))
    return failure();
  bool enoughRows = true;
  if (experts.hasStaticShape() && !rows.isDynamicDim(0)) {
    int64_t total;
    enoughRows = !llvm::MulOverflow(experts.getDimSize(0),
                                    experts.getDimSize(1), total) &&
                 rows.getDimSize(0) == total;
  }
  if (failed(require(
          *this, compatible(rows.getDimSize(1), x.getDimSize(1)) && enoughRows,
          "C2",
          "rows must be [T·k, last extent of x], found " + toString(rows))))
    return failure();
  return require(*this, !offsets.isDynamicDim(0) && offsets.getDimSize(0) >= 2,
                 "C3",
                 "offsets must have a static number of at least two elements");
}

LogicalResult GroupedLinearOp::verify() {
  ShapedType rows = shaped(getRows()), out = shaped(getOut());
  ArrayRef<int64_t> weight = getWeight().getType().getShape();
  if (failed(require(*this, compatible(rows.getDimSize(0), out.getDimSize(0)),
                     "C1", "out must have as many rows as the operand rows")) ||
      failed(require(*this,
                     weight.size() == 3 &&
                         compatible(weight[1], out.getDimSize(1)) &&
                         compatible(weight[2], rows.getDimSize(1)),
                     "C2",
                     "weight must be [E, last extent of out, last extent of "
                     "rows], found " +
                         toString(getWeight().getType()))))
    return failure();
  return require(
      *this, compatible(shaped(getOffsets()).getDimSize(0), weight[0] + 1),
      "C3", "offsets must have " + Twine(weight[0] + 1) + " elements");
}

LogicalResult CombineOp::verify() {
  ShapedType positions = shaped(getPositions()), out = shaped(getOut());
  if (failed(require(*this,
                     compatibleShapes(positions, shaped(getWeights())) &&
                         compatible(positions.getDimSize(0), out.getDimSize(0)),
                     "C1",
                     "positions and weights must be [rows of out, k], found " +
                         toString(positions) + " and " +
                         toString(getWeights().getType()))))
    return failure();
  return require(*this,
                 compatible(shaped(getRows()).getDimSize(1), out.getDimSize(1)),
                 "C2", "out must have the last extent of rows");
}
