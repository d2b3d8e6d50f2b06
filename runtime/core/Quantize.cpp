//===- Quantize.cpp - rows of floats as int8 and a scale ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Quantize.h"

#include <algorithm>
#include <bit>

using namespace mm01;

namespace {

float widenSingle(float value) { return value; }

float widenBfloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// Exponent and mantissa at the places of a float are the value divided by
/// 2^112, subnormals included.
float widenHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  constexpr uint32_t infinity = 0x7c00 << 13;
  uint32_t wide =
      magnitude < infinity
          ? std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f)
          : magnitude | 0x7f800000;
  return std::bit_cast<float>(sign | wide);
}

/// The nearest whole number of |value| <= 127, ties to even: the sum has no
/// bits below 1.
float roundToWhole(float value) {
  constexpr float large = 0x1.8p23f;
  return (value + large) - large;
}

/// One row; false where an element is not finite.
template <auto Widen, typename Stored>
bool quantizeRow(const Stored *from, int64_t columns, int8_t *to,
                 float &scale) {
  // Without the sign, bits are ordered as the values are, then infinity, then
  // NaNs.
  uint32_t greatest = 0;
  for (int64_t k = 0; k < columns; ++k)
    greatest = std::max(greatest,
                        std::bit_cast<uint32_t>(Widen(from[k])) & 0x7fffffff);
  if (greatest >= 0x7f800000)
    return false;
  scale = std::bit_cast<float>(greatest) / 127;
  if (scale == 0) {
    std::fill_n(to, columns, int8_t(0));
    return true;
  }
  // A subnormal scale may be too small by half: the quotient needs a limit.
  for (int64_t k = 0; k < columns; ++k)
    to[k] = static_cast<int8_t>(
        roundToWhole(std::clamp(Widen(from[k]) / scale, -127.0f, 127.0f)));
  return true;
}

template <auto Widen, typename Stored>
std::optional<int64_t> quantizeAll(const void *from, int64_t rows,
                                   int64_t columns, int8_t *to, float *scales) {
  const auto *elements = static_cast<const Stored *>(from);
  for (int64_t row = 0; row < rows; ++row)
    if (!quantizeRow<Widen>(elements + row * columns, columns,
                            to + row * columns, scales[row]))
      return row;
  return std::nullopt;
}

} // namespace

std::optional<int64_t> mm01::quantizeRows(ElementType type, const void *from,
                                          int64_t rows, int64_t columns,
                                          int8_t *to, float *scales) {
  switch (type) {
  case ElementType::BF16:
    return quantizeAll<widenBfloat, uint16_t>(from, rows, columns, to, scales);
  case ElementType::F16:
    return quantizeAll<widenHalf, uint16_t>(from, rows, columns, to, scales);
  default:
    return quantizeAll<widenSingle, float>(from, rows, columns, to, scales);
  }
}
