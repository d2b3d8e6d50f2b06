//===- GenerateTest.cpp - a batch of prompts gives what each gives alone --===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/session/ToyModel.h"

#include <algorithm>

using namespace mm01;

namespace {

class GenerateTest : public testing::Test {
protected:
  ToyModel model;
  std::mt19937 random{5};

  Result<GenerateResult> run(const std::vector<Tokens> &prompts,
                             const GenerateOptions &options) {
    Session session = ToyModel::valueOf(Session::create(
        model.program, model.weights, model.executor,
        sessionFor(model.program.manifest(), prompts, options.maxNewTokens)));
    int64_t pages = session.freePages();
    int64_t slots = session.freeSlots();
    Result<GenerateResult> result = generate(session, prompts, options);
    EXPECT_EQ(session.freePages(), pages);
    EXPECT_EQ(session.freeSlots(), slots);
    return result;
  }

  /// Greedy continuation by full forwards.
  Tokens greedy(Tokens tokens, int64_t count) {
    Tokens made;
    while (static_cast<int64_t>(made.size()) < count) {
      std::vector<float> logits = model.alone(tokens).back();
      made.push_back(static_cast<int32_t>(
          std::max_element(logits.begin(), logits.end()) - logits.begin()));
      tokens.push_back(made.back());
      if (made.back() == toyEnd)
        break;
    }
    return made;
  }
};

TEST_F(GenerateTest, MorePromptsThanSlotsLongerThanAStep) {
  std::vector<Tokens> prompts;
  for (size_t length : {1, 300, 2, 64, 97, 1, 250, 33, 5, 128, 63, 7})
    prompts.push_back(randomTokens(random, length));
  GenerateOptions options;
  options.maxNewTokens = 9;
  Result<GenerateResult> result = run(prompts, options);
  ASSERT_TRUE(result.ok()) << result.message();
  int64_t read = 0;
  for (size_t i = 0; i < prompts.size(); ++i) {
    EXPECT_EQ(result->tokens[i], greedy(prompts[i], 9)) << "prompt " << i;
    read += prompts[i].size();
  }
  EXPECT_EQ(result->prefillTokens, read);
  EXPECT_GT(result->prefillSeconds, 0);
}

TEST_F(GenerateTest, StopsAtTheEndOfSequence) {
  // At this temperature all tokens are as good as equal.
  std::vector<Tokens> prompts(6, Tokens{1, 2, 3});
  GenerateOptions options;
  options.maxNewTokens = 400;
  options.sampler.temperature = 1e9;
  options.sampler.seed = 11;
  Result<GenerateResult> result = run(prompts, options);
  ASSERT_TRUE(result.ok()) << result.message();
  for (const Tokens &tokens : result->tokens) {
    EXPECT_LT(tokens.size(), 400u);
    EXPECT_EQ(std::count(tokens.begin(), tokens.end(), toyEnd), 1);
    EXPECT_EQ(tokens.back(), toyEnd);
  }
}

TEST_F(GenerateTest, DrawsDoNotDependOnTheBatch) {
  std::vector<Tokens> prompts = {randomTokens(random, 5),
                                 randomTokens(random, 80)};
  GenerateOptions options;
  options.maxNewTokens = 5;
  options.sampler.temperature = 1;
  options.sampler.topK = 8;
  Result<GenerateResult> alone = run({prompts[0]}, options);
  Result<GenerateResult> both = run(prompts, options);
  Result<GenerateResult> again = run(prompts, options);
  ASSERT_TRUE(alone.ok()) << alone.message();
  ASSERT_TRUE(both.ok()) << both.message();
  EXPECT_EQ(alone->tokens[0], both->tokens[0]);
  EXPECT_EQ(both->tokens, again->tokens);
}

TEST_F(GenerateTest, Progress) {
  std::vector<Tokens> prompts = {randomTokens(random, 120), {1}};
  Session session = model.session(2, 400);
  GenerateOptions options;
  options.maxNewTokens = 4;
  int64_t last = 0;
  Result<GenerateResult> result =
      generate(session, prompts, options, [&](int64_t done, int64_t total) {
        EXPECT_EQ(total, 121 + 8);
        EXPECT_GT(done, last);
        EXPECT_LE(done, total);
        last = done;
      });
  ASSERT_TRUE(result.ok()) << result.message();
}

TEST_F(GenerateTest, BadPrompts) {
  Session session = model.session(2, 400);
  GenerateOptions options;
  auto message = [&](const std::vector<Tokens> &prompts) {
    return generate(session, prompts, options).message();
  };
  EXPECT_EQ(message({}), "no prompts, expected at least one");
  EXPECT_EQ(message({{1}, {}}),
            "prompt 1 has no tokens, expected at least one");
  EXPECT_EQ(message({{1}, {2, 16}}),
            "prompt 1: token 1 is 16, expected 0 to 15");
  EXPECT_EQ(message({Tokens(990, 1)}),
            "prompt 0 of 990 tokens and 16 new ones, the model has at most "
            "1000 positions");
  options.sampler.topP = 2;
  EXPECT_EQ(message({{1}}),
            "top-p is 2.000000, expected more than 0 and at most 1");
  options.maxNewTokens = 0;
  EXPECT_EQ(message({{1}}), "0 new tokens, expected at least 1");
}

} // namespace
