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
