//===- QuantizeTest.cpp - rows of floats as int8 and a scale --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Quantize.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mm01;

namespace {

struct Rows {
  std::vector<int8_t> elements;
  std::vector<float> scales;
};

Rows quantize(const std::vector<float> &from, int64_t rows = 1) {
  Rows made{std::vector<int8_t>(from.size()), std::vector<float>(rows)};
  auto columns = static_cast<int64_t>(from.size()) / rows;
  EXPECT_FALSE(quantizeRows(ElementType::F32, from.data(), rows, columns,
                            made.elements.data(), made.scales.data()));
  return made;
}

using Ints = std::vector<int8_t>;

} // namespace

// Each row has its own scale; half a step goes to the even number.
TEST(Quantize, Rows) {
  Rows made = quantize({127, 0.5f, 1.5f, -2.5f, 2, -1, 0.01f, 0}, 2);
  EXPECT_EQ(made.elements, (Ints{127, 0, 2, -2, 127, -64, 1, 0}));
  EXPECT_EQ(made.scales, (std::vector<float>{1, 2.0f / 127}));
}

TEST(Quantize, Zeros) {
  Rows made = quantize({0, -0.0f, 0});
  EXPECT_EQ(made.elements, (Ints{0, 0, 0}));
  EXPECT_EQ(made.scales[0], 0);
}

// The least scales: max / 127 is rounded to a few units of 2^-149, or to none.
TEST(Quantize, Subnormals) {
  Rows halved = quantize({190 * 0x1p-149f, -189 * 0x1p-149f, 0x1p-149f});
  EXPECT_EQ(halved.scales[0], 0x1p-149f);
  EXPECT_EQ(halved.elements, (Ints{127, -127, 1}));
  Rows lost = quantize({63 * 0x1p-149f, -0x1p-149f});
  EXPECT_EQ(lost.scales[0], 0);
  EXPECT_EQ(lost.elements, (Ints{0, 0}));
}

TEST(Quantize, Greatest) {
  float most = std::numeric_limits<float>::max();
  Rows made = quantize({most, -most, most / 100});
  EXPECT_EQ(made.elements, (Ints{127, -127, 1}));
  EXPECT_EQ(made.scales[0], most / 127);
}

TEST(Quantize, NamesTheRowThatIsNotFinite) {
  Ints elements(6);
  std::vector<float> scales(3);
  for (float bad : {std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::quiet_NaN()})
    for (int at : {0, 3, 4}) {
      std::vector<float> rows(6, 1);
      rows[at] = bad;
      EXPECT_EQ(quantizeRows(ElementType::F32, rows.data(), 3, 2,
                             elements.data(), scales.data()),
                at / 2);
    }
}

// Half and bfloat elements are widened exactly before: every finite bit pattern
// gives what its value gives as a float.
TEST(Quantize, StorageTypes) {
  for (ElementType type : {ElementType::F16, ElementType::BF16}) {
    int exponent = type == ElementType::F16 ? 10 : 7;
    for (uint32_t bits = 0; bits < 0x8000; ++bits) {
      uint32_t field = bits >> exponent;
      uint32_t mantissa = bits & ((1u << exponent) - 1);
      bool special = field == (0x7fffu >> exponent);
      int bias = type == ElementType::F16 ? 15 : 127;
      double value =
          field == 0 ? std::ldexp(mantissa, 1 - bias - exponent)
                     : std::ldexp((1u << exponent) + mantissa,
                                  static_cast<int>(field) - bias - exponent);
      uint16_t stored[2] = {static_cast<uint16_t>(bits),
                            static_cast<uint16_t>(bits | 0x8000)};
      int8_t elements[2];
      float scale;
      ASSERT_EQ(quantizeRows(type, stored, 1, 2, elements, &scale).has_value(),
                special)
          << bits;
      if (special)
        continue;
      Rows expected =
          quantize({static_cast<float>(value), static_cast<float>(-value)});
      ASSERT_EQ(scale, expected.scales[0]) << bits;
      ASSERT_EQ(elements[0], expected.elements[0]) << bits;
      ASSERT_EQ(elements[1], -expected.elements[0]) << bits;
    }
  }
}
