//===- Mm01AttentionOps.cpp - verifiers of the attention ops ----*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01OpSupport.h"

#include <cmath>

using namespace mlir;
using namespace mm01;

LogicalResult LightningAttentionOp::verify() {
  auto q = cast<ShapedType>(getQ().getType());
  auto state = cast<ShapedType>(getState().getType());
  auto slopes = cast<ShapedType>(getSlopes().getType());
  int64_t heads = q.getDimSize(1), size = q.getDimSize(2);
  if (failed(require(*this,
                     haveOneShape({getQ(), getK(), getV(), getOut()}) &&
                         haveOneElementType({getQ(), getK(), getV()}),
                     "C1",
                     "q, k, v and out must have one shape, and q, k and v one "
                     "element type; q is " +
                         toString(q))) ||
      failed(require(*this, compatible(slopes.getDimSize(0), heads), "C2",
                     "expected one slope for each head, found " +
                         toString(slopes) + " for q of " + toString(q))) ||
      failed(require(*this,
                     compatible(state.getDimSize(2), heads) &&
                         compatible(state.getDimSize(3), size) &&
                         compatible(state.getDimSize(4), size),
                     "C3",
                     "state must be [layers, slots, H, d, d] with H and d of "
                     "q, " +
                         toString(q) + ", found " + toString(state))))
    return failure();
  return require(*this,
                 slopes.getElementTypeBitWidth() >= 32 &&
                     state.getElementTypeBitWidth() >= 32,
                 "C4",
                 "slopes and state must be f32 or wider: a decay near 1 is "
                 "exactly 1 in bf16");
}

/// keys and values: [layers, pages, page size, KV, d], a static page size.
static LogicalResult verifyCache(Operation *op, Value keys, Value values,
                                 ShapedType heads, bool sameHeads) {
  auto cache = cast<ShapedType>(keys.getType());
  return require(
      op,
      haveOneShape({keys, values}) && haveOneElementType({keys, values}) &&
          !cache.isDynamicDim(2) && cache.getDimSize(2) > 0 &&
          compatible(cache.getDimSize(4), heads.getDimSize(2)) &&
          (!sameHeads || compatible(cache.getDimSize(3), heads.getDimSize(1))),
      "C2",
      "keys and values must have one type [layers, pages, static page size, "
      "KV, d] that fits heads of " +
          toString(heads) + ", found " + toString(cache) + " and " +
          toString(values.getType()));
}

LogicalResult CacheUpdateOp::verify() {
  if (failed(require(*this,
                     haveOneShape({getK(), getV()}) &&
                         haveOneElementType({getK(), getV()}),
                     "C1",
                     "k and v must have one type, found " +
                         toString(getK().getType()) + " and " +
                         toString(getV().getType()))))
    return failure();
  return verifyCache(*this, getKeys(), getValues(),
                     cast<ShapedType>(getK().getType()), /*sameHeads=*/true);
}

LogicalResult SoftmaxAttentionOp::verify() {
  auto q = cast<ShapedType>(getQ().getType());
  auto keys = cast<ShapedType>(getKeys().getType());
  if (failed(require(*this,
                     compatibleShapes(q, cast<ShapedType>(getOut().getType())),
                     "C1", "out must have the shape of q, " + toString(q))) ||
      failed(
          verifyCache(*this, getKeys(), getValues(), q, /*sameHeads=*/false)))
    return failure();
  int64_t heads = q.getDimSize(1), keyHeads = keys.getDimSize(3);
  if (failed(require(
          *this,
          ShapedType::isDynamic(heads) || ShapedType::isDynamic(keyHeads) ||
              (keyHeads > 0 && heads % keyHeads == 0),
          "C3",
          "the number of heads, " + Twine(heads) +
              ", must be a multiple of that of key heads, " + Twine(keyHeads))))
    return failure();
  return require(*this, std::isfinite(getScale().convertToDouble()), "C4",
                 "scale must be finite");
}
