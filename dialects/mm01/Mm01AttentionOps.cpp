//===- Mm01AttentionOps.cpp - verifiers of the attention ops -*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01OpSupport.h"

using namespace mlir;
using namespace mm01;

LogicalResult LightningAttentionOp::verify() {
  auto q = cast<ShapedType>(getQ().getType());
  auto state = cast<ShapedType>(getState().getType());
  auto slopes = cast<ShapedType>(getSlopes().getType());
  int64_t heads = q.getDimSize(1), size = q.getDimSize(2);
  if (failed(require(*this,
                     compatibleShapes(q, cast<ShapedType>(getOut().getType())),
                     "C1", "out must have the shape of q, " + toString(q))) ||
      failed(require(*this, compatible(slopes.getDimSize(0), heads), "C2",
                     "expected one slope for each head, found " +
                         toString(slopes))) ||
      failed(require(*this,
                     compatible(state.getDimSize(2), heads) &&
                         compatible(state.getDimSize(3), size) &&
                         compatible(state.getDimSize(4), size),
                     "C3",
                     "state must be [layers, slots, H, d, d], found " +
                         toString(state))))
    return failure();
  return require(*this,
                 slopes.getElementTypeBitWidth() >= 32 &&
                     state.getElementTypeBitWidth() >= 32,
                 "C4",
                 "slopes and state must be f32 or wider: a decay near 1 is "
                 "exactly 1 in bf16");
}

/// keys and values: [layers, pages, page size, KV, d], a static page size.
static LogicalResult verifyCache(Operation *op, ShapedType cache,
                                 ShapedType heads, bool sameHeads) {
  return require(
      op,
      !cache.isDynamicDim(2) &&
          compatible(cache.getDimSize(4), heads.getDimSize(2)) &&
          (!sameHeads || compatible(cache.getDimSize(3), heads.getDimSize(1))),
      "C2",
      "keys and values must be [layers, pages, static page size, "
      "KV, d], found " +
          toString(cache));
}

LogicalResult CacheUpdateOp::verify() {
  auto k = cast<ShapedType>(getK().getType());
  if (failed(require(*this, getK().getType() == getV().getType(), "C1",
                     "k and v must have one type")))
    return failure();
  return verifyCache(*this, cast<ShapedType>(getKeys().getType()), k,
                     /*sameHeads=*/true);
}

LogicalResult SoftmaxAttentionOp::verify() {
  auto q = cast<ShapedType>(getQ().getType());
  auto keys = cast<ShapedType>(getKeys().getType());
  if (failed(require(*this,
                     compatibleShapes(q, cast<ShapedType>(getOut().getType())),
                     "C1", "out must have the shape of q, " + toString(q))) ||
      failed(verifyCache(*this, keys, q, /*sameHeads=*/false)))
    return failure();
  int64_t heads = q.getDimSize(1), groups = keys.getDimSize(3);
  return require(
      *this,
      ShapedType::isDynamic(heads) || ShapedType::isDynamic(groups) ||
          (groups > 0 && heads % groups == 0),
      "C3",
      "the number of heads, " + Twine(heads) +
          ", must be a multiple of that of key heads, " + Twine(groups));
}
