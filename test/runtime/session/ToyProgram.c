/*===- ToyProgram.c - a hand-written program for the session's tests ------===*\
|*
|* Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A recurrent model with the entry signature of a compiled one, small enough to
|* read: what it answers for a token depends on every earlier token of the same
|* sequence, once through the lightning state and once through each cached key
|* and value, so a wrong slot, a wrong page, a stale or a lost position changes
|* the logits. Every sequence is computed in the same order whatever else is in
|* the batch, so tests may compare logits bit by bit.
|*
|* TOY_STATE and TOY_PAGES say which caches it has (1 or 0 each), TOY_VOCABULARY
|* how many tokens there are. With TOY_GPU it is a program for a GPU: all of it
|* is one kernel, which the driver of test/runtime/cuda runs.
|*
\*===----------------------------------------------------------------------===*/

#include "runtime/abi/program.h"

#include "test/runtime/session/toySampler.h"

#include <string.h>

#if TOY_GPU
#include "test/runtime/cuda/fakeKernel.h"
#define TARGET "sm_90a"
#else
#define TARGET "cpu"
#endif

#define LAYERS 2 /* of the state, and of the keys and values */
#define HEADS 2
#define STATE (HEADS * 4 * 4)
#define KEY 4 /* one kv head of 4 */
#define PAGE 64
#define VOCABULARY TOY_VOCABULARY
/* Four of them in a row make the entry fail after it changed the caches. */
#define FAILING_TOKEN 15

#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)
#define VOCABULARY_TEXT TEXT_OF(VOCABULARY)

#define STATE_ARGUMENT                                                         \
  "{\"kind\":\"tensor\",\"role\":\"lightning_state\",\"shape\":[2,-1,2,4,4],"  \
  "\"type\":\"f32\"},"
#define PAGE_ARGUMENTS                                                         \
  "{\"kind\":\"tensor\",\"role\":\"keys\",\"shape\":[2,-1,64,1,4],"            \
  "\"type\":\"f32\"},"                                                         \
  "{\"kind\":\"tensor\",\"role\":\"values\",\"shape\":[2,-1,64,1,4],"          \
  "\"type\":\"f32\"},"

#if TOY_STATE && TOY_PAGES
#define CACHE_ARGUMENTS STATE_ARGUMENT PAGE_ARGUMENTS
#define TIED_RESULTS                                                           \
  ",{\"kind\":\"tied\",\"argument\":3},{\"kind\":\"tied\",\"argument\":4},"    \
  "{\"kind\":\"tied\",\"argument\":5}"
#elif TOY_STATE
#define CACHE_ARGUMENTS STATE_ARGUMENT
#define TIED_RESULTS ",{\"kind\":\"tied\",\"argument\":3}"
#else
#define CACHE_ARGUMENTS PAGE_ARGUMENTS
#define TIED_RESULTS                                                           \
  ",{\"kind\":\"tied\",\"argument\":3},{\"kind\":\"tied\",\"argument\":4}"
#endif

