//===- Sampler.h - picks the next token from each row of logits -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens are chosen where the logits are, by a helper of the program
// (docs/contract.md, "The manifest"): p = softmax(logits / temperature),
// restricted to the top-k tokens, then to the nucleus: the fewest most probable
// tokens whose share of what top-k left reaches top-p. The draw is a place in
// the probabilities of what is left, added up in the order of ids.
//
// A draw depends on (seed, sequence, step) alone, never on the batch that the
// row was computed in: the random number is Philox4x32-10 keyed by the seed
// with (sequence, step) as its counter (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011).
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_SESSION_SAMPLER_H
#define MM01_RUNTIME_SESSION_SAMPLER_H

#include "runtime/core/Executor.h"

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

/// Fails, in one line, when an option is out of its range.
Status checkSamplerOptions(const SamplerOptions &options);

/// The token of a row, or why it has none.
struct SampledToken {
  int32_t token = 0;
  int32_t problem = 0; ///< as the helper says it

  /// Fails when a logit is NaN or +infinity, or none is finite. A logit of
  /// -infinity is a token of probability 0.
  Result<int32_t> get() const;
};

/// The row of which token, to draw from.
struct Draw {
  uint64_t sequence = 0;
  uint64_t step = 0;
};

class Sampler {
public:
  /// Fails when an option is out of its range and when the program has no
  /// helper for a vocabulary of this size. `program` and `executor` must
  /// outlive the sampler.
  static Result<Sampler> create(const Program &program, Executor &executor,
                                int64_t vocabulary,
                                const SamplerOptions &options);

  /// The tokens of the first rows of logits, as many as there are draws; logits
  /// are [rows, vocabulary] in memory of the device. Waits for all work of the
  /// device before, also where there are no draws.
  Result<std::vector<SampledToken>> sample(const void *logits,
                                           std::span<const Draw> draws);

private:
  Sampler(const Program &program, Executor &executor, size_t entry,
          const SamplerOptions &options)
      : program(&program), executor(&executor), entry(entry), options(options) {
  }

  const Program *program;
  Executor *executor;
  size_t entry;
  SamplerOptions options;
  ResultSink sink;
  // Kept between calls.
  std::vector<uint64_t> bits;
  DeviceBuffer deviceBits, made;
  AlignedBuffer hostMade;
};

/// 64 random bits, a function of the arguments alone.
uint64_t randomDraw(uint64_t seed, uint64_t sequence, uint64_t step);

} // namespace mm01

#endif // MM01_RUNTIME_SESSION_SAMPLER_H
