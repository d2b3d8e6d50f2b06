//===- RandomWeights.cpp - weights made from a seed ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/RandomWeights.h"

#include "runtime/core/Philox.h"

#include <bit>
#include <cmath>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mm01;

uint16_t mm01::roundToBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

uint16_t mm01::roundToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  constexpr uint32_t smallestNormal = (127 - 14) << 23;
  if (magnitude < smallestNormal) {
    // Steps of 2^-24: adding 1.5 * 2^23 rounds to them and leaves their number
    // in the lowest bits.
    float shifted = std::bit_cast<float>(magnitude) * 0x1p24f + 0x1.8p23f;
    return static_cast<uint16_t>(sign |
                                 (std::bit_cast<uint32_t>(shifted) & 0x7ff));
  }
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - ((127 - 15) << 10)));
}

RandomTensor::RandomTensor(uint64_t seed, const std::string &name,
                           const std::vector<int64_t> &shape)
    : seed(seed), nameHash(XXH64(name.data(), name.size(), 0)) {
  if (shape.size() <= 1) {
    scale = 0.125f;
    offset = 1.0f;
  } else {
    // Both steps are correctly rounded everywhere, unlike libm's functions.
    scale =
        static_cast<float>(std::sqrt(3.0 / static_cast<double>(shape.back())));
    offset = 0.0f;
  }
}

template <typename Store>
void RandomTensor::generate(int64_t first, int64_t count, Store store) const {
  std::array<uint32_t, 2> key = {uint32_t(seed), uint32_t(seed >> 32)};
  for (int64_t i = 0; i < count;) {
    uint64_t block = uint64_t(first + i) / 4;
    std::array<uint32_t, 4> words =
        philox4x32({uint32_t(block), uint32_t(block >> 32), uint32_t(nameHash),
                    uint32_t(nameHash >> 32)},
                   key);
    for (int64_t lane = (first + i) % 4; lane < 4 && i < count; ++lane, ++i) {
      // 24 bits make a multiple of 2^-23 in [-1, 1) exactly. Scaling a matrix
      // rounds once; scaling a vector by 1/8 is exact, so that the sum rounds
      // once, fused or not.
      int32_t number = int32_t(words[lane] >> 8) - (1 << 23);
      store(i, offset + scale * (static_cast<float>(number) * 0x1p-23f));
    }
  }
}

void RandomTensor::fill(ElementType type, int64_t first, int64_t count,
                        void *to) const {
  if (type == ElementType::F32) {
    auto *floats = static_cast<float *>(to);
    generate(first, count, [=](int64_t i, float value) { floats[i] = value; });
    return;
  }
  auto *halves = static_cast<uint16_t *>(to);
  if (type == ElementType::BF16)
    generate(first, count,
             [=](int64_t i, float value) { halves[i] = roundToBfloat(value); });
  else
    generate(first, count,
             [=](int64_t i, float value) { halves[i] = roundToHalf(value); });
}
