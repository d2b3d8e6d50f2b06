//===- SamplerTest.cpp - what the sampler asks of a program's helper ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With the helper of ToyProgram.c; that of the compiler is tested in
// test/codegen/sampling.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/session/ToyModel.h"

#include <cmath>
#include <limits>
#include <set>

using namespace mm01;

namespace {

constexpr int64_t kVocabulary = 16;
using Row = std::vector<float>;

class SamplerTest : public testing::Test {
protected:
  ToyModel model;

  Sampler make(const SamplerOptions &options) {
    return ToyModel::valueOf(
        Sampler::create(model.program, model.executor, kVocabulary, options));
  }

  /// A row of these logits first, and of tokens that nobody draws.
  static Row row(Row logits) {
    logits.resize(kVocabulary, -INFINITY);
    return logits;
  }

  static SampledToken one(Sampler &sampler, const Row &logits, Draw draw = {}) {
    return ToyModel::valueOf(
        sampler.sample(logits.data(), std::span(&draw, 1)))[0];
  }
};

TEST_F(SamplerTest, GreedyTakesTheLowestOfEqualLogits) {
  Sampler sampler = make({});
  EXPECT_EQ(*one(sampler, row({1, 3, 2, 3})).get(), 1);
  EXPECT_EQ(*one(sampler, row({-INFINITY, -1e30f})).get(), 1);
}

TEST_F(SamplerTest, RowsOfOneCall) {
  Sampler sampler = make({.temperature = 1, .seed = 3});
  Row rows;
  std::vector<Draw> draws;
  for (uint64_t i = 0; i < 40; ++i) {
    for (int64_t v = 0; v < kVocabulary; ++v)
      rows.push_back(static_cast<float>((i * 7 + v * v) % 5));
    draws.push_back({i % 4, i});
  }
  Result<std::vector<SampledToken>> all = sampler.sample(rows.data(), draws);
  ASSERT_TRUE(all.ok()) << all.message();
  ASSERT_EQ(all->size(), draws.size());
  for (size_t i = 0; i < draws.size(); ++i) {
    Row alone(rows.begin() + i * kVocabulary,
              rows.begin() + (i + 1) * kVocabulary);
    EXPECT_EQ((*all)[i].token, one(sampler, alone, draws[i]).token) << i;
  }
  EXPECT_TRUE(sampler.sample(nullptr, {})->empty());
}

TEST_F(SamplerTest, DrawDependsOnSeedSequenceAndStepOnly) {
  Row logits(kVocabulary, 0.0f);
  Sampler first = make({.temperature = 1, .seed = 7});
  Sampler second = make({.temperature = 1, .seed = 7});
  std::set<int32_t> bySequence, byStep, bySeed;
  for (uint64_t i = 0; i < 40; ++i) {
    (void)one(second, logits, {5, i}); // other draws in between
    EXPECT_EQ(one(first, logits, {i, 3}).token,
              one(second, logits, {i, 3}).token);
    bySequence.insert(one(first, logits, {i, 0}).token);
    byStep.insert(one(first, logits, {0, i}).token);
    Sampler other = make({.temperature = 1, .seed = i});
    bySeed.insert(one(other, logits).token);
  }
  EXPECT_GT(bySequence.size(), 10u);
  EXPECT_GT(byStep.size(), 10u);
  EXPECT_GT(bySeed.size(), 10u);
  EXPECT_NE(randomDraw(1, 2, 3), randomDraw(1, 3, 2));
}

TEST_F(SamplerTest, OptionsReachTheHelper) {
  Row logits = row({0, 1, 2, 3});
  for (const SamplerOptions &options :
       {SamplerOptions{.temperature = 1, .topK = 1},
        SamplerOptions{.temperature = 1, .topP = 1e-300},
        SamplerOptions{.temperature = 1e-300}}) {
    Sampler sampler = make(options);
    for (uint64_t i = 0; i < 50; ++i)
      EXPECT_EQ(one(sampler, logits, {0, i}).token, 3);
  }
  // However great, a temperature is one.
  Sampler hot = make({.temperature = 1e300});
  std::set<int32_t> drawn;
  for (uint64_t i = 0; i < 50; ++i)
    drawn.insert(one(hot, logits, {0, i}).token);
  EXPECT_GE(drawn.size(), 4u);
}

TEST_F(SamplerTest, BadLogitsAreRefused) {
  for (double temperature : {0.0, 1.0}) {
    Sampler sampler = make({.temperature = temperature});
    EXPECT_EQ(one(sampler, row({0, NAN, 1})).get().message(),
              "logit of token 1 is NaN, expected a finite number");
    EXPECT_EQ(one(sampler, row({0, 1, INFINITY})).get().message(),
              "logit of token 2 is infinite, expected a finite number");
    EXPECT_EQ(one(sampler, row({})).get().message(),
              "all logits are -infinity, expected a finite one");
  }
}

TEST_F(SamplerTest, ProgramsWithoutTheHelperAreRefused) {
  Result<Sampler> sampler =
      Sampler::create(model.program, model.executor, kVocabulary + 1, {});
  ASSERT_TRUE(sampler.failed());
  EXPECT_NE(sampler.message().find("no function that chooses one of 17 tokens"),
            std::string::npos)
      << sampler.message();
}

TEST_F(SamplerTest, BadOptionsAreRefused) {
  auto refused = [](SamplerOptions options) {
    return checkSamplerOptions(options).failed();
  };
  EXPECT_FALSE(refused({}));
  EXPECT_TRUE(refused({.temperature = -1}));
  EXPECT_TRUE(refused({.temperature = NAN}));
  EXPECT_TRUE(refused({.temperature = INFINITY}));
  EXPECT_TRUE(refused({.topK = -1}));
  EXPECT_TRUE(refused({.topP = 0}));
  EXPECT_TRUE(refused({.topP = 1.5}));
  EXPECT_TRUE(refused({.topP = NAN}));
  EXPECT_TRUE(
      Sampler::create(model.program, model.executor, kVocabulary, {.topK = -1})
          .failed());
}

} // namespace
