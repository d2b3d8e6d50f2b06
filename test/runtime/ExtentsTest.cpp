//===- ExtentsTest.cpp - extents that must be equal ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

#include "runtime/core/Extents.h"

using namespace mm01;
using namespace mm01::test;

namespace {

/// Arguments of each kind that has extents: a matrix, a ragged batch and an
/// index.
class Extents : public ::testing::Test {
protected:
  Extents() {
    ArgumentSpec matrix, ragged, index;
    matrix.shape = {-1, -1};
    ragged.kind = ArgumentKind::Ragged;
    index.kind = ArgumentKind::Scalar;
    index.type = ElementType::Index;
    entry.arguments = {matrix, ragged, index};
    batch.tokens = 5;
    batch.sequences = 2;
    batch.pages = 3;
  }

  std::string check(std::vector<ExtentRule> rules) {
    entry.extentRules = std::move(rules);
    const mm01_argument arguments[] = {
        {nullptr, shape}, {&batch, nullptr}, {&index, nullptr}};
    return checkExtents(entry, arguments).message();
  }

  EntrySpec entry;
  int64_t shape[2] = {5, 3};
  int64_t index = 3;
  mm01_ragged batch{};
};

} // namespace

TEST_F(Extents, AcceptsWhatIsEqual) {
  EXPECT_EQ(check({}), "");
  EXPECT_EQ(check({{{1, 0}, ExtentPlace{0, 0}},
                   {{2, 0}, ExtentPlace{0, 1}},
                   {{1, 2}, ExtentPlace{2, 0}},
                   {{0, 1}, std::nullopt, 3},
                   {{1, 1}, std::nullopt, 2}}),
            "");
}

TEST_F(Extents, NamesWhatDiffers) {
  EXPECT_EQ(check({{{0, 1}, ExtentPlace{0, 0}}}),
            "argument 0 has extent 3 in dimension 1, expected 5 as argument 0 "
            "has in dimension 0");
  EXPECT_EQ(check({{{1, 1}, ExtentPlace{0, 0}}}),
            "argument 1 has 2 sequences, expected 5 as argument 0 has in "
            "dimension 0");
  EXPECT_EQ(check({{{2, 0}, ExtentPlace{1, 0}}}),
            "argument 2 is 3, expected 5 as argument 1 has tokens");
  EXPECT_EQ(check({{{1, 0}, ExtentPlace{2, 0}}}),
            "argument 1 has 5 tokens, expected 3 as argument 2 is");
  EXPECT_EQ(check({{{1, 2}, std::nullopt, 4}}),
            "argument 1 has 3 pages a sequence, expected 4");
}

namespace {

/// A cache [2, 4, 64, 1, 8], a batch of two sequences and a layer.
class Caches : public ::testing::Test {
protected:
  Caches() {
    ArgumentSpec cache, ragged, layer;
    cache.shape = {-1, -1, 64, 1, 8};
    ragged.kind = ArgumentKind::Ragged;
    layer.kind = ArgumentKind::Scalar;
    layer.type = ElementType::Index;
    entry.arguments = {cache, ragged, layer};
    batch = {.tokens = 3, .sequences = 2, .pages = 2};
    batch.seq_offsets = offsets;
    batch.past = past;
    batch.slot = slot;
    batch.page_table = table;
  }

  std::string check(CacheUse::Rows rows, std::optional<size_t> by = {},
                    int64_t layers = 0) {
    entry.cacheUses = {{0, rows, 1, by, layers}};
    const mm01_argument arguments[] = {
        {nullptr, shape}, {&batch, nullptr}, {&layer, nullptr}};
    return checkExtents(entry, arguments).message();
  }

  static constexpr CacheUse::Rows slots = CacheUse::Rows::Slots;
  static constexpr CacheUse::Rows pages = CacheUse::Rows::Pages;
  EntrySpec entry;
  int64_t shape[5] = {2, 4, 64, 1, 8};
  int64_t layer = 1;
  int32_t offsets[3] = {0, 1, 3}, past[2] = {63, 63}, slot[2] = {3, 0};
  int32_t table[4] = {3, 9, 0, 2}; // sequence 0 ends on its first page
  mm01_ragged batch{};
};

} // namespace

TEST_F(Caches, AcceptsWhatFits) {
  EXPECT_EQ(check(slots), "");
  EXPECT_EQ(check(pages), "");
  EXPECT_EQ(check(pages, 2), "");
  EXPECT_EQ(check(slots, std::nullopt, 2), "");
}

TEST_F(Caches, RefusesLayersSlotsAndPagesOutside) {
  for (int64_t outside : {int64_t(-1), int64_t(2)}) {
    layer = outside;
    EXPECT_EQ(check(slots, 2), concat("argument 2 is ", outside,
                                      ", expected a layer of argument 0, "
                                      "which has 2"));
  }
  EXPECT_EQ(check(slots, std::nullopt, 3),
            "argument 0 has extent 2 in dimension 0, expected at least 3 "
            "layers");
  slot[1] = 4;
  EXPECT_EQ(check(slots), "argument 0 has extent 4 in dimension 1, expected "
                          "at least 5 for the slots of argument 1");
  table[3] = 7;
  EXPECT_EQ(check(pages), "argument 0 has extent 4 in dimension 1, expected "
                          "at least 8 for the pages of argument 1");
}

TEST_F(Caches, RefusesTablesOfTooFewPages) {
  shape[2] = 32;
  EXPECT_EQ(check(pages), "argument 1 has 2 pages a sequence, too few for "
                          "pages of 32 positions in argument 0");
  shape[2] = 0;
  EXPECT_NE(check(pages), "");
}

TEST_F(Caches, IgnoresPagesOfSequencesWithoutTokens) {
  offsets[1] = 0;
  offsets[2] = 0;
  past[0] = past[1] = 5000;
  table[0] = 100;
  EXPECT_EQ(check(pages), "");
}
