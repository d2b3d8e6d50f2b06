//===- RoutesTest.cpp - experts recorded and replayed ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

#include <cmath>

using namespace mm01::reference;

namespace {

/// Two tokens to two of three experts, twice: by the logits and by these
/// backwards in sign.
class RoutesTest : public ReferenceTest {
protected:
  void SetUp() override {
    parse(R"(
      func.func @f(%l: tensor<?x3xf32>, %w: tensor<?x2xf32>, %e: tensor<?x2xi32>)
          -> (tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x2xi32>) {
        %n = arith.negf %l : tensor<?x3xf32>
        %a, %b = mm01.route %l into %w, %e : tensor<?x3xf32> into tensor<?x2xf32>, tensor<?x2xi32>
        %c, %d = mm01.route %n into %w, %e : tensor<?x3xf32> into tensor<?x2xf32>, tensor<?x2xi32>
        return %a, %b, %d : tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x2xi32>
      })");
    arguments = {floats({2, 3}, {1, 2, 3, 0, 0, -1}),
                 floats({2, 2}, {0, 0, 0, 0}), integers({2, 2}, {0, 0, 0, 0})};
  }

  Tensor route(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> experts) {
    return Tensor::integers(shape, type("i32"), experts);
  }

  /// What is said when these routes are replayed.
  std::string refusal(const Routes &routes) {
    Options options;
    options.replayRoutes = &routes;
    auto results = interpret(*module, "f", arguments, options);
    return results ? "" : toString(results.takeError());
  }

  Values arguments;
};

} // namespace

TEST_F(RoutesTest, Records) {
  Routes routes;
  Options options;
  options.recordRoutes = &routes;
  run(arguments, options);
  ASSERT_EQ(routes.size(), 2u);
  EXPECT_EQ(integerElements(routes[0]), (std::vector<int64_t>{2, 1, 0, 1}));
  EXPECT_EQ(integerElements(routes[1]), (std::vector<int64_t>{0, 1, 2, 0}));
}

// The experts are the recorded ones, the shares those of this run's logits.
TEST_F(RoutesTest, Replays) {
  Routes routes = {route({2, 2}, {0, 2, 1, 2}), route({2, 2}, {1, 2, 0, 1})};
  Routes again;
  Options options;
  options.replayRoutes = &routes;
  options.recordRoutes = &again;
  Values results = run(arguments, options);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(integerElements(results[1]), (std::vector<int64_t>{0, 2, 1, 2}));
  EXPECT_EQ(integerElements(results[2]), (std::vector<int64_t>{1, 2, 0, 1}));
  auto share = [](double a, double b) {
    return std::exp(a) / (std::exp(a) + std::exp(b));
  };
  expectNear(results[0],
             {share(1, 3), share(3, 1), share(0, -1), share(-1, 0)});
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(integerElements(again[0]), integerElements(results[1]));
}

TEST_F(RoutesTest, RefusesRoutesOfAnotherRun) {
  Tensor fits = route({2, 2}, {0, 2, 1, 2});
  auto says = [&](const Routes &routes, const char *words) {
    std::string message = refusal(routes);
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  says({fits}, "is execution 1, expected no more than the 1 recorded routes");
  says({fits, fits, fits}, "took 2 of the 3 recorded routes, expected all");
  says({route({1, 2}, {0, 1}), fits},
       "recorded route 0 has the shape [1, 2], expected [2, 2]");
  says({route({2, 2}, {0, 3, 1, 2}), fits},
       "the recorded expert 3 is none of the 3, or is there twice");
  says({route({2, 2}, {0, 0, 1, 2}), fits},
       "the recorded expert 0 is none of the 3, or is there twice");
}
