//===- Reduce.cpp - makes one out of the elements of several ranks --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/Reduce.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace mm01;

namespace {

/// Floats are added in float32, whole numbers as those of the dialect: modulo
/// two to the power of their bits.
struct Float32 {
  using Stored = float;
  using Sum = float;
  static float widen(float value) { return value; }
  static float store(float value) { return value; }
};

struct BFloat16 {
  using Stored = uint16_t;
  using Sum = float;
  static float widen(uint16_t value) {
    return std::bit_cast<float>(uint32_t(value) << 16);
  }
  static uint16_t store(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    if (std::isnan(value)) // rounding could carry into the sign
      return uint16_t(bits >> 16 | 0x40);
    return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

template <typename Unsigned, typename Signed> struct Whole {
  using Stored = Unsigned;
  using Sum = Unsigned;
  static Unsigned widen(Unsigned value) { return value; }
  static Unsigned store(Unsigned value) { return value; }
  static bool less(Unsigned a, Unsigned b) { return Signed(a) < Signed(b); }
};

template <typename Type>
typename Type::Sum larger(typename Type::Sum a, typename Type::Sum b) {
  if constexpr (std::is_floating_point_v<typename Type::Sum>)
    return std::isnan(a) || a > b ? a : b;
  else
    return Type::less(a, b) ? b : a;
}

template <typename Type>
void reduceAs(std::span<const std::byte *const> inputs, Reduction reduction,
              Room out) {
  using Stored = typename Type::Stored;
  auto load = [](const std::byte *from, int64_t index) {
    Stored value;
    std::memcpy(&value, from + index * sizeof(value), sizeof(value));
    return Type::widen(value);
  };
  for (int64_t i = 0; i < out.count; ++i) {
    auto result = load(inputs.front(), i);
    for (const std::byte *input : inputs.subspan(1)) {
      const auto value = load(input, i);
      result = reduction == Reduction::Sum ? result + value
                                           : larger<Type>(result, value);
    }
    const Stored stored = Type::store(result);
    std::memcpy(static_cast<std::byte *>(out.data) + i * sizeof(stored),
                &stored, sizeof(stored));
  }
}

} // namespace

void mm01::reduce(std::span<const std::byte *const> inputs, Reduction reduction,
                  Room out) {
  switch (out.type) {
  case ElementType::F32:
    return reduceAs<Float32>(inputs, reduction, out);
  case ElementType::BF16:
    return reduceAs<BFloat16>(inputs, reduction, out);
  case ElementType::I32:
    return reduceAs<Whole<uint32_t, int32_t>>(inputs, reduction, out);
  case ElementType::I64:
    return reduceAs<Whole<uint64_t, int64_t>>(inputs, reduction, out);
  case ElementType::F16:
  case ElementType::I8:
  case ElementType::Index:
    break;
  }
  __builtin_unreachable(); // Communicator::start refuses them
}