#define MANIFEST                                                               \
  "{\"abi\":4,\"compiler\":\"0.1.0\",\"target\":\"" TARGET "\","               \
  "\"mode\":\"inference\",\"isa\":\"x86-64\","                                 \
  "\"limits\":{\"max_tokens\":96,\"max_sequences\":8},"                        \
  "\"model\":{\"vocab_size\":" VOCABULARY_TEXT                                 \
  ",\"max_position_embeddings\":1000,"                                         \
  "\"eos_token_id\":[14]},"                                                    \
  "\"parameter_count\":1,\"ignored_tensors\":[],"                              \
  "\"entries\":[{\"name\":\"forward\",\"arguments\":["                         \
  "{\"kind\":\"tensor\",\"role\":\"tokens\",\"shape\":[-1],"                   \
  "\"type\":\"i32\"},"                                                         \
  "{\"kind\":\"ragged\"},"                                                     \
  "{\"kind\":\"tensor\",\"role\":\"logit_rows\",\"shape\":[-1],"               \
  "\"type\":\"i32\"}," CACHE_ARGUMENTS                                         \
  "{\"kind\":\"weight\",\"parameter\":\"table\",\"shape\":[" VOCABULARY_TEXT   \
  ",4],"                                                                       \
  "\"type\":\"f32\"}],"                                                        \
  "\"results\":[{\"kind\":\"fresh\",\"role\":\"logits\","                      \
  "\"shape\":[-1," VOCABULARY_TEXT "],\"type\":\"f32\"}" TIED_RESULTS "]},"    \
  "{\"name\":\"scale\",\"arguments\":["                                        \
  "{\"kind\":\"tensor\",\"shape\":[-1,4],\"type\":\"f32\"},"                   \
  "{\"kind\":\"scalar\",\"type\":\"f32\"}],"                                   \
  "\"results\":[{\"kind\":\"tied\",\"argument\":0}]}],"                        \
  "\"helpers\":[{\"name\":\"sample_" VOCABULARY_TEXT "\",\"arguments\":["      \
  "{\"kind\":\"tensor\",\"shape\":[-1," VOCABULARY_TEXT "],"                   \
  "\"type\":\"f32\"},"                                                         \
  "{\"kind\":\"tensor\",\"shape\":[-1],\"type\":\"i64\"},"                     \
  "{\"kind\":\"scalar\",\"type\":\"f32\"},"                                    \
  "{\"kind\":\"scalar\",\"type\":\"i64\"},"                                    \
  "{\"kind\":\"scalar\",\"type\":\"f32\"},"                                    \
  "{\"kind\":\"tensor\",\"shape\":[-1],\"type\":\"i32\"},"                     \
  "{\"kind\":\"tensor\",\"shape\":[-1],\"type\":\"i32\"}],"                    \
  "\"results\":[{\"kind\":\"tied\",\"argument\":5},"                           \
  "{\"kind\":\"tied\",\"argument\":6}]}],"                                     \
  "\"parameters\":[{\"name\":\"table\",\"shape\":[" VOCABULARY_TEXT ",4],"     \
  "\"type\":\"f32\",\"sources\":[{\"tensor\":\"model.table\","                 \
  "\"shape\":[" VOCABULARY_TEXT ",4]}]}]}"

/* The section holds the text alone, without a zero at its end. */
__attribute__((used, section(MM01_MANIFEST_SECTION))) static const char
    manifest[sizeof(MANIFEST) - 1] = MANIFEST;

/* Filled in when the program is sealed. */
__attribute__((used,
               section(MM01_SEAL_SECTION))) static const mm01_seal seal = {
    "mm01seal", MM01_ABI_VERSION, 0, 0};

/* The caches of one call; null what the program does not have. */
struct caches {
  float *state; /* [LAYERS, slots, STATE] */
  int64_t slots;
  float *keys;   /* [LAYERS, pages, PAGE, KEY] */
  float *values; /* [LAYERS, pages, PAGE, KEY] */
  int64_t pages;
};

static float *state_row(const struct caches *caches, int64_t layer,
                        int64_t slot) {
  return caches->state + (layer * caches->slots + slot) * STATE;
}

/* The key or value of a position of sequence n. */
static float *cached(const struct caches *caches, float *cache,
                     const mm01_ragged *ragged, int64_t layer, int64_t n,
                     int64_t position) {
  int64_t page = ragged->page_table[n * ragged->pages + position / PAGE];
  return cache +
         ((layer * caches->pages + page) * PAGE + position % PAGE) * KEY;
}

