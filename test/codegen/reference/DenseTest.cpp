//===- DenseTest.cpp - embedding, norm, linear, head, rotary --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/codegen/reference/Support.h"

#include <cmath>

using namespace mm01::reference;

namespace {
class DenseTest : public ReferenceTest {};
} // namespace

TEST_F(DenseTest, EmbeddingLooksUpRows) {
  parse(
      R"(func.func @f(%ids: tensor<?xi32>, %table: !mm01.weight<3x2xbf16>, %out: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %x = mm01.embedding %ids, %table into %out : tensor<?xi32>, !mm01.weight<3x2xbf16> into tensor<?x2xf32>
    return %x : tensor<?x2xf32>
  })");
  Values results = run({integers({3}, {2, 0, 2}),
                        weight("!mm01.weight<3x2xbf16>", {1, 2, 3, 4, 5, 6}),
                        floats({3, 2}, {0, 0, 0, 0, 0, 0})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0], {5, 6, 1, 2, 5, 6});
}

TEST_F(DenseTest, RmsNormDividesByTheRootMeanSquare) {
  parse(
      R"(func.func @f(%x: tensor<?x2xf32>, %w: !mm01.weight<2xf32>, %out: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %y = mm01.rms_norm %x, %w into %out {eps = 1.5} : tensor<?x2xf32>, !mm01.weight<2xf32> into tensor<?x2xf32>
    return %y : tensor<?x2xf32>
  })");
  // (3² + 4²) / 2 + 1.5 = 14; (1² + 2²) / 2 + 1.5 = 4.
  Values results = run({floats({2, 2}, {3, 4, 1, 2}),
                        weight("!mm01.weight<2xf32>", {10, 100}),
                        floats({2, 2}, {0, 0, 0, 0})});
  ASSERT_EQ(results.size(), 1u);
  double root = std::sqrt(14.0);
  expectNear(results[0], {30 / root, 400 / root, 5, 100});
}

TEST_F(DenseTest, LinearMultipliesByTheTranspose) {
  parse(
      R"(func.func @f(%x: tensor<?x2xf32>, %w: !mm01.weight<3x2xf32>, %out: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %y = mm01.linear %x, %w into %out : tensor<?x2xf32>, !mm01.weight<3x2xf32> into tensor<?x3xf32>
    return %y : tensor<?x3xf32>
  })");
  Values results = run({floats({2, 2}, {1, 2, 3, 4}),
                        weight("!mm01.weight<3x2xf32>", {1, 0, 0, 1, 1, 10}),
                        floats({2, 3}, std::vector<double>(6, 9))});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0], {1, 2, 21, 3, 4, 43});
}

TEST_F(DenseTest, HeadProjectsChosenRows) {
  parse(
      R"(func.func @f(%x: tensor<?x2xf32>, %rows: tensor<?xi32>, %w: !mm01.weight<2x2xf32>, %out: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %y = mm01.head %x, %rows, %w into %out : tensor<?x2xf32>, tensor<?xi32>, !mm01.weight<2x2xf32> into tensor<?x2xf32>
    return %y : tensor<?x2xf32>
  })");
  Values results =
      run({floats({3, 2}, {1, 2, 3, 4, 5, 6}), integers({2}, {2, 0}),
           weight("!mm01.weight<2x2xf32>", {1, 1, 1, -1}),
           floats({2, 2}, std::vector<double>(4, 9))});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0], {11, -1, 3, -1});
}

// rotary_dim 4 of 5 features with theta 4: pairs (0, 2) and (1, 3), the second
// at half the angle; feature 4 passes through. Positions are those of the
// sequence, not of the batch.
TEST_F(DenseTest, RotaryTurnsPairsByThePosition) {
  parse(
      R"(func.func @f(%x: tensor<?x1x5xf32>, %r: !mm01.ragged, %out: tensor<?x1x5xf32>) -> tensor<?x1x5xf32> {
    %y = mm01.rotary %x, %r into %out {rotary_dim = 4, theta = 4.0} : tensor<?x1x5xf32> into tensor<?x1x5xf32>
    return %y : tensor<?x1x5xf32>
  })");
  Values results = run({floats({2, 1, 5}, {1, 2, 3, 4, 5, 1, 2, 3, 4, 5}),
                        ragged({1, 1}, {0, 3}, {0, 1}),
                        floats({2, 1, 5}, std::vector<double>(10, 9))});
  ASSERT_EQ(results.size(), 1u);
  double c = std::cos(3.0), s = std::sin(3.0), c2 = std::cos(1.5),
         s2 = std::sin(1.5);
  expectNear(results[0], {1, 2, 3, 4, 5, c - 3 * s, 2 * c2 - 4 * s2, 3 * c + s,
                          4 * c2 + 2 * s2, 5});
}

// At position 2^22 the float32 of position · frequency is off in the second
// decimal; the angle here must be right to 1e-9.
TEST_F(DenseTest, RotaryIsExactFarOut) {
  parse(
      R"(func.func @f(%x: tensor<?x1x4xf32>, %r: !mm01.ragged, %out: tensor<?x1x4xf32>) -> tensor<?x1x4xf32> {
    %y = mm01.rotary %x, %r into %out {rotary_dim = 4, theta = 9.0} : tensor<?x1x4xf32> into tensor<?x1x4xf32>
    return %y : tensor<?x1x4xf32>
  })");
  Values results =
      run({floats({1, 1, 4}, {0, 1, 0, 0}), ragged({1}, {4194305}, {0}),
           floats({1, 1, 4}, {0, 0, 0, 0})});
  ASSERT_EQ(results.size(), 1u);
  double angle = static_cast<double>(std::fmod(4194305.0L / 3.0L, 2 * M_PIl));
  EXPECT_NEAR(floatElements(results[0])[1], std::cos(angle), 1e-9);
  EXPECT_NEAR(floatElements(results[0])[3], std::sin(angle), 1e-9);
}
