//===- Mm01SamplingOps.cpp - verifiers and costs of choosing tokens -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01SamplingOps.h"

#include "dialects/mm01/Mm01OpSupport.h"

using namespace mlir;
using namespace mm01;

#define GET_OP_CLASSES
#include "dialects/mm01/Mm01SamplingOps.cpp.inc"

LogicalResult SampleOp::verify() {
  ShapedType logits = getLogits().getType();
  for (Value vector : {getDraws(), getTokens(), getProblems()})
    if (failed(require(
            *this,
            compatible(logits.getDimSize(0),
                       cast<ShapedType>(vector.getType()).getDimSize(0)),
            "C1",
            "draws, tokens and problems must have as many elements as logits "
            "has rows, found " +
                toString(vector.getType()) + " for " + toString(logits))))
      return failure();
  int64_t vocabulary = logits.getDimSize(1);
  return require(*this,
                 !ShapedType::isDynamic(vocabulary) && vocabulary >= 1 &&
                     vocabulary <= kMaxVocabulary,
                 "C2",
                 "logits must be [N, V] with V static, from 1 to 2^22, found " +
                     toString(logits));
}

OpCost SampleOp::getCost(const CostSizes &sizes) {
  ShapedType logits = getLogits().getType();
  double rows = logits.isDynamicDim(0) ? sizes.rows : logits.getDimSize(0);
  double elements = rows * logits.getDimSize(1);
  // A comparison of each logit; those of a draw depend on its options.
  return {elements, elements * sizeof(float) + rows * sizeof(int64_t),
          2 * rows * sizeof(int32_t)};
}
