//===- SessionErrorsTest.cpp - refused steps change nothing ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/session/ToyModel.h"

#include <limits>

using namespace mm01;

namespace {

/// A session of two sequences with some tokens in each. After a refused step
/// both must go on as if it had not been tried.
class SessionErrors : public testing::Test {
protected:
  SessionErrors() {
    firstTokens = randomTokens(random, 70);
    secondTokens = randomTokens(random, 20);
    Rows unused[2];
    ToyModel::append(session,
                     {{first, firstTokens, LogitRows::None},
                      {second, secondTokens, LogitRows::None}},
                     {&unused[0], &unused[1]});
  }

  void expectRefused(std::vector<StepItem> items, const std::string &message) {
    int64_t pages = session.freePages();
    EXPECT_EQ(session.step(items).message(), message);
    EXPECT_EQ(session.freePages(), pages);
    expectUnchanged();
  }

  /// Feeds one token to a copy of each sequence and compares with what the
  /// sequence gives alone.
  void expectUnchanged() {
    expectContinues(first, firstTokens);
    expectContinues(second, secondTokens);
  }

  void expectContinues(SequenceId sequence, Tokens tokens) {
    EXPECT_EQ(*session.length(sequence), static_cast<int64_t>(tokens.size()));
    SnapshotId snapshot = *session.snapshot(sequence);
    SequenceId copy = *session.restore(snapshot);
    tokens.push_back(3);
    Rows rows;
    ToyModel::append(
        session, {{copy, std::span(tokens).last(1), LogitRows::All}}, {&rows});
    EXPECT_EQ(rows.back(), model.alone(tokens).back());
    ASSERT_TRUE(session.release(copy).ok());
    ASSERT_TRUE(session.drop(snapshot).ok());
  }

