/*===- toySampler.h - a hand-written helper that chooses tokens -----------===*\
|*
|* Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* What mm01.sample says (dialects/mm01/Mm01SamplingOps.td), in doubles: small
|* enough to read, for the toy programs, whose vocabularies are small.
|*
\*===----------------------------------------------------------------------===*/

#ifndef MM01_TEST_RUNTIME_SESSION_TOYSAMPLER_H
#define MM01_TEST_RUNTIME_SESSION_TOYSAMPLER_H

#include <math.h>
#include <stdint.h>

/* The parameters of the helper; one number or pointer each. */
struct toy_sampling {
  const float *logits; /* [rows, vocabulary] */
  int64_t rows;
  const uint64_t *draws;
  double temperature;
  int64_t top_k;
  double top_p;
  int32_t *tokens;
  int32_t *problems;
};

/* Whether token a comes before token b in the order of logits. */
static int toy_before(const float *row, int64_t a, int64_t b) {
  return row[a] > row[b] || (row[a] == row[b] && a < b);
}

/* What is wrong with a row, and the token where it is. */
static int32_t toy_problem(const float *row, int64_t vocabulary,
                           int32_t *token) {
  int64_t finite = 0;
  for (int64_t v = 0; v < vocabulary; ++v) {
    *token = (int32_t)v;
    if (isnan(row[v]))
      return 1;
    if (isinf(row[v]) && row[v] > 0)
      return 2;
    finite += !isinf(row[v]);
  }
  *token = 0;
  return finite > 0 ? 0 : 3;
}

static int32_t toy_token(const float *row, int64_t vocabulary, uint64_t draw,
                         const struct toy_sampling *s) {
  double weight[256], total = 0, before = 0;
  long double place = ldexpl((long double)draw, -64);
  int64_t first = 0, kept = vocabulary;
  int32_t last = 0;
  for (int64_t v = 1; v < vocabulary; ++v)
    first = toy_before(row, v, first) ? v : first;
  if (s->temperature == 0)
    return (int32_t)first;
  for (int64_t v = 0; v < vocabulary; ++v)
    weight[v] = exp(((double)row[v] - row[first]) / s->temperature);
  if (s->top_k > 0 && s->top_k < kept)
    kept = s->top_k;
  /* Twice: what top-k leaves out, then what top-p does. */
  for (int nucleus = 0; nucleus < 2; ++nucleus) {
    double out[256];
    for (int64_t v = 0; v < vocabulary; ++v) {
      int64_t rank = 0;
      double above = 0;
      for (int64_t u = 0; u < vocabulary; ++u)
        if (toy_before(row, u, v)) {
          ++rank;
          above += weight[u];
        }
      out[v] = nucleus ? rank > 0 && s->top_p < 1 && above >= s->top_p * total
                       : rank >= kept;
    }
    total = 0;
    for (int64_t v = 0; v < vocabulary; ++v)
      total += weight[v] = out[v] ? 0 : weight[v];
  }
  for (int64_t v = 0; v < vocabulary; ++v) {
    before += weight[v];
    if (weight[v] > 0)
      last = (int32_t)v;
    if (fmal(-place, total, before) > 0)
      return last;
  }
  return last;
}

static void toy_sample(const struct toy_sampling *s, int64_t vocabulary) {
  for (int64_t n = 0; n < s->rows; ++n) {
    const float *row = s->logits + n * vocabulary;
    s->problems[n] = toy_problem(row, vocabulary, &s->tokens[n]);
    if (s->problems[n] == 0)
      s->tokens[n] = toy_token(row, vocabulary, s->draws[n], s);
  }
}

#endif /* MM01_TEST_RUNTIME_SESSION_TOYSAMPLER_H */
