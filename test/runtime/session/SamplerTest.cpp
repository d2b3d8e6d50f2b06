//===- SamplerTest.cpp - what is drawn, how often, and what is refused ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/session/Sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

using namespace mm01;

static Sampler make(double temperature, int64_t topK = 0, double topP = 1,
                    uint64_t seed = 7) {
  return *Sampler::create({temperature, topK, topP, seed});
}

/// How often each token is drawn in `draws` draws.
static std::vector<int64_t>
count(Sampler sampler, const std::vector<float> &logits, int64_t draws) {
  std::vector<int64_t> counts(logits.size());
  for (int64_t step = 0; step < draws; ++step)
    ++counts[*sampler.sample(logits, /*sequence=*/step % 3, step)];
  return counts;
}

/// Chi-squared of counts against probabilities; a token of probability 0 must
/// never be drawn. With 5 degrees of freedom 30 has a chance of 1e-5, and the
/// draws are always the same.
static void expectDistribution(const std::vector<int64_t> &counts,
                               const std::vector<double> &probabilities,
                               int64_t draws) {
  double chiSquared = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    double expected = probabilities[i] * draws;
    if (expected == 0)
      EXPECT_EQ(counts[i], 0) << "token " << i;
    else
      chiSquared += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  EXPECT_LT(chiSquared, 30);
}

static std::vector<double> softmax(const std::vector<float> &logits,
                                   double temperature,
                                   const std::set<size_t> &kept) {
  std::vector<double> p(logits.size());
  double sum = 0;
  for (size_t i : kept)
    sum += p[i] = std::exp(logits[i] / temperature);
  for (double &x : p)
    x /= sum;
  return p;
}

TEST(Sampler, GreedyTakesTheLowestOfEqualLogits) {
  Sampler sampler = make(0);
  EXPECT_EQ(*sampler.sample(std::vector<float>{1, 3, 2, 3}, 0, 0), 1);
  EXPECT_EQ(*sampler.sample(std::vector<float>{-5}, 0, 0), 0);
  EXPECT_EQ(*sampler.sample(std::vector<float>{-INFINITY, -1e30f}, 0, 0), 1);
}

TEST(Sampler, DistributionOfTemperature) {
  std::vector<float> logits = {0.0f, 1.0f, 2.0f, -1.0f, 0.5f, 1.5f};
  for (double temperature : {0.5, 1.0, 3.0})
    expectDistribution(count(make(temperature), logits, 60000),
                       softmax(logits, temperature, {0, 1, 2, 3, 4, 5}), 60000);
}

TEST(Sampler, DistributionOfTopK) {
  std::vector<float> logits = {0.0f, 1.0f, 2.0f, -1.0f, 1.0f, 1.5f};
  // Of the equal logits of tokens 1 and 4 the third place goes to token 1.
  expectDistribution(count(make(1, 3), logits, 60000),
                     softmax(logits, 1, {1, 2, 5}), 60000);
  expectDistribution(count(make(1, 100), logits, 60000),
                     softmax(logits, 1, {0, 1, 2, 3, 4, 5}), 60000);
  EXPECT_EQ(count(make(1, 1), logits, 100)[2], 100);
}

TEST(Sampler, DistributionOfTopP) {
  // Probabilities 0.1, 0.4, 0.2, 0.3: the nucleus of 0.65 is {1, 3}.
  std::vector<float> logits;
  for (double p : {0.1, 0.4, 0.2, 0.3})
    logits.push_back(static_cast<float>(std::log(p)));
  expectDistribution(count(make(1, 0, 0.65), logits, 60000),
                     softmax(logits, 1, {1, 3}), 60000);
  expectDistribution(count(make(1, 0, 0.75), logits, 60000),
                     softmax(logits, 1, {1, 2, 3}), 60000);
  // However small, the nucleus has one token.
  EXPECT_EQ(count(make(1, 0, 1e-300), logits, 100)[1], 100);
  // After top-k 2 the shares are 4/7 and 3/7.
  EXPECT_EQ(count(make(1, 2, 0.5), logits, 100)[1], 100);
}

TEST(Sampler, NucleusOfManyTokens) {
  // 10,000 equal tokens: the nucleus of a half is the lower 5,000 ids, which is
  // more than the sampler sorts at first.
  std::vector<float> logits(10000, 0.25f);
  Sampler sampler = make(1, 0, 0.5);
  int32_t highest = 0;
  for (uint64_t step = 0; step < 300; ++step)
    highest = std::max(highest, *sampler.sample(logits, 0, step));
  EXPECT_LE(highest, 5000);
  EXPECT_GE(highest, 4800);
}

TEST(Sampler, LargeLogitsDoNotOverflow) {
  std::vector<float> logits = {3e38f, 3e38f, -3e38f};
  std::vector<int64_t> counts = count(make(1e-3), logits, 1000);
  EXPECT_GT(counts[0], 400);
  EXPECT_GT(counts[1], 400);
  EXPECT_EQ(counts[2], 0);
}

TEST(Sampler, DrawDependsOnSeedSequenceAndStepOnly) {
  std::vector<float> logits(64, 0.0f);
  Sampler first = make(1);
  Sampler second = make(1);
  for (uint64_t step = 0; step < 20; ++step)
    (void)second.sample(logits, 5, step); // other draws in between
  std::set<int32_t> bySequence, byStep, bySeed;
  for (uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(*first.sample(logits, i, 3), *second.sample(logits, i, 3));
    bySequence.insert(*first.sample(logits, i, 0));
    byStep.insert(*first.sample(logits, 0, i));
    bySeed.insert(*make(1, 0, 1, i).sample(logits, 0, 0));
  }
  EXPECT_GT(bySequence.size(), 10u);
  EXPECT_GT(byStep.size(), 10u);
  EXPECT_GT(bySeed.size(), 10u);
}

TEST(Sampler, BadLogitsAreRefused) {
  for (double temperature : {0.0, 1.0}) {
    Sampler sampler = make(temperature);
    EXPECT_EQ(sampler.sample(std::vector<float>{0, NAN, 1}, 0, 0).message(),
              "logit of token 1 is NaN, expected a finite number");
    EXPECT_EQ(
        sampler.sample(std::vector<float>{0, 1, INFINITY}, 0, 0).message(),
        "logit of token 2 is infinite, expected a finite number");
    EXPECT_EQ(sampler.sample(std::vector<float>(3, -INFINITY), 0, 0).message(),
              "all logits are -infinity, expected a finite one");
    EXPECT_EQ(sampler.sample({}, 0, 0).message(), "no logits to sample from");
  }
}

TEST(Sampler, BadOptionsAreRefused) {
  auto refused = [](SamplerOptions options) {
    return Sampler::create(options).failed();
  };
  EXPECT_TRUE(refused({.temperature = -1}));
  EXPECT_TRUE(refused({.temperature = NAN}));
  EXPECT_TRUE(refused({.temperature = INFINITY}));
  EXPECT_TRUE(refused({.topK = -1}));
  EXPECT_TRUE(refused({.topP = 0}));
  EXPECT_TRUE(refused({.topP = 1.5}));
  EXPECT_TRUE(refused({.topP = NAN}));
}
