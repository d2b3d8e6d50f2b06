//===- Mm01AttentionModels.cpp - reference of the attention ops -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is its op's description in dialects/mm01/Mm01AttentionOps.td,
// loop by loop.
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Models.h"
#include "passes/tiling/LightningAttributes.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

//===----------------------------------------------------------------------===//
// mm01.lightning_attention
//===----------------------------------------------------------------------===//

/// One token of one head: S <- decay S + kᵀ v, then out = q S. S is [d, d].
static void lightningStep(int64_t size, double decay, const Scalar *q,
                          const Scalar *k, const Scalar *v, Scalar *state,
                          Scalar *out) {
  for (int64_t j = 0; j < size; ++j)
    out[j].f = 0;
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j < size; ++j) {
      Scalar &s = state[i * size + j];
      s.f = decay * s.f + k[i].f * v[j].f;
      out[j].f += q[i].f * s.f;
    }
}

static Error lightningAttention(LightningAttentionOp op, Frame &frame) {
  Tensor q = frame.tensor(op.getQ()), k = frame.tensor(op.getK()),
         v = frame.tensor(op.getV()), slopes = frame.tensor(op.getSlopes());
  const Ragged &ragged = frame.ragged(op.getRagged());
  Tensor out(q.shape(), q.elementType());
  Tensor state = frame.take(op.getStateMutable());
  int64_t heads = q.extent(1), size = q.extent(2), tokens = ragged.tokens();
  int64_t layers = state.extent(0), slots = state.extent(1);
  int64_t layer = frame.integer(op.getLayer());
  if (Error error = checkShapes(
          op, {{"q", q, {tokens, heads, size}},
               {"k", k, {tokens, heads, size}},
               {"v", v, {tokens, heads, size}},
               {"slopes", slopes, {heads}},
               {"state", state, {layers, slots, heads, size, size}}}))
    return error;
  if (Error error = checkIndex(op, "the layer", layer, layers))
    return error;
  for (int64_t n = 0; n < ragged.sequences(); ++n)
    if (Error error =
            checkIndex(op, "slot[" + Twine(n) + "]", ragged.slot(n), slots))
      return error;

  bool reverse = op->hasAttr(kLightningReverseAttr);
  Scalar *states = state.mutableData(), *outs = out.overwrite();
  for (int64_t n = 0; n < ragged.sequences(); ++n)
    for (int64_t h = 0; h < heads; ++h) {
      int64_t block = (layer * slots + ragged.slot(n)) * heads + h;
      Scalar *s = states + block * size * size;
      if (ragged.past(n) == 0)
        for (int64_t i = 0; i < size * size; ++i)
          s[i].f = 0;
      double decay = std::exp(-slopes.data()[h].f);
      for (int64_t i = ragged.begin(n); i < ragged.end(n); ++i) {
        int64_t t = reverse ? ragged.begin(n) + ragged.end(n) - 1 - i : i;
        int64_t at = (t * heads + h) * size;
        lightningStep(size, decay, q.data() + at, k.data() + at, v.data() + at,
                      s, outs + at);
      }
    }
  if (Error error = frame.set(op.getResult(), std::move(out)))
    return error;
  return frame.set(op.getNewState(), std::move(state));
}

//===----------------------------------------------------------------------===//
// Paged caches
//===----------------------------------------------------------------------===//

/// Fails unless both caches are [layers, pages, page size, KV, d].
static Error checkCaches(Operation *op, const Tensor &keys,
                         const Tensor &values, int64_t heads, int64_t size) {
  SmallVector<int64_t, 5> shape = {keys.extent(0), keys.extent(1),
                                   keys.extent(2), heads, size};
  return checkShapes(op, {{"keys", keys, shape}, {"values", values, shape}});
}

/// Fails unless all positions up to the last one of each sequence have a page
/// of `cache`, [layers, pages, page size, KV, d].
static Error checkPages(Operation *op, const Ragged &ragged,
                        const Tensor &cache, int64_t layer) {
  if (Error error = checkIndex(op, "the layer", layer, cache.extent(0)))
    return error;
  int64_t pageSize = cache.extent(2);
  if (pageSize == 0 && ragged.tokens() > 0)
    return opError(op, "the caches have pages of size 0");
  for (int64_t n = 0; n < ragged.sequences(); ++n) {
    int64_t positions = ragged.past(n) + ragged.end(n) - ragged.begin(n);
    int64_t used = (positions + pageSize - 1) / pageSize;
    if (used > ragged.pages())
      return opError(op, "sequence " + Twine(n) + " needs " + Twine(used) +
                             " pages for its " + Twine(positions) +
                             " positions, and page_table has " +
                             Twine(ragged.pages()));
    for (int64_t p = 0; p < used; ++p)
      if (Error error =
              checkIndex(op, "page_table[" + Twine(n) + ", " + Twine(p) + "]",
                         ragged.page(n, p), cache.extent(1)))
        return error;
  }
  return Error::success();
}

