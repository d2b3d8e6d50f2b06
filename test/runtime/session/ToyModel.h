//===- ToyModel.h - the toy program, loaded, with random weights ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TEST_RUNTIME_SESSION_TOYMODEL_H
#define MM01_TEST_RUNTIME_SESSION_TOYMODEL_H

#include "runtime/cpu/CpuDevice.h"
#include "runtime/session/Generate.h"

#include <gtest/gtest.h>

#include <random>

namespace mm01 {

/// What ToyProgram.c says of itself.
inline constexpr int64_t toyMaxTokens = 96;      // in a step
inline constexpr int64_t toyMaxSequences = 8;    // in a step
inline constexpr int64_t toyMaxPositions = 1000; // of a sequence
inline constexpr int32_t toyEnd = 14;            // ends a sequence
inline constexpr int32_t toyFailing = 15;        // four make the entry fail

using Tokens = std::vector<int32_t>;
using Rows = std::vector<std::vector<float>>;

/// One program of ToyProgram.c with random weights.
class ToyModel {
public:
  explicit ToyModel(const std::string &path = TOY_PROGRAM)
      : program(valueOf(Program::open(path))), device(1), executor(device),
        weights(
            valueOf(Weights::bind(program.manifest(), "random:3", device))) {}

  /// The value, or a crash that shows the message: without a program no test
  /// of this folder makes sense.
  template <typename T> static T valueOf(Result<T> result) {
    if (result.failed()) {
      std::fprintf(stderr, "%s\n", result.message().c_str());
      std::abort();
    }
    return *std::move(result);
  }

  Session session(int64_t maxSequences, int64_t maxPositions) {
    SessionOptions options;
    options.maxSequences = maxSequences;
    options.maxPositions = maxPositions;
    return valueOf(Session::create(program, weights, executor, options));
  }

  /// The logits of all tokens of a sequence that has a session to itself.
  Rows alone(const Tokens &tokens) {
    Session session = this->session(1, tokens.size());
    SequenceId sequence = *session.createSequence();
    Rows rows;
    for (size_t done = 0; done < tokens.size();) {
      size_t count = std::min<size_t>(toyMaxTokens, tokens.size() - done);
      append(
          session,
          {{sequence, std::span(tokens).subspan(done, count), LogitRows::All}},
          {&rows});
      done += count;
    }
    return rows;
  }

  /// Runs a step of LogitRows::All and appends the rows of item i to *rows[i].
  static void append(Session &session, std::vector<StepItem> items,
                     std::vector<Rows *> rows) {
    Result<StepLogits> logits = session.step(items);
    ASSERT_TRUE(logits.ok()) << logits.message();
    for (size_t i = 0; i < items.size(); ++i)
      for (int64_t r = logits->firstRow[i]; r < logits->firstRow[i + 1]; ++r)
        rows[i]->emplace_back(logits->row(r).begin(), logits->row(r).end());
  }

  Program program;
  CpuDevice device;
  Executor executor;
  Weights weights;
};

/// Tokens that do not end a sequence and never make the entry fail.
inline Tokens randomTokens(std::mt19937 &random, size_t count) {
  Tokens tokens(count);
  for (int32_t &token : tokens)
    token = static_cast<int32_t>(random() % toyEnd);
  return tokens;
}

} // namespace mm01

#endif // MM01_TEST_RUNTIME_SESSION_TOYMODEL_H
