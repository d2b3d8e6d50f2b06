//===- Generate.cpp - continues several prompts in one ragged batch -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/session/Generate.h"

#include <algorithm>
#include <chrono>

using namespace mm01;

namespace {

/// A prompt that has a slot.
struct Active {
  size_t prompt;
  SequenceId sequence;
  size_t read = 0; // tokens of the prompt that the sequence holds
};

class Generation {
public:
  Generation(Session &session, std::span<const std::vector<int32_t>> prompts,
             const GenerateOptions &options, Sampler sampler)
      : session(session), prompts(prompts), options(options),
        sampler(std::move(sampler)) {
    result.tokens.resize(prompts.size());
  }
  ~Generation() {
    for (const Active &active : running)
      (void)session.release(active.sequence).ok();
  }

  Result<GenerateResult> run(const GenerateProgress &progress) {
    int64_t total = 0;
    for (const std::vector<int32_t> &prompt : prompts)
      total += prompt.size() + options.maxNewTokens;
    while (next < prompts.size() || !running.empty()) {
      MM01_RETURN_IF_FAILED(admit());
      MM01_RETURN_IF_FAILED(step());
      int64_t done = 0;
      for (const std::vector<int32_t> &tokens : result.tokens)
        done += tokens.size();
      if (progress)
        progress(std::min(total, done + promptTokensRead), total);
    }
    return std::move(result);
  }

private:
  /// Gives waiting prompts the slots that are free.
  Status admit() {
    while (next < prompts.size() && session.freeSlots() > 0) {
      Result<SequenceId> sequence = session.createSequence();
      MM01_RETURN_IF_FAILED(sequence);
      running.push_back({next++, *sequence});
    }
    return Status();
  }

  bool reading(const Active &active) const {
    return active.read < prompts[active.prompt].size();
  }

  Status step() {
    std::vector<StepItem> items;
    std::vector<Active *> owners;
    int64_t room = session.maxStepTokens();
    int64_t promptTokens = 0;
    for (bool decoding : {true, false})
      for (Active &active : running) {
        if (reading(active) == decoding || room == 0 ||
            static_cast<int64_t>(items.size()) == session.maxStepSequences())
          continue;
        StepItem item;
        item.sequence = active.sequence;
        if (decoding) {
          item.tokens = std::span(&result.tokens[active.prompt].back(), 1);
        } else {
          std::span<const int32_t> rest =
              std::span(prompts[active.prompt]).subspan(active.read);
          item.tokens = rest.first(
              std::min<size_t>(rest.size(), static_cast<size_t>(room)));
          if (item.tokens.size() < rest.size())
            item.logits = LogitRows::None;
          promptTokens += item.tokens.size();
        }
        room -= item.tokens.size();
        items.push_back(item);
        owners.push_back(&active);
      }

    // The rows that are drawn from, and whose they are.
    std::vector<Draw> draws;
    std::vector<const Active *> drawers;
    for (size_t i = 0; i < items.size(); ++i)
      if (items[i].logits == LogitRows::Last) {
        size_t prompt = owners[i]->prompt;
        draws.push_back({prompt, result.tokens[prompt].size()});
        drawers.push_back(owners[i]);
      }

    auto begin = std::chrono::steady_clock::now();
    MM01_RETURN_IF_FAILED(session.advance(items));
    Result<std::vector<SampledToken>> sampled =
        sampler.sample(session.deviceLogits(), draws);
    MM01_RETURN_IF_FAILED(sampled);
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - begin;
    if (promptTokens > 0) {
      result.prefillTokens += promptTokens;
      result.prefillSeconds += time.count();
    } else {
      result.decodeTokens += items.size();
      result.decodeSeconds += time.count();
    }
    promptTokensRead += promptTokens;

    for (size_t i = 0; i < items.size(); ++i)
      if (reading(*owners[i]))
        owners[i]->read += items[i].tokens.size();
    for (size_t i = 0; i < draws.size(); ++i)
      MM01_RETURN_IF_FAILED(append(*drawers[i], (*sampled)[i]));
    return retire();
  }

