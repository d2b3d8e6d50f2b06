//===- SessionTest.cpp - every sequence gets what it gets alone -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logits are compared bit by bit: the toy program computes a sequence in the
// same order whatever the batch, so any difference is the session's fault.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/session/ToyModel.h"

#include <algorithm>

using namespace mm01;

namespace {

class SessionTest : public testing::Test {
protected:
  ToyModel model;
  std::mt19937 random{1};

  /// Feeds `tokens` to the sequence in one step and returns its rows.
  static Rows feed(Session &session, SequenceId sequence,
                   std::span<const int32_t> tokens) {
    Rows rows;
    ToyModel::append(session, {{sequence, tokens, LogitRows::All}}, {&rows});
    return rows;
  }

  /// The last `count` rows that the sequence of `tokens` has alone.
  Rows tail(const Tokens &tokens, size_t count) {
    Rows rows = model.alone(tokens);
    return Rows(rows.end() - count, rows.end());
  }
};

Tokens joined(const Tokens &a, const Tokens &b) {
  Tokens result = a;
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

TEST_F(SessionTest, RandomMixturesOfChunks) {
  const size_t lengths[] = {1, 2, 31, 33, 63, 64, 65, 128, 200, 257};
  Session session = model.session(10, 1000);
  std::vector<Tokens> tokens;
  std::vector<SequenceId> ids;
  std::vector<size_t> done(10, 0);
  std::vector<Rows> rows(10);
  for (size_t length : lengths) {
    tokens.push_back(randomTokens(random, length));
    ids.push_back(*session.createSequence());
  }
  for (bool more = true; more;) {
    more = false;
    std::vector<StepItem> items;
    std::vector<Rows *> targets;
    size_t room = toyMaxTokens;
    size_t first = random() % 10;
    for (size_t k = 0; k < 10; ++k) {
      size_t i = (first + k) % 10;
      size_t rest = tokens[i].size() - done[i];
      more |= rest > 0;
      if (rest == 0 || room == 0 || items.size() == toyMaxSequences ||
          random() % 3 == 0)
        continue;
      size_t most = random() % 2 ? 1 : 40;
      size_t count = 1 + random() % std::min({rest, room, most});
      items.push_back({ids[i], std::span(tokens[i]).subspan(done[i], count),
                       LogitRows::All});
      targets.push_back(&rows[i]);
      done[i] += count;
      room -= count;
    }
    if (!items.empty())
      ToyModel::append(session, items, targets);
  }
  for (size_t i = 0; i < 10; ++i)
    EXPECT_EQ(rows[i], model.alone(tokens[i])) << "length " << lengths[i];
}

TEST_F(SessionTest, WantedRows) {
  Session session = model.session(3, 100);
  Tokens tokens = randomTokens(random, 5);
  Rows expected = model.alone(tokens);
  std::vector<StepItem> items = {
      {*session.createSequence(), tokens, LogitRows::All},
      {*session.createSequence(), tokens, LogitRows::None},
      {*session.createSequence(), tokens, LogitRows::Last}};
  Result<StepLogits> logits = session.step(items);
  ASSERT_TRUE(logits.ok()) << logits.message();
  EXPECT_EQ(logits->firstRow, (std::vector<int64_t>{0, 5, 5, 6}));
  ASSERT_EQ(logits->rows(), 6);
  for (int64_t row = 0; row < 6; ++row)
    EXPECT_EQ(
        std::vector<float>(logits->row(row).begin(), logits->row(row).end()),
        expected[row < 5 ? row : 4]);
  for (StepItem &item : items)
    item.logits = LogitRows::None;
  logits = session.step(items);
  ASSERT_TRUE(logits.ok()) << logits.message();
  EXPECT_EQ(logits->rows(), 0);
}

TEST_F(SessionTest, ReusedSlotsAndPagesHoldNothingOfTheirLastSequence) {
  Session session = model.session(2, 200);
  for (int round = 0; round < 6; ++round) {
    SequenceId a = *session.createSequence();
    SequenceId b = *session.createSequence();
    Tokens first = randomTokens(random, 1 + random() % 90);
    Tokens second = randomTokens(random, 1 + random() % 90);
    EXPECT_EQ(feed(session, a, first), model.alone(first));
    EXPECT_EQ(feed(session, b, second), model.alone(second));
    ASSERT_TRUE(session.release(round % 2 ? a : b).ok());
    ASSERT_TRUE(session.release(round % 2 ? b : a).ok());
  }
  EXPECT_EQ(session.freeSlots(), 2);
}

TEST_F(SessionTest, LengthsAndIds) {
  Session session = model.session(2, 200);
  SequenceId a = *session.createSequence();
  EXPECT_EQ(*session.length(a), 0);
  feed(session, a, randomTokens(random, 70));
  EXPECT_EQ(*session.length(a), 70);
  ASSERT_TRUE(session.release(a).ok());
  EXPECT_NE(*session.createSequence(), a);
  EXPECT_TRUE(session.length(a).failed());
  EXPECT_EQ(session.release(a).message(),
            "no sequence 0: it was never created, or released");
}

TEST_F(SessionTest, SnapshotsBranch) {
  for (size_t length : {0, 1, 63, 64, 70, 90}) {
    Session session = model.session(3, 600);
    int64_t pages = session.freePages();
    Tokens prefix = randomTokens(random, length);
    SequenceId original = *session.createSequence();
    if (length > 0)
      feed(session, original, prefix);
    SnapshotId snapshot = *session.snapshot(original);
    SequenceId second = *session.restore(snapshot);
    SequenceId third = *session.restore(snapshot);
    EXPECT_EQ(*session.length(second), static_cast<int64_t>(length));

    // All three write to the shared page in the same step.
    Tokens more[3];
    Rows rows[3];
    for (Tokens &tokens : more)
      tokens = randomTokens(random, 30);
    ToyModel::append(session,
                     {{original, more[0], LogitRows::All},
                      {second, more[1], LogitRows::All},
                      {third, more[2], LogitRows::All}},
                     {&rows[0], &rows[1], &rows[2]});
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(rows[i], tail(joined(prefix, more[i]), 30)) << length;

    // The snapshot has not changed, and neither has it lost its pages.
    ASSERT_TRUE(session.release(original).ok());
    ASSERT_TRUE(session.release(second).ok());
    SequenceId again = *session.restore(snapshot);
    EXPECT_EQ(feed(session, again, more[2]), rows[2]) << length;
    ASSERT_TRUE(session.drop(snapshot).ok());
    ASSERT_TRUE(session.release(again).ok());
    ASSERT_TRUE(session.release(third).ok());
    EXPECT_EQ(session.freePages(), pages);
  }
}

TEST_F(SessionTest, LastHolderWritesWithoutACopy) {
  Session session = model.session(2, 200);
  SequenceId a = *session.createSequence();
  Tokens prefix = randomTokens(random, 10);
  feed(session, a, prefix);
  int64_t pages = session.freePages();

  // Two holders that both write: one copies, the other keeps the page.
  SnapshotId snapshot = *session.snapshot(a);
  SequenceId b = *session.restore(snapshot);
  ASSERT_TRUE(session.drop(snapshot).ok());
  EXPECT_EQ(session.freePages(), pages);
  Tokens one = randomTokens(random, 1), two = randomTokens(random, 1);
  Rows rowsA, rowsB;
  ToyModel::append(session,
                   {{a, one, LogitRows::All}, {b, two, LogitRows::All}},
                   {&rowsA, &rowsB});
  EXPECT_EQ(session.freePages(), pages - 1);
  EXPECT_EQ(rowsA, tail(joined(prefix, one), 1));
  EXPECT_EQ(rowsB, tail(joined(prefix, two), 1));
}

TEST_F(SessionTest, UnknownSnapshot) {
  Session session = model.session(1, 64);
  EXPECT_EQ(session.restore(5).message(),
            "no snapshot 5: it was never taken, or dropped");
  EXPECT_EQ(session.drop(5).message(),
            "no snapshot 5: it was never taken, or dropped");
  EXPECT_TRUE(session.snapshot(5).failed());
  SnapshotId snapshot = *session.snapshot(*session.createSequence());
  EXPECT_EQ(session.restore(snapshot).message(),
            "no free slot: all 1 sequences of the session are in use");
}

/// A sequence that goes on from a snapshot of another, in a session of `pages`
/// pages, has the rows of one that ran alone.
void expectRestored(ToyModel &model, int64_t pages, uint32_t seed) {
  std::mt19937 random{seed};
  Session session = model.session(2, pages);
  SequenceId a = *session.createSequence();
  Tokens tokens = randomTokens(random, 90);
  Rows rows;
  ToyModel::append(session, {{a, std::span(tokens).first(40), LogitRows::All}},
                   {&rows});
  SequenceId b = *session.restore(*session.snapshot(a));
  ToyModel::append(session, {{b, std::span(tokens).last(50), LogitRows::All}},
                   {&rows});
  EXPECT_EQ(rows, model.alone(tokens));
}

TEST(SessionWithout, Pages) {
  ToyModel model(TOY_PROGRAM_WITHOUT_PAGES);
  expectRestored(model, 1, 2);
}

TEST(SessionWithout, LightningState) {
  ToyModel model(TOY_PROGRAM_WITHOUT_STATE);
  expectRestored(model, 200, 3);
}

} // namespace
