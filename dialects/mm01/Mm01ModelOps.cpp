//===- Mm01ModelOps.cpp - verifiers of parameters and ragged batches ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01OpSupport.h"

using namespace mlir;
using namespace mm01;

/// Checks one source of a parameter against the type of a part.
static LogicalResult verifySource(ParameterOp op, SourceAttr source) {
  WeightType weight = op.getType();
  ArrayRef<int64_t> part = weight.getPartType().getShape();
  ArrayRef<int64_t> shape = source.getShape();
  if (source.isStack())
    return require(op, shape == part, "C2",
                   "source \"" + source.getTensor() +
                       "\" must have the shape of a part, " +
                       toString(weight.getPartType()));
  // A vector is one row.
  int64_t rows = part.size() == 2 ? part.front() : 1;
  int64_t sourceRows = ShapedType::getNumElements(shape.drop_back());
  int64_t others = weight.getParts() - 1;
  // Rows that are left for the other parts; by division, so as not to overflow.
  int64_t left = sourceRows - rows - source.getFirstRow();
  return require(op,
                 shape.back() == part.back() && left >= 0 &&
                     (others == 0 || (source.getRowStride() >= rows &&
                                      source.getRowStride() <= left / others)),
                 "C3",
                 "source \"" + source.getTensor() + "\" has no " +
                     Twine(weight.getParts()) + " distinct parts of type " +
                     toString(weight.getPartType()) + " at these rows");
}

LogicalResult ParameterOp::verify() {
  if (failed(require(*this, !getSources().empty(), "C1",
                     "expected at least one source")))
    return failure();
  for (Attribute source : getSources())
    if (failed(verifySource(*this, cast<SourceAttr>(source))))
      return failure();
  std::optional<Type> stored = getStored();
  if (!getType().isQuantized())
    return require(*this, !stored, "C4",
                   "only an i8 parameter is 'stored' as another type, found " +
                       toString(getType()));
  return require(
      *this, stored && isa<Float32Type, Float16Type, BFloat16Type>(*stored),
      "C4",
      "expected an i8 parameter to be 'stored' as f32, f16 or bf16, found " +
          (stored ? toString(*stored) : "nothing"));
}

LogicalResult WeightPartOp::verify() {
  RankedTensorType part = getWeight().getType().getPartType();
  return require(*this, getType() == part, "C1",
                 "expected the type of a part, " + toString(part) + ", found " +
                     toString(getType()));
}

LogicalResult WeightScalesOp::verify() {
  WeightType weight = getWeight().getType();
  if (failed(require(*this, weight.isQuantized(), "C1",
                     "expected a weight of i8, found " + toString(weight))))
    return failure();
  RankedTensorType scales = weight.getScalesType();
  return require(*this, getType() == scales, "C2",
                 "expected a scale for each row, " + toString(scales) +
                     ", found " + toString(getType()));
}

LogicalResult RaggedGetOp::verify() {
  size_t expected = getField() == RaggedField::page_table ? 2 : 1;
  return require(*this, getIndices().size() == expected, "C1",
                 "field " + stringifyRaggedField(getField()) + " takes " +
                     Twine(expected) + " indices, found " +
                     Twine(getIndices().size()));
}