  ToyModel model;
  std::mt19937 random{4};
  Session session = model.session(4, 300);
  SequenceId first = *session.createSequence();
  SequenceId second = *session.createSequence();
  Tokens firstTokens, secondTokens;
  Tokens some = {1, 2, 3};
};

TEST_F(SessionErrors, NoItems) {
  expectRefused({}, "a step without sequences, expected at least one");
}

TEST_F(SessionErrors, NoTokens) {
  expectRefused({{first, some}, {second, {}}},
                "sequence 1 has no tokens in this step, expected at least 1");
}

TEST_F(SessionErrors, UnknownSequence) {
  expectRefused({{first, some}, {99, some}},
                "no sequence 99: it was never created, or released");
}

TEST_F(SessionErrors, SequenceTwice) {
  expectRefused({{first, some}, {second, some}, {first, some}},
                "sequence 0 is in the step twice, expected once");
}

TEST_F(SessionErrors, BadTokens) {
  Tokens over = {1, 16};
  Tokens negative = {-1};
  expectRefused({{first, some}, {second, over}},
                "sequence 1: token 1 is 16, expected 0 to 15");
  expectRefused({{first, some}, {second, negative}},
                "sequence 1: token 0 is -1, expected 0 to 15");
}

TEST_F(SessionErrors, TooManyTokens) {
  Tokens many(toyMaxTokens - 2, 1);
  expectRefused({{first, some}, {second, many}},
                "a step of 97 tokens, the program takes at most 96");
}

TEST_F(SessionErrors, TooManySequences) {
  Session wide = model.session(toyMaxSequences + 1, 100);
  std::vector<StepItem> items;
  for (int64_t n = 0; n <= toyMaxSequences; ++n)
    items.push_back({*wide.createSequence(), some});
  EXPECT_EQ(wide.step(items).message(),
            "a step of 9 sequences, the program takes at most 8");
  items.pop_back();
  EXPECT_TRUE(wide.step(items).ok());
}

TEST_F(SessionErrors, TooManyPositions) {
  Session deep = model.session(1, toyMaxPositions + 64);
  SequenceId sequence = *deep.createSequence();
  Tokens chunk(50, 1);
  StepItem item{sequence, chunk};
  for (int64_t i = 0; i < toyMaxPositions / 50; ++i)
    ASSERT_TRUE(deep.step({&item, 1}).ok());
  EXPECT_EQ(deep.step({&item, 1}).message(),
            "sequence 0 of 1000 tokens and 50 more, the model has at most 1000 "
            "positions");
}

TEST_F(SessionErrors, NoFreePages) {
  // (300 + 4 * 63) / 64 is 8 pages. The two sequences hold 3 of them, a third
  // gets 4, and checking that a sequence is unchanged takes the last one.
  Tokens many(60, 1);
  SequenceId third = *session.createSequence();
  StepItem item{third, many};
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(session.step({&item, 1}).ok());
  EXPECT_EQ(session.freePages(), 1);
  ASSERT_TRUE(session.release(third).ok());
  EXPECT_EQ(session.freePages(), 5);
  third = *session.createSequence();
  item.sequence = third;
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(session.step({&item, 1}).ok());

  Tokens toNextPage(59, 1); // 70 tokens + 59 are one more than two pages
  SnapshotId snapshot = *session.snapshot(second);
  expectRefused(
      {{first, toNextPage}, {second, some}},
      "no free pages: the step needs 2 pages of 64 positions, 1 of 8 are free");
  ASSERT_TRUE(session.drop(snapshot).ok());
  EXPECT_TRUE(
      session.step(std::vector<StepItem>{{first, toNextPage}, {second, some}})
          .ok());
  EXPECT_EQ(session.freePages(), 0);
}

TEST_F(SessionErrors, NoFreeSlots) {
  ASSERT_TRUE(session.createSequence().ok());
  SequenceId last = *session.createSequence();
  EXPECT_EQ(session.createSequence().message(),
            "no free slot: all 4 sequences of the session are in use");
  ASSERT_TRUE(session.release(last).ok());
  EXPECT_TRUE(session.createSequence().ok());
}

TEST_F(SessionErrors, FailingProgramLosesItsSequencesOnly) {
  Tokens failing(4, toyFailing);
  int64_t pages = session.freePages();
  StepItem item{second, failing};
  EXPECT_TRUE(session.step({&item, 1}).failed());
  EXPECT_EQ(session.freePages(), pages);
  expectContinues(first, firstTokens);
  item.tokens = some;
  EXPECT_EQ(session.step({&item, 1}).message(),
            "sequence 1 is lost: the program failed while it changed it");
  EXPECT_EQ(session.snapshot(second).message(),
            "sequence 1 is lost: the program failed while it changed it");
  ASSERT_TRUE(session.release(second).ok());
  EXPECT_TRUE(session.createSequence().ok());
}

TEST_F(SessionErrors, ImpossibleSessions) {
  auto message = [&](int64_t sequences, int64_t positions) {
    SessionOptions options;
    options.maxSequences = sequences;
    options.maxPositions = positions;
    return Session::create(model.program, model.weights, model.executor,
                           options)
        .message();
  };
  EXPECT_EQ(message(0, 64), "a session of 0 sequences, expected 1 to "
                            "2147483647");
  EXPECT_EQ(message(1, 0),
            "a session of 1 sequences and 0 positions, expected 1 to "
            "68719476704 positions in at most 2147483647 pages");
  EXPECT_NE(message(1, std::numeric_limits<int64_t>::max()), "");
  // 68 G positions of 64 bytes are 4 TiB.
  std::string large = message(1, 68719476704);
  EXPECT_TRUE(
      large.starts_with("the caches of 1 sequences and 1073741824 pages need "))
      << large;
  SessionOptions options;
  options.entry = "scale";
  std::string wrong =
      Session::create(model.program, model.weights, model.executor, options)
          .message();
  EXPECT_TRUE(wrong.ends_with("entry scale has no argument of role tokens, "
                              "expected an inference entry"))
      << wrong;
}

} // namespace
