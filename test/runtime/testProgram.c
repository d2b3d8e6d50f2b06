/*===- testProgram.c - a program as the compiler would make it ------------===*\
|*
|* Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Entries with which the tests of the runtime see every part of the ABI. The
|* manifest is testProgram.json; the seal is filled in by the test.
|*
\*===----------------------------------------------------------------------===*/

#include "runtime/abi/program.h"

#include <stddef.h>

__asm__(".pushsection " MM01_MANIFEST_SECTION ",\"\",@progbits\n"
        ".incbin \"" MM01_TEST_MANIFEST "\"\n"
        ".popsection\n");

__attribute__((used,
               section(MM01_SEAL_SECTION))) static const mm01_seal seal = {
    {'m', 'm', '0', '1', 's', 'e', 'a', 'l'}, MM01_ABI_VERSION, 0, 0};

/* affine(x [n, 4], factor, bias [4], stack [2, 3, 4] bf16):
 *   y = x * factor + bias + stack[1, 2, :];  x += 1 */
struct affine {
  float *x, *y;
  const float *bias;
  const uint16_t *row;
  int64_t factor;
};

static float widen(uint16_t bits) {
  union {
    uint32_t bits;
    float value;
  } word = {(uint32_t)bits << 16};
  return word.value;
}

static void affine_kernel(const mm01_context *context, const void *arguments,
                          void *scratch, int64_t row) {
  const struct affine *a = arguments;
  float *copy = scratch;
  for (int i = 0; i < 4; ++i)
    copy[i] = a->x[4 * row + i];
  for (int i = 0; i < 4; ++i) {
    a->y[4 * row + i] =
        copy[i] * (float)a->factor + a->bias[i] + widen(a->row[i]);
    a->x[4 * row + i] += 1;
  }
}

int64_t mm01_arena_affine(const mm01_argument *arguments) {
  return sizeof(struct affine);
}

int32_t mm01_entry_affine(const mm01_context *context,
                          const mm01_argument *arguments) {
  const void *const *bias = arguments[2].data;
  const void *const *stack = arguments[3].data;
  struct affine *a = context->arena;
  a->x = arguments[0].data;
  a->factor = *(const int64_t *)arguments[1].data;
  a->bias = bias[0];
  a->row = (const uint16_t *)stack[1] + 2 * 4;
  a->y = context->allocate_result(context, 0, 2, arguments[0].shape);
  if (!a->y)
    return 1;
  context->launch(context, affine_kernel, "affine", arguments[0].shape[0], a,
                  4 * sizeof(float));
  return 0;
}

/* batch(tokens [T], ragged, caches): row t is token, sequence, position. */
int64_t mm01_arena_batch(const mm01_argument *arguments) { return 0; }

int32_t mm01_entry_batch(const mm01_context *context,
                         const mm01_argument *arguments) {
  const int32_t *tokens = arguments[0].data;
  const mm01_ragged *ragged = arguments[1].data;
  int64_t shape[2] = {ragged->tokens, 3};
  int32_t *rows = context->allocate_result(context, 0, 2, shape);
  if (!rows)
    return 1;
  for (int64_t t = 0; t < ragged->tokens; ++t) {
    rows[3 * t] = tokens[t];
    rows[3 * t + 1] = ragged->token_sequence[t];
    rows[3 * t + 2] = ragged->token_position[t];
  }
  return 0;
}

/* product(a [m, k], b [n, k]): c = a b^T twice added up, in blocks of 8 rows.
 */
struct product {
  const float *a, *b;
  float *c;
  int64_t m, n, k;
};

static void product_kernel(const mm01_context *context, const void *arguments,
                           void *scratch, int64_t block) {
  const struct product *p = arguments;
  int64_t row = block * 8;
  int64_t rows = p->m - row < 8 ? p->m - row : 8;
  for (int accumulate = 0; accumulate < 2; ++accumulate)
    context->gemm_f32(context, rows, p->n, p->k, p->a + row * p->k, p->k, p->b,
                      p->k, p->c + row * p->n, p->n, accumulate);
}

int64_t mm01_arena_product(const mm01_argument *arguments) { return 0; }

int32_t mm01_entry_product(const mm01_context *context,
                           const mm01_argument *arguments) {
  struct product p = {
      arguments[0].data,     arguments[1].data,     NULL,
      arguments[0].shape[0], arguments[1].shape[0], arguments[0].shape[1]};
  int64_t shape[2] = {p.m, p.n};
  p.c = context->allocate_result(context, 0, 2, shape);
  if (!p.c)
    return 1;
  context->launch(context, product_kernel, "product", (p.m + 7) / 8, &p, 0);
  return 0;
}

/* misbehave(what): a mistake that the runtime has to notice. */
int64_t mm01_arena_misbehave(const mm01_argument *arguments) {
  int64_t what = *(const int64_t *)arguments[0].data;
  return what == 0 ? -1 : what == 1 ? INT64_MAX - 100 : 0;
}

static void idle(const mm01_context *context, const void *arguments,
                 void *scratch, int64_t workgroup) {}

int32_t mm01_entry_misbehave(const mm01_context *context,
                             const mm01_argument *arguments) {
  int64_t what = *(const int64_t *)arguments[0].data;
  int64_t shape[2] = {2, 2};
  switch (what) {
  case 2: /* rank */
    return !context->allocate_result(context, 0, 2, shape);
  case 3: /* extent */
    shape[0] = 3;
    return !context->allocate_result(context, 0, 1, shape);
  case 4: /* index */
    return !context->allocate_result(context, 1, 1, shape);
  case 5: /* no result */
    return 0;
  case 6: /* code */
    return 7;
  case 7: /* scratch */
    context->launch(context, idle, "idle", 2, NULL, INT64_MAX / 2);
    return !context->allocate_result(context, 0, 1, shape);
  default:
    return !context->allocate_result(context, 0, 1, shape);
  }
}
