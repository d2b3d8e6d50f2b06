//===- Widen.cpp - elements of files as float64 or int64 ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Widen.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;
using mm01::safetensors::ElementType;

namespace mm01::reference {

namespace {

struct BFloat16 {
  uint16_t bits;
  operator double() const { return bit_cast<float>(uint32_t(bits) << 16); }
};

struct Float16 {
  uint16_t bits;
  operator double() const {
    int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    double magnitude;
    if (exponent == 31)
      magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                           : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
      magnitude = std::ldexp(fraction, -24);
    else
      magnitude = std::ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
};

/// The file is mapped, and its elements need not be aligned for T.
template <typename Stored, typename Wide>
void widenAs(const std::byte *from, int64_t first, MutableArrayRef<Wide> to) {
  from += first * sizeof(Stored);
  for (Wide &element : to) {
    Stored stored;
    std::memcpy(&stored, from, sizeof stored);
    element = static_cast<Wide>(stored);
    from += sizeof stored;
  }
}

} // namespace

bool isFloat(ElementType type) {
  return type == ElementType::F64 || type == ElementType::F32 ||
         type == ElementType::F16 || type == ElementType::BF16;
}

void widen(const std::byte *from, ElementType type, int64_t first,
           MutableArrayRef<double> to) {
  switch (type) {
  case ElementType::F64:
    return widenAs<double>(from, first, to);
  case ElementType::F32:
    return widenAs<float>(from, first, to);
  case ElementType::F16:
    return widenAs<Float16>(from, first, to);
  case ElementType::BF16:
    return widenAs<BFloat16>(from, first, to);
  default:
    llvm_unreachable("the caller checked isFloat");
  }
}

void widen(const std::byte *from, ElementType type, int64_t first,
           MutableArrayRef<int64_t> to) {
  switch (type) {
  case ElementType::I64:
    return widenAs<int64_t>(from, first, to);
  case ElementType::I32:
    return widenAs<int32_t>(from, first, to);
  case ElementType::I16:
    return widenAs<int16_t>(from, first, to);
  case ElementType::I8:
    return widenAs<int8_t>(from, first, to);
  case ElementType::U16:
    return widenAs<uint16_t>(from, first, to);
  case ElementType::U8:
  case ElementType::Bool:
    return widenAs<uint8_t>(from, first, to);
  default:
    llvm_unreachable("the caller checked isFloat");
  }
}

} // namespace mm01::reference