/// The element where the [KV, d] of a position begins.
static int64_t cacheOffset(const Ragged &ragged, const Tensor &cache,
                           int64_t layer, int64_t sequence, int64_t position) {
  int64_t pageSize = cache.extent(2);
  int64_t page = ragged.page(sequence, position / pageSize);
  return ((layer * cache.extent(1) + page) * pageSize + position % pageSize) *
         cache.extent(3) * cache.extent(4);
}

static Error cacheUpdate(CacheUpdateOp op, Frame &frame) {
  Tensor k = frame.tensor(op.getK()), v = frame.tensor(op.getV());
  const Ragged &ragged = frame.ragged(op.getRagged());
  Tensor keys = frame.take(op.getKeysMutable()),
         values = frame.take(op.getValuesMutable());
  int64_t layer = frame.integer(op.getLayer());
  int64_t tokens = ragged.tokens(), heads = k.extent(1), size = k.extent(2);
  if (Error error = checkShapes(op, {{"k", k, {tokens, heads, size}},
                                     {"v", v, {tokens, heads, size}}}))
    return error;
  if (Error error = checkCaches(op, keys, values, heads, size))
    return error;
  if (Error error = checkPages(op, ragged, keys, layer))
    return error;

  Scalar *keyData = keys.mutableData(), *valueData = values.mutableData();
  for (int64_t t = 0; t < ragged.tokens(); ++t) {
    int64_t n = ragged.sequence(t), p = ragged.position(t);
    std::copy_n(k.row(t), k.rowElements(),
                keyData + cacheOffset(ragged, keys, layer, n, p));
    std::copy_n(v.row(t), v.rowElements(),
                valueData + cacheOffset(ragged, values, layer, n, p));
  }
  if (Error error = frame.set(op.getNewKeys(), std::move(keys)))
    return error;
  return frame.set(op.getNewValues(), std::move(values));
}

//===----------------------------------------------------------------------===//
// mm01.softmax_attention
//===----------------------------------------------------------------------===//

/// In place: x <- exp(x - max x) / Σ exp(x - max x).
static void softmax(MutableArrayRef<double> x) {
  double largest = *std::max_element(x.begin(), x.end()), sum = 0;
  for (double &element : x)
    sum += element = std::exp(element - largest);
  for (double &element : x)
    element /= sum;
}

static Error softmaxAttention(SoftmaxAttentionOp op, Frame &frame) {
  Tensor q = frame.tensor(op.getQ()), keys = frame.tensor(op.getKeys()),
         values = frame.tensor(op.getValues());
  const Ragged &ragged = frame.ragged(op.getRagged());
  Tensor out(q.shape(), q.elementType());
  int64_t layer = frame.integer(op.getLayer());
  double scale = op.getScale().convertToDouble();
  int64_t heads = q.extent(1), size = q.extent(2), keyHeads = keys.extent(3);
  if (Error error = checkShapes(op, {{"q", q, {ragged.tokens(), heads, size}}}))
    return error;
  if (Error error = checkCaches(op, keys, values, keyHeads, size))
    return error;
  if (Error error = checkPages(op, ragged, keys, layer))
    return error;
  if (keyHeads == 0 || heads % keyHeads != 0)
    return opError(op, "q has " + Twine(heads) +
                           " heads, expected a multiple of the " +
                           Twine(keyHeads) + " of keys");
  int64_t group = heads / keyHeads;

  Scalar *outs = out.overwrite();
  std::vector<double> share;
  for (int64_t t = 0; t < ragged.tokens(); ++t) {
    int64_t n = ragged.sequence(t), context = ragged.position(t) + 1;
    for (int64_t h = 0; h < heads; ++h) {
      const Scalar *query = q.row(t) + h * size;
      Scalar *result = outs + (t * heads + h) * size;
      share.assign(context, 0);
      for (int64_t j = 0; j < context; ++j) {
        const Scalar *key = keys.data() +
                            cacheOffset(ragged, keys, layer, n, j) +
                            h / group * size;
        for (int64_t i = 0; i < size; ++i)
          share[j] += query[i].f * key[i].f;
        share[j] *= scale;
      }
      softmax(share);
      for (int64_t i = 0; i < size; ++i)
        result[i].f = 0;
      for (int64_t j = 0; j < context; ++j) {
        const Scalar *value = values.data() +
                              cacheOffset(ragged, values, layer, n, j) +
                              h / group * size;
        for (int64_t i = 0; i < size; ++i)
          result[i].f += share[j] * value[i].f;
      }
    }
  }
  return frame.set(op.getResult(), std::move(out));
}

void attachMm01AttentionModels(MLIRContext &context) {
  attach<LightningAttentionOp, lightningAttention>(context);
  attach<CacheUpdateOp, cacheUpdate>(context);
  attach<SoftmaxAttentionOp, softmaxAttention>(context);
}

} // namespace mm01::reference