static void update(const struct caches *caches, const mm01_ragged *ragged,
                   const float *table, int64_t n, int64_t position,
                   int32_t token) {
  for (int64_t layer = 0; layer < LAYERS; ++layer) {
    if (caches->state) {
      float *state = state_row(caches, layer, ragged->slot[n]);
      for (int64_t i = 0; i < STATE; ++i)
        state[i] = (0.5f + 0.25f * layer) * state[i] +
                   table[token * 4 + i % 4] * (1 + i / 4);
    }
    if (caches->keys) {
      float *key = cached(caches, caches->keys, ragged, layer, n, position);
      float *value = cached(caches, caches->values, ragged, layer, n, position);
      for (int64_t i = 0; i < KEY; ++i) {
        key[i] = table[token * 4 + i] + layer;
        value[i] = 0.001f * (position + 1) * (token + i + 1);
      }
    }
  }
}

static void read_logits(const struct caches *caches, const mm01_ragged *ragged,
                        const float *table, int64_t n, int64_t position,
                        float *logits) {
  for (int64_t v = 0; v < VOCABULARY; ++v) {
    float sum = 0;
    for (int64_t layer = 0; layer < LAYERS; ++layer) {
      if (caches->state) {
        const float *state = state_row(caches, layer, ragged->slot[n]);
        for (int64_t i = 0; i < STATE; ++i)
          sum += state[i] * table[v * 4 + i % 4] * (i + 1);
      }
      if (caches->keys) {
        for (int64_t p = 0; p <= position; ++p) {
          const float *key = cached(caches, caches->keys, ragged, layer, n, p);
          const float *value =
              cached(caches, caches->values, ragged, layer, n, p);
          for (int64_t i = 0; i < KEY; ++i)
            sum += key[i] * value[i] * table[v * 4 + i];
        }
      }
    }
    logits[v] = sum;
  }
}

/* A step; 1 when the tokens make it fail. */
static int32_t forward(const int32_t *tokens, const mm01_ragged *ragged,
                       const int32_t *rows, int64_t wanted,
                       const struct caches *caches, const float *table,
                       float *logits) {
  for (int64_t n = 0; n < ragged->sequences; ++n) {
    if (ragged->seq_offsets[n] == ragged->seq_offsets[n + 1])
      continue; /* padding */
    if (ragged->past[n] == 0 && caches->state)
      for (int64_t layer = 0; layer < LAYERS; ++layer)
        memset(state_row(caches, layer, ragged->slot[n]), 0,
               STATE * sizeof(float));
    int failing = 0;
    for (int64_t t = ragged->seq_offsets[n]; t < ragged->seq_offsets[n + 1];
         ++t) {
      int64_t position = ragged->token_position[t];
      failing = tokens[t] == FAILING_TOKEN ? failing + 1 : 0;
      if (failing == 4)
        return 1;
      update(caches, ragged, table, n, position, tokens[t]);
      for (int64_t r = 0; r < wanted; ++r)
        if (rows[r] == t)
          read_logits(caches, ragged, table, n, position,
                      logits + r * VOCABULARY);
    }
  }
  return 0;
}

#if TOY_GPU
/* What the program launches; one number or pointer each. */
struct parameters {
  const int32_t *tokens;
  const mm01_ragged *ragged;
  const int32_t *rows;
  int64_t wanted;
  struct caches caches;
  const float *table;
  float *logits;
};

static void kernel(void *const *values) {
  struct parameters p;
  for (size_t i = 0; i < sizeof(p) / 8; ++i)
    memcpy((char *)&p + 8 * i, values[i], 8);
  /* A program of this model is for padding, too: tokens beyond the sequences
   * write to the page that is theirs. */
  for (int64_t t = p.ragged->seq_offsets[p.ragged->sequences];
       t < p.ragged->tokens; ++t)
    if (p.caches.keys)
      *cached(&p.caches, p.caches.keys, p.ragged, 0,
              p.ragged->token_sequence[t], p.ragged->token_position[t]) =
          -1e30f;
  forward(p.tokens, p.ragged, p.rows, p.wanted, &p.caches, p.table, p.logits);
}

static const struct fake_code code = {FAKE_CODE, kernel,
                                      sizeof(struct parameters) / 8};
