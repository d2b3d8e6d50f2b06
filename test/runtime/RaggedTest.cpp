//===- RaggedTest.cpp - batches that are and are not allowed -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

#include "runtime/core/Ragged.h"

using namespace mm01;
using namespace mm01::test;

namespace {

using Ints = std::vector<int32_t>;

const RaggedLimits limits{200, 3, 8, 10};

void refuses(Ints offsets, Ints past, Ints slot, Ints pages,
             std::initializer_list<const char *> words,
             const RaggedLimits &given = limits) {
  Result<RaggedBatch> batch =
      RaggedBatch::create(offsets, past, slot, pages, given);
  ASSERT_TRUE(batch.failed()) << words.begin()[0];
  expectLine(batch.message(), words);
}

} // namespace

TEST(Ragged, PlacesTokens) {
  Result<RaggedBatch> made = RaggedBatch::create(
      {0, 2, 3, 6}, {0, 64, 63}, {5, 0, 7}, {9, -1, 8, 1, 2, 3}, limits);
  ASSERT_TRUE(made.ok()) << made.message();
  RaggedBatch batch = *std::move(made);
  const mm01_ragged *ragged = batch.get();
  EXPECT_EQ(ragged->tokens, 6);
  EXPECT_EQ(ragged->sequences, 3);
  EXPECT_EQ(ragged->pages, 2);
  EXPECT_EQ(Ints(ragged->token_sequence, ragged->token_sequence + 6),
            (Ints{0, 0, 1, 2, 2, 2}));
  EXPECT_EQ(Ints(ragged->token_position, ragged->token_position + 6),
            (Ints{0, 1, 64, 63, 64, 65}));
  EXPECT_EQ(ragged->several, 2);
  EXPECT_EQ(Ints(ragged->several_sequence, ragged->several_sequence + 3),
            (Ints{0, 2, 0}));
  EXPECT_EQ(ragged->seq_offsets[3], 6);
  EXPECT_EQ(ragged->past[1], 64);
  EXPECT_EQ(ragged->slot[2], 7);
  EXPECT_EQ(ragged->page_table[3], 1);
}

TEST(Ragged, RefusesOffsets) {
  refuses({}, {}, {}, {}, {"ragged.seq_offsets", "at least 2", "found 0"});
  refuses({0}, {}, {}, {}, {"ragged.seq_offsets", "at least 2"});
  refuses({1, 2}, {0}, {0}, {0}, {"seq_offsets[0]", "expected 0"});
  refuses({0, 2, 2}, {0, 0}, {0, 1}, {0, 1}, {"seq_offsets[2]", "more than 2"});
  refuses({0, 5, 3}, {0, 0}, {0, 1}, {0, 1}, {"seq_offsets[2]", "found 3"});
  refuses({0, 201}, {0}, {0}, {0, 1, 2, 3}, {"201 tokens", "200"});
  refuses({0, 1, 2, 3, 4}, {0, 0, 0, 0}, {0, 1, 2, 3}, {0, 1, 2, 3},
          {"4 sequences", "at most 3"});
}

TEST(Ragged, RefusesPast) {
  refuses({0, 1}, {}, {0}, {0}, {"ragged.past", "expected 1", "found 0"});
  refuses({0, 1}, {-1}, {0}, {0}, {"past[0]", "found -1"});
  refuses({0, 1}, {INT32_MAX}, {0}, {0}, {"past[0]", "at most 2147483646"});
}

TEST(Ragged, RefusesSlots) {
  refuses({0, 1}, {0}, {0, 1}, {0}, {"ragged.slot", "expected 1", "found 2"});
  refuses({0, 1}, {0}, {8}, {0}, {"slot[0]", "less than 8", "found 8"});
  refuses({0, 1}, {0}, {-1}, {0}, {"slot[0]", "found -1"});
  refuses({0, 1, 2}, {0, 0}, {3, 3}, {0, 1}, {"slot[1]", "slot[0]"});
}

TEST(Ragged, RefusesPages) {
  refuses({0, 1, 2}, {0, 0}, {0, 1}, {0}, {"page_table", "multiple of 2"});
  refuses({0, 1}, {0}, {0}, {}, {"page_table", "at least 1 columns"});
  refuses({0, 2}, {63}, {0}, {0}, {"page_table", "2 columns", "65 positions"});
  refuses({0, 1}, {0}, {0}, {10}, {"page_table[0, 0]", "less than 10"});
  refuses({0, 1}, {64}, {0}, {-1, 0}, {"page_table[0, 0]", "found -1"});
  refuses({0, 1}, {64}, {0}, {4, 4}, {"page_table[0, 1]", "used 2 times"});
  // Sequence 0 reads what sequence 1 writes.
  refuses({0, 1, 2}, {64, 0}, {0, 1}, {4, 5, 4, 0},
          {"page_table[1, 0]", "page of its own"});
}

// A prefix of full pages may be shared: nobody writes to it.
TEST(Ragged, SharesFullPages) {
  EXPECT_TRUE(
      RaggedBatch::create({0, 1, 2}, {64, 64}, {0, 1}, {4, 5, 4, 6}, limits)
          .ok());
}

// A program without softmax attention has no pages, and no table of them.
TEST(Ragged, NeedsNoPagesWithoutKeys) {
  RaggedLimits none{200, 3, 8, std::nullopt};
  Result<RaggedBatch> batch =
      RaggedBatch::create({0, 100}, {1000}, {0}, {}, none);
  ASSERT_TRUE(batch.ok()) << batch.message();
  EXPECT_EQ(batch->get()->pages, 0);
}

// Sequences without tokens, tokens without a sequence, wider rows of pages.
TEST(Ragged, PadsToASize) {
  Result<RaggedBatch> batch =
      RaggedBatch::create({0, 1, 2}, {64, 0}, {5, 2}, {4, 5, 6, 0}, limits);
  ASSERT_TRUE(batch.ok()) << batch.message();
  batch->pad(4, 4, 3, 9);
  const mm01_ragged *ragged = batch->get();
  EXPECT_EQ(ragged->tokens, 4);
  EXPECT_EQ(ragged->sequences, 4);
  EXPECT_EQ(ragged->pages, 3);
  auto are = [](const int32_t *found, std::vector<int32_t> expected) {
    EXPECT_EQ(std::vector<int32_t>(found, found + expected.size()), expected);
  };
  are(ragged->seq_offsets, {0, 1, 2, 2, 2});
  are(ragged->past, {64, 0, 0, 0});
  are(ragged->slot, {5, 2, 0, 0});
  are(ragged->page_table, {4, 5, 0, 6, 0, 0, 9, 9, 9, 9, 9, 9});
  are(ragged->token_sequence, {0, 1, 3, 3});
  are(ragged->token_position, {64, 0, 0, 0});
  EXPECT_EQ(ragged->several, 0);
  are(ragged->several_sequence, {0, 0, 0, 0});
  // A batch of the size stays as it is.
  batch->pad(4, 4, 3, 7);
  are(ragged->page_table, {4, 5, 0, 6, 0, 0, 9, 9, 9, 9, 9, 9});
}
