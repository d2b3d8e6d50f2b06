//===- RaggedBatchTest.cpp - the compiled model in ragged batches ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each sequence of a ragged batch must have the logits that it has alone, to
// 1e-5: beside other lengths, after its slot was used by another sequence, and
// continued from a snapshot. Token ids come from a generator with seeds whose
// routing margins (the gap between the last expert chosen and the first that is
// not) were computed in float64 and exceed 1e-4, so that no rounding can change
// a choice of experts.
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/CpuDevice.h"
#include "runtime/session/Session.h"

#include <cmath>
#include <gtest/gtest.h>
#include <optional>

using namespace mm01;

namespace {

using Tokens = std::vector<int32_t>;
using Rows = std::vector<float>;

constexpr int64_t kVocabulary = 256;
constexpr double kTolerance = 1e-5;

/// A sequence of known routing margin.
struct Text {
  int64_t length;
  uint64_t seed;
};
constexpr Text kTexts[] = {{1, 1},   {2, 1},   {31, 1},  {33, 1},
                           {255, 9}, {256, 1}, {257, 5}, {320, 3}};
constexpr Text kLong = {700, 58};

Tokens tokensOf(const Text &text) {
  uint64_t state = text.seed * 1000 + static_cast<uint64_t>(text.length);
  Tokens tokens;
  for (int64_t i = 0; i < text.length; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    tokens.push_back(static_cast<int32_t>((state >> 33) % kVocabulary));
  }
  return tokens;
}

/// What one sequence does in the batch under test.
struct Member {
  Tokens tokens;
  int64_t before = 0; ///< tokens fed in earlier steps
  SequenceId id = 0;
};

class RaggedBatchTest : public testing::Test {
protected:
  void SetUp() override {
    Result<Program> opened = Program::open(MM01_TINY_A_PROGRAM);
    ASSERT_TRUE(opened.ok()) << opened.message();
    program.emplace(*std::move(opened));
    Result<Weights> bound =
        Weights::bind(program->manifest(), MM01_TINY_A, device);
    ASSERT_TRUE(bound.ok()) << bound.message();
    weights.emplace(*std::move(bound));
  }

  Session session(int64_t sequences) {
    Result<Session> made = Session::create(
        *program, *weights, executor,
        {.maxSequences = sequences, .maxPositions = sequences * 704});
    EXPECT_TRUE(made.ok()) << made.message();
    return *std::move(made);
  }

  /// One step; the rows of all items, one item after another.
  static Rows step(Session &session, const std::vector<StepItem> &items) {
    Result<StepLogits> logits = session.step(items);
    EXPECT_TRUE(logits.ok()) << logits.message();
    return logits.ok() ? Rows(logits->values.begin(), logits->values.end())
                       : Rows();
  }

  Rows alone(const Tokens &tokens) {
    Session one = session(1);
    SequenceId id = *one.createSequence();
    return step(one, {{id, tokens, LogitRows::All}});
  }

  static SequenceId create(Session &session) {
    Result<SequenceId> id = session.createSequence();
    EXPECT_TRUE(id.ok()) << id.message();
    return *id;
  }

  /// Compares rows [first, …) of `expected` with `rows`.
  static void expectRows(const Rows &expected, int64_t first,
                         std::span<const float> rows, int64_t length) {
    for (size_t i = 0; i < rows.size(); ++i)
      ASSERT_NEAR(rows[i], expected[first * kVocabulary + i], kTolerance)
          << "length " << length << ", row " << first + i / kVocabulary
          << ", logit " << i % kVocabulary;
  }

  /// Feeds what each member still has in one ragged step and compares.
  void finishTogether(Session &session, std::vector<Member> &members) {
    std::vector<StepItem> items;
    for (Member &member : members)
      items.push_back({member.id,
                       std::span(member.tokens).subspan(member.before),
                       LogitRows::All});
    Rows rows = step(session, items);
    size_t at = 0;
    for (Member &member : members) {
      int64_t length = static_cast<int64_t>(member.tokens.size());
      size_t count = (length - member.before) * kVocabulary;
      ASSERT_LE(at + count, rows.size());
      expectRows(alone(member.tokens), member.before,
                 std::span(rows).subspan(at, count), length);
      at += count;
    }
    EXPECT_EQ(at, rows.size());
  }

