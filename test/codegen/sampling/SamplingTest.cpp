//===- SamplingTest.cpp - what helpers draw, how often, and what not ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that mm01-add-sampling adds, compiled for the CPU and called as
// the runtime calls them, beside a sorted row in doubles and the probabilities.
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/CpuDevice.h"
#include "runtime/session/Sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

using namespace mm01;

namespace {

using Row = std::vector<float>;

class SamplingTest : public testing::Test {
protected:
  void SetUp() override {
    Result<Program> opened = Program::open(MM01_SAMPLING_PROGRAM);
    ASSERT_TRUE(opened.ok()) << opened.message();
    program.emplace(*std::move(opened));
  }

  /// Tokens of rows of one size, each drawn for the sequence of its number.
  std::vector<SampledToken> sample(const std::vector<Row> &rows,
                                   const SamplerOptions &options,
                                   uint64_t step = 0) {
    std::vector<float> logits;
    std::vector<Draw> draws;
    for (const Row &row : rows) {
      logits.insert(logits.end(), row.begin(), row.end());
      draws.push_back({draws.size(), step});
    }
    Result<Sampler> sampler = Sampler::create(
        *program, executor, static_cast<int64_t>(rows[0].size()), options);
    EXPECT_TRUE(sampler.ok()) << sampler.message();
    Result<std::vector<SampledToken>> found =
        sampler->sample(logits.data(), draws);
    EXPECT_TRUE(found.ok()) << found.message();
    return *std::move(found);
  }

  int32_t greedy(const Row &row) { return *sample({row}, {})[0].get(); }

  /// How often each token of a row is drawn.
  std::vector<int64_t> count(const Row &row, SamplerOptions options,
                             int64_t draws) {
    options.seed = 7;
    std::vector<int64_t> counts(row.size());
    std::vector<Row> rows(1000, row);
    for (int64_t step = 0; step < draws / 1000; ++step)
      for (const SampledToken &sampled :
           sample(rows, options, static_cast<uint64_t>(step)))
        ++counts[*sampled.get()];
    return counts;
  }

  void expectLikeReference(const std::vector<Row> &rows,
                           SamplerOptions options);

  std::optional<Program> program;
  CpuDevice device{2};
  Executor executor{device};
};

/// The token of a row by the op's description, from a sorted row.
int32_t drawSorted(const Row &row, const SamplerOptions &options,
                   uint64_t sequence) {
  std::vector<int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return row[a] > row[b]; });
  if (options.temperature == 0)
    return order[0];
  std::vector<double> weights(row.size());
  for (size_t v = 0; v < row.size(); ++v)
    weights[v] =
        std::exp((double{row[v]} - row[order[0]]) / options.temperature);
  auto sum = [&] {
    double total = 0;
    for (int32_t v : order)
      total += weights[v];
    return total;
  };
  if (options.topK > 0)
    order.resize(std::min<size_t>(order.size(), options.topK));
  if (options.topP < 1) {
    double wanted = options.topP * sum(), reached = 0;
    size_t kept = 0;
    while (kept == 0 || (kept < order.size() && reached < wanted))
      reached += weights[order[kept++]];
    order.resize(kept);
  }
  std::sort(order.begin(), order.end());
  long double draw = std::ldexp(
      static_cast<long double>(randomDraw(options.seed, sequence, 0)), -64);
  long double all = sum();
  double before = 0;
  for (int32_t v : order) {
    before += weights[v];
    if (std::fma(-draw, all, static_cast<long double>(before)) > 0)
      return v;
  }
  return order.back();
}

