//===- Sampler.h - picks the next token from a row of logits --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// p = softmax(logits / temperature), restricted to the top-k tokens, then to
// the nucleus: the fewest most probable tokens whose share of what top-k left
// reaches top-p. Everything in double, with the maximum subtracted.
//
// A draw depends on (seed, sequence, step) alone, never on the batch that the
// row was computed in: the random number is Philox4x32-10 keyed by the seed
// with (sequence, step) as its counter (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011).
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_SESSION_SAMPLER_H
#define MM01_RUNTIME_SESSION_SAMPLER_H

#include "frontend/safetensors/Status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mm01 {

/// How tokens are drawn.
struct SamplerOptions {
  double temperature = 0; ///< >= 0; 0 is greedy: the highest logit, lowest id
  int64_t topK = 0;       ///< >= 0; 0 is off
  double topP = 1;        ///< in (0, 1]; 1 is off
  uint64_t seed = 0;
};

class Sampler {
public:
  /// Fails when an option is out of its range.
  static Result<Sampler> create(const SamplerOptions &options);

  /// The token to follow, in [0, logits.size()). Fails when there is no logit,
  /// one is NaN or +infinity, or none is finite. A logit of -infinity is a
  /// token of probability 0.
  Result<int32_t> sample(std::span<const float> logits, uint64_t sequence,
                         uint64_t step);

private:
  explicit Sampler(const SamplerOptions &options) : options(options) {}

  SamplerOptions options;
  std::vector<int32_t> order;  // scratch, kept between calls
  std::vector<double> weights; // scratch, kept between calls
};

/// A number in [0, 1) of 53 random bits, a function of its arguments alone.
double uniformDraw(uint64_t seed, uint64_t sequence, uint64_t step);

} // namespace mm01

#endif // MM01_RUNTIME_SESSION_SAMPLER_H