  /// The next token of a sequence.
  Status append(const Active &active, const SampledToken &sampled) {
    std::vector<int32_t> &tokens = result.tokens[active.prompt];
    Result<int32_t> token = sampled.get();
    if (token.failed())
      return Status::error("prompt ", active.prompt, ", new token ",
                           tokens.size(), ": ", token.message());
    tokens.push_back(*token);
    return Status();
  }

  bool finished(const Active &active) const {
    const std::vector<int32_t> &tokens = result.tokens[active.prompt];
    if (tokens.empty())
      return false;
    const std::vector<int32_t> &ends = session.forward().endOfSequence;
    return static_cast<int64_t>(tokens.size()) >= options.maxNewTokens ||
           std::find(ends.begin(), ends.end(), tokens.back()) != ends.end();
  }

  /// Gives back the slots of the sequences that have ended.
  Status retire() {
    for (auto it = running.begin(); it != running.end();) {
      if (!finished(*it)) {
        ++it;
        continue;
      }
      SequenceId sequence = it->sequence;
      it = running.erase(it);
      MM01_RETURN_IF_FAILED(session.release(sequence));
    }
    return Status();
  }

  Session &session;
  std::span<const std::vector<int32_t>> prompts;
  const GenerateOptions &options;
  Sampler sampler;
  std::vector<Active> running; // in the order of the prompts
  size_t next = 0;             // the first prompt that waits
  int64_t promptTokensRead = 0;
  GenerateResult result;
};

} // namespace

Status mm01::checkPrompts(const ForwardSpec &spec,
                          std::span<const std::vector<int32_t>> prompts,
                          int64_t maxNewTokens) {
  if (prompts.empty())
    return Status::error("no prompts, expected at least one");
  if (maxNewTokens < 1)
    return Status::error(maxNewTokens, " new tokens, expected at least 1");
  for (size_t i = 0; i < prompts.size(); ++i) {
    const std::vector<int32_t> &prompt = prompts[i];
    if (prompt.empty())
      return Status::error("prompt ", i,
                           " has no tokens, expected at least one");
    for (size_t t = 0; t < prompt.size(); ++t)
      if (prompt[t] < 0 || prompt[t] >= spec.vocabulary)
        return Status::error("prompt ", i, ": token ", t, " is ", prompt[t],
                             ", expected 0 to ", spec.vocabulary - 1);
    // The last new token is not read again.
    int64_t length = prompt.size();
    if (length > spec.maxPositions ||
        maxNewTokens - 1 > spec.maxPositions - length)
      return Status::error("prompt ", i, " of ", length, " tokens and ",
                           maxNewTokens, " new ones, the model has at most ",
                           spec.maxPositions, " positions");
  }
  return Status();
}

Result<GenerateResult>
mm01::generate(Session &session, std::span<const std::vector<int32_t>> prompts,
               const GenerateOptions &options,
               const GenerateProgress &progress) {
  MM01_RETURN_IF_FAILED(
      checkPrompts(session.forward(), prompts, options.maxNewTokens));
  Result<Sampler> sampler =
      Sampler::create(session.getProgram(), session.getExecutor(),
                      session.forward().vocabulary, options.sampler);
  MM01_RETURN_IF_FAILED(sampler);
  if (session.freeSlots() == 0)
    return Status::error("no free slot: all sequences of the session are in "
                         "use");
  return Generation(session, prompts, options, *std::move(sampler))
      .run(progress);
}

SessionOptions mm01::sessionFor(const Manifest &manifest,
                                std::span<const std::vector<int32_t>> prompts,
                                int64_t maxNewTokens) {
  SessionOptions options;
  options.maxSequences = std::clamp<int64_t>(
      static_cast<int64_t>(prompts.size()), 1, manifest.maxSequences);
  std::vector<int64_t> lengths;
  for (const std::vector<int32_t> &prompt : prompts)
    lengths.push_back(prompt.size() + std::max<int64_t>(maxNewTokens - 1, 0));
  std::sort(lengths.rbegin(), lengths.rend());
  lengths.resize(std::min<size_t>(lengths.size(), options.maxSequences));
  options.maxPositions = 0;
  for (int64_t length : lengths)
    options.maxPositions += length;
  options.maxPositions = std::max<int64_t>(options.maxPositions, 1);
  return options;
}