void SamplingTest::expectLikeReference(const std::vector<Row> &rows,
                                       SamplerOptions options) {
  // As the helper gets them.
  options.temperature = static_cast<float>(options.temperature);
  options.topP = static_cast<float>(options.topP);
  std::vector<SampledToken> found = sample(rows, options);
  for (size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(*found[i].get(), drawSorted(rows[i], options, i))
        << "row " << i << " of " << rows[i].size() << ", temperature "
        << options.temperature << ", top-k " << options.topK << ", top-p "
        << options.topP << ", seed " << options.seed;
}

/// Chi-squared of counts against probabilities; a token of probability 0 must
/// never be drawn. With 5 degrees of freedom 30 has a chance of 1e-5, and the
/// draws are always the same.
void expectDistribution(const std::vector<int64_t> &counts,
                        const std::vector<double> &probabilities) {
  double draws = static_cast<double>(
      std::accumulate(counts.begin(), counts.end(), int64_t{0}));
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

std::vector<double> softmax(const Row &logits, double temperature,
                            const std::set<size_t> &kept) {
  std::vector<double> p(logits.size());
  double sum = 0;
  for (size_t i : kept)
    sum += p[i] = std::exp(logits[i] / temperature);
  for (double &x : p)
    x /= sum;
  return p;
}

/// A row of `size` tokens: these, then some that nobody draws.
Row widened(Row row, size_t size) {
  row.resize(size, -INFINITY);
  return row;
}

constexpr int64_t kDraws = 60000;

} // namespace

TEST_F(SamplingTest, GreedyTakesTheLowestOfEqualLogits) {
  EXPECT_EQ(greedy(widened({1, 3, 2, 3}, 6)), 1);
  EXPECT_EQ(greedy({-5}), 0);
  EXPECT_EQ(greedy(widened({-INFINITY, -1e30f}, 6)), 1);
  EXPECT_EQ(greedy({-0.0f, 0.0f, -0.0f, -1e-45f, -1, -2}), 0);
  EXPECT_EQ(greedy({-3e-45f, -1e-45f, -3, -1e-45f, -1, -2}), 1);
  // Equal ones on both sides of the end of a part, and the last token.
  Row row(10000, -1.0f);
  row[4095] = row[4096] = row[9999] = 2;
  EXPECT_EQ(greedy(row), 4095);
  row[4095] = 1;
  EXPECT_EQ(greedy(row), 4096);
  row[4096] = 1;
  EXPECT_EQ(greedy(row), 9999);
}

TEST_F(SamplingTest, DistributionOfTemperature) {
  Row logits = {0.0f, 1.0f, 2.0f, -1.0f, 0.5f, 1.5f};
  for (double temperature : {0.5, 1.0, 3.0})
    expectDistribution(count(logits, {.temperature = temperature}, kDraws),
                       softmax(logits, temperature, {0, 1, 2, 3, 4, 5}));
}

TEST_F(SamplingTest, DistributionOfTopK) {
  Row logits = {0.0f, 1.0f, 2.0f, -1.0f, 1.0f, 1.5f};
  // Of the equal logits of tokens 1 and 4 the third place goes to token 1.
  expectDistribution(count(logits, {.temperature = 1, .topK = 3}, kDraws),
                     softmax(logits, 1, {1, 2, 5}));
  expectDistribution(count(logits, {.temperature = 1, .topK = 100}, kDraws),
                     softmax(logits, 1, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(count(logits, {.temperature = 1, .topK = 1}, 1000)[2], 1000);
}

TEST_F(SamplingTest, DistributionOfTopP) {
  // Probabilities 0.1, 0.4, 0.2, 0.3: the nucleus of 0.65 is {1, 3}.
  Row logits;
  for (double p : {0.1, 0.4, 0.2, 0.3})
    logits.push_back(static_cast<float>(std::log(p)));
  logits = widened(logits, 6);
  expectDistribution(count(logits, {.temperature = 1, .topP = 0.65}, kDraws),
                     softmax(logits, 1, {1, 3}));
  expectDistribution(count(logits, {.temperature = 1, .topP = 0.75}, kDraws),
                     softmax(logits, 1, {1, 2, 3}));
  // However small, the nucleus has one token.
  EXPECT_EQ(count(logits, {.temperature = 1, .topP = 1e-300}, 1000)[1], 1000);
  // After top-k 2 the shares are 4/7 and 3/7.
  EXPECT_EQ(count(logits, {.temperature = 1, .topK = 2, .topP = 0.5}, 1000)[1],
            1000);
}

// Tokens of both ends of parts and of groups in them, as likely as others.
TEST_F(SamplingTest, DistributionOverParts) {
  Row logits(10000, -INFINITY);
  std::vector<size_t> places = {0, 63, 64, 4095, 4096, 9999};
  for (size_t i = 0; i < places.size(); ++i)
    logits[places[i]] = 0.25f * static_cast<float>(i);
  std::vector<int64_t> counts = count(logits, {.temperature = 1}, kDraws);
  std::vector<double> all = softmax(logits, 1, {places.begin(), places.end()});
  expectDistribution(counts, all);
}

TEST_F(SamplingTest, NucleusOfManyTokens) {
  // 10,000 equal tokens: the nucleus of a half is the lower 5,000 ids.
  std::vector<Row> rows(1000, Row(10000, 0.25f));
  int32_t highest = 0;
  for (const SampledToken &sampled :
       sample(rows, {.temperature = 1, .topP = 0.5}))
    highest = std::max(highest, *sampled.get());
  EXPECT_LT(highest, 5000);
  EXPECT_GE(highest, 4980);
}

TEST_F(SamplingTest, LargeLogitsDoNotOverflow) {
  std::vector<int64_t> counts =
      count(widened({3e38f, 3e38f, -3e38f}, 6), {.temperature = 1e-3}, 1000);
  EXPECT_GT(counts[0], 400);
  EXPECT_GT(counts[1], 400);
  EXPECT_EQ(counts[0] + counts[1], 1000);
}

TEST_F(SamplingTest, ExtremeTemperatures) {
  Row logits = {0.0f, 1.0f, 0.5f, 1.0f, -2.0f, -INFINITY};
  for (double temperature : {1e-300, 1e-38, 1e-10})
    expectDistribution(count(logits, {.temperature = temperature}, 10000),
                       {0, 0.5, 0, 0.5, 0, 0});
  expectDistribution(count(logits, {.temperature = 1e300}, kDraws),
                     {0.2, 0.2, 0.2, 0.2, 0.2, 0});
}

TEST_F(SamplingTest, LikeASortedRow) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  for (size_t size : {1, 6, 64, 4096, 10000, 12288}) {
    std::vector<Row> rows;
    for (int kind = 0; kind < 5; ++kind)
      for (int i = 0; i < 4; ++i) {
        Row &row = rows.emplace_back(size);
        for (float &logit : row) {
          float x = normal(random);
          logit = kind == 0   ? 3 * x
                  : kind == 1 ? std::round(2 * x) // ties
                  : kind == 2 ? (x < 0.5f ? -INFINITY : 5 * x)
                  : kind == 3 ? -20 + 0.01f * x
                              : 1.5f; // all equal
        }
        row[random() % size] = kind == 4 ? 1.5f : 3.0f; // a finite one
      }
    auto n = static_cast<int64_t>(size);
    for (double temperature : {0.0, 0.3, 1.0, 2.5})
      for (int64_t topK :
           {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{50}, n - 1, n, 2 * n})
        for (double topP : {1.0, 0.9, 0.3, 1e-9})
          expectLikeReference(rows, {.temperature = temperature,
                                     .topK = std::max<int64_t>(topK, 0),
                                     .topP = topP,
                                     .seed = random()});
  }
}

// The token of a row is the same alone, in a batch, and with other threads.
TEST_F(SamplingTest, DoesNotDependOnBatchOrThreads) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<Row> rows(9, Row(10000));
  for (Row &row : rows)
    for (float &logit : row)
      logit = 3 * normal(random);
  SamplerOptions options{.temperature = 0.8, .topK = 500, .topP = 0.95};
  std::vector<SampledToken> expected = sample(rows, options);
  for (int threads : {1, 5}) {
    CpuDevice other(threads);
    Executor otherExecutor(other);
    Result<Sampler> sampler =
        Sampler::create(*program, otherExecutor, 10000, options);
    ASSERT_TRUE(sampler.ok()) << sampler.message();
    for (size_t i = 0; i < rows.size(); ++i) {
      Draw draw{i, 0};
      Result<std::vector<SampledToken>> alone =
          sampler->sample(rows[i].data(), std::span(&draw, 1));
      ASSERT_TRUE(alone.ok()) << alone.message();
      EXPECT_EQ((*alone)[0].token, expected[i].token) << "row " << i;
    }
  }
}

TEST_F(SamplingTest, BadLogitsAreRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Row late(10000, 0.0f);
  late[9998] = -nan;
  late[9999] = INFINITY;
  for (const SamplerOptions &options :
       {SamplerOptions{}, SamplerOptions{.temperature = 1},
        SamplerOptions{.temperature = 1, .topK = 3, .topP = 0.5}}) {
    auto message = [&](const Row &row) {
      return sample({Row(row.size()), row}, options)[1].get().message();
    };
    EXPECT_EQ(message({0, nan, 1, 2, nan, 0}),
              "logit of token 1 is NaN, expected a finite number");
    EXPECT_EQ(message({0, -nan, 1, INFINITY, nan, 0}),
              "logit of token 1 is NaN, expected a finite number");
    EXPECT_EQ(message({0, 1, INFINITY, nan, -INFINITY, 2}),
              "logit of token 2 is infinite, expected a finite number");
    EXPECT_EQ(message(Row(6, -INFINITY)),
              "all logits are -infinity, expected a finite one");
    EXPECT_EQ(message(late),
              "logit of token 9998 is NaN, expected a finite number");
    EXPECT_EQ(message({nan}),
              "logit of token 0 is NaN, expected a finite number");
    EXPECT_EQ(message({-INFINITY}),
              "all logits are -infinity, expected a finite one");
  }
}