  CpuDevice device{2};
  Executor executor{device};
  std::optional<Program> program;
  std::optional<Weights> weights;
};

/// Eight and more lengths in one step, some fresh, some with a past.
TEST_F(RaggedBatchTest, FreshAndContinuing) {
  Session batch = session(12);
  std::vector<Member> members;
  for (const Text &text : kTexts)
    members.push_back({tokensOf(text)});
  members.push_back({tokensOf(kLong)});
  // The same texts again, cut where blocks and pages begin and end.
  for (auto [text, before] :
       {std::pair(kTexts[3], 2), std::pair(kTexts[6], 256),
        std::pair(kTexts[7], 63)})
    members.push_back({tokensOf(text), before});
  for (Member &member : members) {
    member.id = create(batch);
    if (member.before)
      step(batch, {{member.id, std::span(member.tokens).first(member.before),
                    LogitRows::None}});
  }
  finishTogether(batch, members);
}

/// A slot and pages that other sequences filled must not be seen.
TEST_F(RaggedBatchTest, ReusedSlots) {
  Session batch = session(8);
  std::vector<SequenceId> former;
  for (int i = 0; i < 8; ++i) {
    former.push_back(create(batch));
    step(batch, {{former.back(), tokensOf(kTexts[7 - i]), LogitRows::None}});
  }
  for (SequenceId id : former)
    ASSERT_TRUE(batch.release(id).ok());
  std::vector<Member> members;
  for (const Text &text : kTexts) {
    members.push_back({tokensOf(text)});
    members.back().id = create(batch);
  }
  finishTogether(batch, members);
}

/// A snapshot holds keys, values and the state that belongs to them: what is
/// appended to its source later does not reach it.
TEST_F(RaggedBatchTest, RestoredSnapshot) {
  Session batch = session(4);
  Tokens text = tokensOf(kTexts[7]);
  SequenceId source = create(batch);
  step(batch, {{source, std::span(text).first(100), LogitRows::None}});
  Result<SnapshotId> snapshot = batch.snapshot(source);
  ASSERT_TRUE(snapshot.ok()) << snapshot.message();
  Tokens other = tokensOf(kTexts[4]);
  step(batch, {{source, other, LogitRows::None}});

  std::vector<Member> members;
  for (int i = 0; i < 2; ++i) {
    Result<SequenceId> restored = batch.restore(*snapshot);
    ASSERT_TRUE(restored.ok()) << restored.message();
    members.push_back({text, 100, *restored});
  }
  members.push_back({other, 0, create(batch)});
  finishTogether(batch, members);
}

/// One token at a time, all sequences together: the decode of a server.
TEST_F(RaggedBatchTest, DecodeTogether) {
  Session batch = session(8);
  std::vector<Member> members;
  std::vector<Rows> expected;
  for (size_t i = 2; i < std::size(kTexts); ++i) {
    members.push_back({tokensOf(kTexts[i])});
    Member &member = members.back();
    member.before = static_cast<int64_t>(member.tokens.size()) - 16;
    member.id = create(batch);
    step(batch, {{member.id, std::span(member.tokens).first(member.before),
                  LogitRows::None}});
    expected.push_back(alone(member.tokens));
  }
  for (int64_t i = 0; i < 16; ++i) {
    std::vector<StepItem> items;
    for (Member &member : members)
      items.push_back(
          {member.id, std::span(member.tokens).subspan(member.before + i, 1)});
    Rows rows = step(batch, items);
    ASSERT_EQ(rows.size(), members.size() * kVocabulary);
    for (size_t n = 0; n < members.size(); ++n)
      expectRows(expected[n], members[n].before + i,
                 std::span(rows).subspan(n * kVocabulary, kVocabulary),
                 static_cast<int64_t>(members[n].tokens.size()));
  }
}

} // namespace