static const mm01_device_kernel device_kernel = {
    "toy", &code, "// PTX", TOY_VOCABULARY, {256, 1, 1}, {1, 1, 1}, 0};
#endif

int64_t mm01_arena_forward(const mm01_argument *arguments) { return 256; }

int32_t mm01_entry_forward(const mm01_context *context,
                           const mm01_argument *arguments) {
  const int32_t *tokens = arguments[0].data;
  const mm01_ragged *ragged = arguments[1].data;
  const int32_t *rows = arguments[2].data;
  int64_t wanted = arguments[2].shape[0];
  const mm01_argument *next = arguments + 3;
  struct caches caches = {0};
  if (TOY_STATE) {
    caches.state = next->data;
    caches.slots = next++->shape[1];
  }
  if (TOY_PAGES) {
    caches.keys = next->data;
    caches.pages = next++->shape[1];
    caches.values = next++->data;
  }
  const float *table = *(const float *const *)next->data;

  int64_t shape[2] = {wanted, VOCABULARY};
  float *logits = context->allocate_result(context, 0, 2, shape);
  if (!logits)
    return 1;
#if TOY_GPU
  struct parameters p = {tokens, ragged->device, rows,  wanted,
                         caches, table,          logits};
  const void *values[sizeof(p) / 8];
  for (size_t i = 0; i < sizeof(p) / 8; ++i)
    values[i] = (const char *)&p + 8 * i;
  int64_t grid[3] = {1, 1, 1};
  context->launch_device(context, &device_kernel, grid, values, sizeof(p) / 8);
  return 0;
#else
  return forward(tokens, ragged, rows, wanted, &caches, table, logits);
#endif
}

#define JOIN(a, b) a##b
#define JOIN_OF(a, b) JOIN(a, b)

int64_t JOIN_OF(mm01_arena_sample_,
                TOY_VOCABULARY)(const mm01_argument *arguments) {
  return 0;
}

#if TOY_GPU
static void sample_kernel(void *const *values) {
  struct toy_sampling s;
  for (size_t i = 0; i < sizeof(s) / 8; ++i)
    memcpy((char *)&s + 8 * i, values[i], 8);
  toy_sample(&s, VOCABULARY);
}

static const struct fake_code sample_code = {FAKE_CODE, sample_kernel,
                                             sizeof(struct toy_sampling) / 8};
static const mm01_device_kernel sample_device_kernel = {
    "toy_sample", &sample_code, "// PTX", 1000 + TOY_VOCABULARY,
    {256, 1, 1},  {1, 1, 1},    0};
#endif

int32_t JOIN_OF(mm01_entry_sample_,
                TOY_VOCABULARY)(const mm01_context *context,
                                const mm01_argument *arguments) {
  struct toy_sampling s = {arguments[0].data,
                           arguments[0].shape[0],
                           arguments[1].data,
                           *(const float *)arguments[2].data,
                           *(const int64_t *)arguments[3].data,
                           *(const float *)arguments[4].data,
                           arguments[5].data,
                           arguments[6].data};
#if TOY_GPU
  const void *values[sizeof(s) / 8];
  for (size_t i = 0; i < sizeof(s) / 8; ++i)
    values[i] = (const char *)&s + 8 * i;
  int64_t grid[3] = {1, 1, 1};
  context->launch_device(context, &sample_device_kernel, grid, values,
                         sizeof(s) / 8);
#else
  toy_sample(&s, VOCABULARY);
#endif
  return 0;
}

int64_t mm01_arena_scale(const mm01_argument *arguments) { return 0; }

int32_t mm01_entry_scale(const mm01_context *context,
                         const mm01_argument *arguments) {
  float *data = arguments[0].data;
  float factor = *(const float *)arguments[1].data;
  for (int64_t i = 0; i < arguments[0].shape[0] * 4; ++i)
    data[i] *= factor;
  return 0;
}
