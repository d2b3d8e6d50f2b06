//===- Sampler.cpp - picks the next token from a row of logits ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/session/Sampler.h"

#include "runtime/core/Philox.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

using namespace mm01;

double mm01::uniformDraw(uint64_t seed, uint64_t sequence, uint64_t step) {
  auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
  std::array<uint32_t, 4> words =
      philox4x32({low(step), high(step), low(sequence), high(sequence)},
                 {low(seed), high(seed)});
  uint64_t bits = (uint64_t{words[0]} << 32 | words[1]) >> 11;
  return static_cast<double>(bits) * 0x1p-53;
}

/// The options as a user must give them: NaN fails every comparison.
static Status checkOptions(const SamplerOptions &options) {
  if (!(options.temperature >= 0) || std::isinf(options.temperature))
    return Status::error("temperature is ", options.temperature,
                         ", expected a finite number of at least 0");
  if (options.topK < 0)
    return Status::error("top-k is ", options.topK,
                         ", expected at least 1, or 0 for off");
  if (!(options.topP > 0 && options.topP <= 1))
    return Status::error("top-p is ", options.topP,
                         ", expected more than 0 and at most 1");
  return Status();
}

Result<Sampler> Sampler::create(const SamplerOptions &options) {
  MM01_RETURN_IF_FAILED(checkOptions(options));
  return Sampler(options);
}

/// The id of the highest logit, the lowest of equal ones.
static Result<int32_t> greedy(std::span<const float> logits) {
  if (logits.empty())
    return Status::error("no logits to sample from");
  size_t best = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i]) || logits[i] == INFINITY)
      return Status::error("logit of token ", i, " is ",
                           std::isnan(logits[i]) ? "NaN" : "infinite",
                           ", expected a finite number");
    if (logits[i] > logits[best])
      best = i;
  }
  if (std::isinf(logits[best]))
    return Status::error("all logits are -infinity, expected a finite one");
  return static_cast<int32_t>(best);
}

Result<int32_t> Sampler::sample(std::span<const float> logits,
                                uint64_t sequence, uint64_t step) {
  Result<int32_t> best = greedy(logits);
  if (!best.ok() || options.temperature == 0)
    return best;

  size_t count = logits.size();
  double maximum = logits[*best];
  weights.resize(count);
  for (size_t i = 0; i < count; ++i)
    weights[i] = std::exp((logits[i] - maximum) / options.temperature);
  order.resize(count);
  std::iota(order.begin(), order.end(), 0);
  auto moreProbable = [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };

  if (options.topK > 0 && static_cast<size_t>(options.topK) < count) {
    count = options.topK;
    std::nth_element(order.begin(), order.begin() + (count - 1), order.end(),
                     moreProbable);
    std::sort(order.begin(), order.begin() + count, moreProbable);
  }
  auto total = [&] {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
      sum += weights[order[i]];
    return sum;
  };
  if (options.topP < 1) {
    // The nucleus is mostly small: sort ever longer prefixes until it is
    // inside.
    double wanted = options.topP * total();
    double sum = 0;
    size_t kept = 0;
    for (size_t sorted = 0; kept < count && (kept == 0 || sum < wanted);) {
      if (kept == sorted) {
        size_t next = std::min(count, sorted == 0 ? 256 : 8 * sorted);
        std::partial_sort(order.begin() + sorted, order.begin() + next,
                          order.begin() + count, moreProbable);
        sorted = next;
      }
      sum += weights[order[kept++]];
    }
    count = kept;
  }

  // The last token of non-zero weight takes what rounding leaves over.
  double rest = uniformDraw(options.seed, sequence, step) * total();
  int32_t chosen = *best;
  for (size_t i = 0; i < count; ++i) {
    double weight = weights[order[i]];
    if (weight == 0)
      continue;
    chosen = order[i];
    if (rest < weight)
      break;
    rest -= weight;
  }
  return chosen;
}
