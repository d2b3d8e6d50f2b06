//===- BenchForward.cpp - time a step of a model --------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sequences get their past once, in chunks, and a snapshot is taken of
// each; every iteration continues from the snapshots, so all of them do the
// same work.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Philox.h"
#include "runtime/session/Session.h"
#include "tools/mm01-run/Bench.h"

#include <algorithm>
#include <limits>

using namespace mm01;

/// Token ids that look like none in particular: what a router sees matters.
static std::vector<int32_t> randomTokens(int64_t count, uint32_t stream,
                                         int64_t vocabulary) {
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < count; ++i) {
    std::array<uint32_t, 4> words =
        philox4x32({static_cast<uint32_t>(i), stream, 0, 0}, {0, 0});
    tokens.push_back(static_cast<int32_t>(words[0] % vocabulary));
  }
  return tokens;
}

/// Snapshots of `count` sequences of `past` random tokens each.
static Result<std::vector<SnapshotId>> makePasts(Session &session,
                                                 int64_t count, int64_t past) {
  std::vector<SnapshotId> snapshots;
  Progress progress("past tokens");
  for (int64_t n = 0; n < count; ++n) {
    Result<SequenceId> sequence = session.createSequence();
    MM01_RETURN_IF_FAILED(sequence);
    std::vector<int32_t> tokens = randomTokens(
        past, static_cast<uint32_t>(2 * n), session.forward().vocabulary);
    for (int64_t done = 0; done < past;) {
      int64_t chunk = std::min(session.maxStepTokens(), past - done);
      StepItem item{*sequence, std::span(tokens).subspan(done, chunk),
                    LogitRows::None};
      MM01_RETURN_IF_FAILED(session.advance({&item, 1}));
      done += chunk;
      progress.show(n * past + done, count * past);
    }
    Result<SnapshotId> snapshot = session.snapshot(*sequence);
    MM01_RETURN_IF_FAILED(snapshot);
    MM01_RETURN_IF_FAILED(session.release(*sequence));
    snapshots.push_back(*snapshot);
  }
  return snapshots;
}

Result<BenchResult> mm01::benchForward(Model &model, const std::string &entry,
                                       bool graphs, Settings &settings) {
  Result<ForwardSpec> spec =
      ForwardSpec::find(model.program().manifest(), entry);
  MM01_RETURN_IF_FAILED(spec);
  const Manifest &manifest = model.program().manifest();
  Result<int64_t> tokens = settings.integer("tokens", 1, 1, manifest.maxTokens);
  MM01_RETURN_IF_FAILED(tokens);
  Result<int64_t> sequences =
      settings.integer("sequences", 1, 1, manifest.maxSequences);
  MM01_RETURN_IF_FAILED(sequences);
  Result<int64_t> singles =
      settings.integer("singles", 0, 0, manifest.maxSequences - *sequences);
  MM01_RETURN_IF_FAILED(singles);
  Result<int64_t> past = settings.integer("past", 0, 0, spec->maxPositions);
  MM01_RETURN_IF_FAILED(past);
  Result<Repetition> repetition = Repetition::read(settings);
  MM01_RETURN_IF_FAILED(repetition);
  MM01_RETURN_IF_FAILED(settings.checkAllKnown());
  const int64_t all = *sequences + *singles;
  const int64_t stepTokens = *sequences * *tokens + *singles;
  // A step would say so, too, but only when every past is made.
  if (stepTokens > manifest.maxTokens)
    return Status::error("a step of ", stepTokens,
                         " tokens, the program takes at most ",
                         manifest.maxTokens);
  if (*tokens > spec->maxPositions - *past)
    return Status::error("past of ", *past, " tokens and ", *tokens,
                         " more, the model has at most ", spec->maxPositions,
                         " positions");

  SessionOptions options;
  options.entry = entry;
  options.graphs = graphs;
  options.maxSequences = all;
  // A sequence and its snapshot share the past but for its last, partial page.
  options.maxPositions = all * (*past + *tokens + pageSize);
  Result<Session> session = Session::create(model.program(), model.weights(),
                                            model.executor(), options);
  MM01_RETURN_IF_FAILED(session);
  Result<std::vector<SnapshotId>> pasts = makePasts(*session, all, *past);
  MM01_RETURN_IF_FAILED(pasts);

  std::vector<std::vector<int32_t>> inputs;
  inputs.reserve(all);
  for (int64_t n = 0; n < all; ++n)
    inputs.push_back(randomTokens(n < *singles ? 1 : *tokens,
                                  static_cast<uint32_t>(2 * n + 1),
                                  spec->vocabulary));
  std::vector<StepItem> items;
  auto prepare = [&]() -> Status {
    for (const StepItem &item : items)
      MM01_RETURN_IF_FAILED(session->release(item.sequence));
    items.clear();
    for (int64_t n = 0; n < all; ++n) {
      Result<SequenceId> sequence = session->restore((*pasts)[n]);
      MM01_RETURN_IF_FAILED(sequence);
      items.push_back({*sequence, inputs[n], LogitRows::Last});
    }
    return Status();
  };
  Result<std::vector<double>> seconds = repetition->measure(
      model.device(), prepare, [&] { return session->advance(items); });
  MM01_RETURN_IF_FAILED(seconds);

  BenchResult result;
  result.repetition = *repetition;
  result.seconds = *std::move(seconds);
  result.tokens = stepTokens;
  result.sizes = {{"tokens", *tokens},
                  {"sequences", *sequences},
                  {"singles", *singles},
                  {"past", *past}};
  return result;
}
