//===- Generate.h - continues several prompts in one ragged batch ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Continuous batching: each step first gives every sequence that is past its
// prompt its newest token, then fills what is left of the step's token limit
// with chunks of the prompts that are still to be read. A prompt that finds no
// slot waits until a sequence ends.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_SESSION_GENERATE_H
#define MM01_RUNTIME_SESSION_GENERATE_H

#include "runtime/session/Sampler.h"
#include "runtime/session/Session.h"

#include <functional>

namespace mm01 {

/// What generate() shall do for every prompt.
struct GenerateOptions {
  /// Tokens to generate for each prompt, at least 1.
  int64_t maxNewTokens = 16;
  SamplerOptions sampler;
};

/// What was generated, and how fast. A step that reads any prompt token counts
/// as prefill, with its prompt tokens; the others as decode, with all theirs.
struct GenerateResult {
  /// One per prompt; ends with an end-of-sequence token if that ended it.
  std::vector<std::vector<int32_t>> tokens;
  int64_t prefillTokens = 0;
  int64_t decodeTokens = 0;
  double prefillSeconds = 0;
  double decodeSeconds = 0;
};

/// Refuses no prompts, an empty prompt, a token that is no id of the
/// vocabulary, fewer than 1 new token, and more positions than the model has.
Status checkPrompts(const ForwardSpec &spec,
                    std::span<const std::vector<int32_t>> prompts,
                    int64_t maxNewTokens);

/// Told after each step: tokens read and generated so far, and at most in all.
using GenerateProgress = std::function<void(int64_t done, int64_t total)>;

/// Continues each prompt until a token of forward().endOfSequence or
/// maxNewTokens. The draws of a prompt depend on the seed and on its index
/// alone. Fails when checkPrompts() or a step does; the session has no
/// sequences of this call afterwards.
Result<GenerateResult> generate(Session &session,
                                std::span<const std::vector<int32_t>> prompts,
                                const GenerateOptions &options,
                                const GenerateProgress &progress = {});

/// The smallest session in which generate() of these prompts, which passed
/// checkPrompts(), never runs out of pages, with as many sequences at once as
/// the program allows.
SessionOptions sessionFor(const Manifest &manifest,
                          std::span<const std::vector<int32_t>> prompts,
                          int64_t maxNewTokens);

} // namespace mm01

#endif // MM01_RUNTIME_SESSION_GENERATE_H
