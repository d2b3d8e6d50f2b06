//===- PhiloxTest.cpp - Philox and the weights made with it --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Philox.h"
#include "runtime/core/RandomWeights.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace mm01;
using Words = std::array<uint32_t, 4>;

// The known answers of the authors' library, Random123.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                       {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

static std::vector<float> make(uint64_t seed, const std::string &name,
                               const std::vector<int64_t> &shape, int64_t first,
                               int64_t count) {
  std::vector<float> values(count);
  RandomTensor(seed, name, shape)
      .fill(ElementType::F32, first, count, values.data());
  return values;
}

// A piece is the same whoever makes it, also when it starts inside a block of
// four.
TEST(RandomWeights, PiecesAgree) {
  std::vector<float> whole = make(7, "w", {10, 30}, 0, 300);
  for (int64_t first : {1, 2, 3, 4, 37})
    for (int64_t count : {1, 2, 5, 8, 100})
      EXPECT_EQ(make(7, "w", {10, 30}, first, count),
                std::vector<float>(whole.begin() + first,
                                   whole.begin() + first + count));
}

TEST(RandomWeights, SeedAndNameMatter) {
  EXPECT_NE(make(7, "w", {8, 8}, 0, 64), make(8, "w", {8, 8}, 0, 64));
  EXPECT_NE(make(7, "w", {8, 8}, 0, 64), make(7, "v", {8, 8}, 0, 64));
  EXPECT_NE(make(7, "w", {8, 8}, 0, 64),
            make(7 + (uint64_t(1) << 32), "w", {8, 8}, 0, 64));
}

// Bits pinned: changing them changes every result that anybody kept.
TEST(RandomWeights, PinnedBits) {
  std::vector<float> matrix =
      make(1, "model.embed_tokens.weight", {256, 64}, 0, 2);
  std::vector<float> vector = make(1, "model.norm.weight", {64}, 0, 2);
  EXPECT_EQ(std::bit_cast<uint32_t>(matrix[0]), 0x3ddb14b9u);
  EXPECT_EQ(std::bit_cast<uint32_t>(matrix[1]), 0xbdce298du);
  EXPECT_EQ(std::bit_cast<uint32_t>(vector[0]), 0x3f83499bu);
  EXPECT_EQ(std::bit_cast<uint32_t>(vector[1]), 0x3f7ca472u);
}

TEST(RandomWeights, RangeAndSpread) {
  std::vector<float> values = make(3, "w", {1000, 48}, 0, 48000);
  double sum = 0, squares = 0;
  for (float value : values) {
    EXPECT_LE(std::abs(value), 0.25f); // sqrt(3 / 48)
    sum += value;
    squares += double(value) * value;
  }
  EXPECT_NEAR(sum / 48000, 0, 0.003);
  EXPECT_NEAR(squares / 48000, 1.0 / 48, 0.001);
  for (float value : make(3, "norm", {500}, 0, 500)) {
    EXPECT_GE(value, 0.875f);
    EXPECT_LT(value, 1.125f);
  }
}

TEST(RandomWeights, Rounding) {
  EXPECT_EQ(roundToBfloat(1.0f), 0x3f80);
  EXPECT_EQ(roundToBfloat(1.0f + 0x1p-8f), 0x3f80); // tie to even, down
  EXPECT_EQ(roundToBfloat(1.0f + 0x3p-8f), 0x3f82); // tie to even, up
  EXPECT_EQ(roundToBfloat(-1.0f - 0x1.1p-8f), 0xbf81);
  EXPECT_EQ(roundToHalf(1.0f), 0x3c00);
  EXPECT_EQ(roundToHalf(-2.0f), 0xc000);
  EXPECT_EQ(roundToHalf(1.0f + 0x1p-11f), 0x3c00); // tie to even, down
  EXPECT_EQ(roundToHalf(1.0f + 0x3p-11f), 0x3c02); // tie to even, up
  EXPECT_EQ(roundToHalf(0x1p-14f), 0x0400);        // smallest normal
  EXPECT_EQ(roundToHalf(0x1p-24f), 0x0001);        // smallest subnormal
  EXPECT_EQ(roundToHalf(-0x1p-25f), 0x8000);       // tie to even, zero
  EXPECT_EQ(roundToHalf(0x1.ffep-15f), 0x0400);    // rounds up to a normal
  EXPECT_EQ(roundToHalf(0.0f), 0x0000);
}
