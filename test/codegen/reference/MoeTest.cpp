//===- MoeTest.cpp - routing, dispatch, experts, combine ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

#include <cmath>

using namespace mm01::reference;

namespace {
class MoeTest : public ReferenceTest {};
} // namespace

// Shares of 1 : 3 by logits that differ by ln 3. In the second row all are
// equal: the lowest indices win. In the third the larger comes first.
TEST_F(MoeTest, RouteTakesTheLargestAndOnTiesTheFirst) {
  parse(
      R"(func.func @f(%l: tensor<?x3xf32>, %w: tensor<?x2xf32>, %e: tensor<?x2xi32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
    %a, %b = mm01.route %l into %w, %e : tensor<?x3xf32> into tensor<?x2xf32>, tensor<?x2xi32>
    return %a, %b : tensor<?x2xf32>, tensor<?x2xi32>
  })");
  double ln3 = std::log(3.0);
  Values results =
      run({floats({3, 3}, {-50, 1000, 1000 + ln3, 2, 2, 2, 5, 1, 5}),
           floats({3, 2}, std::vector<double>(6, 9)),
           integers({3, 2}, {9, 9, 9, 9, 9, 9})});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(integerElements(results[1]),
            (std::vector<int64_t>{2, 1, 0, 1, 0, 2}));
  std::vector<double> shares = floatElements(results[0]);
  std::vector<double> expected = {0.75, 0.25, 0.5, 0.5, 0.5, 0.5};
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(shares[i], expected[i], 1e-12);
}

// Experts 1, 0 and 1, 2 for two tokens: expert 0 gets token 0, expert 1 token 0
// then token 1, expert 2 token 1; expert 3 nothing.
TEST_F(MoeTest, DispatchSortsStablyByExpert) {
  parse(
      R"(func.func @f(%x: tensor<?x1xf32>, %e: tensor<?x2xi32>, %rows: tensor<?x1xf32>, %offsets: tensor<5xi32>, %p: tensor<?x2xi32>)
      -> (tensor<?x1xf32>, tensor<5xi32>, tensor<?x2xi32>) {
    %a, %b, %c = mm01.dispatch %x, %e into %rows, %offsets, %p
      : tensor<?x1xf32>, tensor<?x2xi32> into tensor<?x1xf32>, tensor<5xi32>, tensor<?x2xi32>
    return %a, %b, %c : tensor<?x1xf32>, tensor<5xi32>, tensor<?x2xi32>
  })");
  Values results =
      run({floats({2, 1}, {10, 20}), integers({2, 2}, {1, 0, 1, 2}),
           floats({4, 1}, {0, 0, 0, 0}), integers({5}, {9, 9, 9, 9, 9}),
           integers({2, 2}, {9, 9, 9, 9})});
  ASSERT_EQ(results.size(), 3u);
  expectNear(results[0], {10, 10, 20, 20});
  EXPECT_EQ(integerElements(results[1]), (std::vector<int64_t>{0, 1, 3, 4, 4}));
  EXPECT_EQ(integerElements(results[2]), (std::vector<int64_t>{1, 0, 2, 3}));
}

// Expert 0 has row 0, expert 1 none, expert 2 the others.
TEST_F(MoeTest, GroupedLinearUsesEachExpertsWeight) {
  parse(
      R"(func.func @f(%rows: tensor<?x2xf32>, %o: tensor<4xi32>, %w: !mm01.weight<3x1x2xf32>, %out: tensor<?x1xf32>) -> tensor<?x1xf32> {
    %y = mm01.grouped_linear %rows, %o, %w into %out : tensor<?x2xf32>, tensor<4xi32>, !mm01.weight<3x1x2xf32> into tensor<?x1xf32>
    return %y : tensor<?x1xf32>
  })");
  Values results =
      run({floats({3, 2}, {1, 2, 3, 4, 5, 6}), integers({4}, {0, 1, 1, 3}),
           weight("!mm01.weight<3x1x2xf32>", {1, 10, 7, 7, 1, 100}),
           floats({3, 1}, {0, 0, 0})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0], {21, 403, 605});
}

TEST_F(MoeTest, CombineAddsByShare) {
  parse(
      R"(func.func @f(%rows: tensor<?x2xf32>, %p: tensor<?x2xi32>, %w: tensor<?x2xf32>, %out: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %y = mm01.combine %rows, %p, %w into %out : tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x2xf32>
    return %y : tensor<?x2xf32>
  })");
  Values results =
      run({floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
           integers({2, 2}, {3, 0, 1, 2}), floats({2, 2}, {0.5, 2, 1, -1}),
           floats({2, 2}, std::vector<double>(4, 9))});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0], {5.5, 8, -2, -2});
}

// No tokens are no error: the result is empty.
TEST_F(MoeTest, NoTokens) {
  parse(
      R"(func.func @f(%rows: tensor<?x2xf32>, %p: tensor<?x2xi32>, %w: tensor<?x2xf32>, %out: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %y = mm01.combine %rows, %p, %w into %out : tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x2xf32>
    return %y : tensor<?x2xf32>
  })");
  Values results = run({floats({0, 2}, {}), integers({0, 2}, {}),
                        floats({0, 2}, {}), floats({0, 2}, {})});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(shapeOf(results[0]), (std::vector<int64_t>{0, 2}));
}
