//===- TensorMaps.cpp - encodes tensor maps for bulk copies ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/TensorMaps.h"

#include <array>

using namespace mm01;
using namespace mm01::cuda;

namespace {

struct ElementRow {
  TensorMapType type;
  int64_t bytes;
};

/// In the order of MM01_ELEMENT_F32, ….
constexpr std::array<ElementRow, 5> elements = {{{mapFloat32, 4},
                                                 {mapFloat16, 2},
                                                 {mapBfloat16, 2},
                                                 {mapUint8, 1},
                                                 {mapInt32, 4}}};

TensorMapSwizzle swizzleOf(int64_t bytes) {
  switch (bytes) {
  case 32:
    return swizzle32;
  case 64:
    return swizzle64;
  case 128:
    return swizzle128;
  default:
    return swizzleNone;
  }
}

} // namespace

Status cuda::encodeTensorMap(const Driver &driver, const mm01_tensor_map &map,
                             void *encoded) {
  if (map.rank < 1 || map.rank > 5 || map.element < 0 ||
      map.element >= static_cast<int64_t>(elements.size()))
    return Status::error("tensor map: expected 1 to 5 extents of a known "
                         "element type, found ",
                         map.rank, " of type ", map.element);
  if (reinterpret_cast<uintptr_t>(map.address) % 16 != 0)
    return Status::error("tensor map: expected an address that is a multiple "
                         "of 16, found one that is not");
  ElementRow element = elements[map.element];
  // The driver counts from the innermost dimension on.
  std::array<uint64_t, 5> extents{}, strides{};
  std::array<uint32_t, 5> box{}, steps{};
  for (int64_t i = 0; i < map.rank; ++i) {
    int64_t to = map.rank - 1 - i;
    if (map.extents[i] < 1 || map.extents[i] > int64_t(1) << 32)
      return Status::error("tensor map: expected extent ", i,
                           " from 1 to 2^32, found ", map.extents[i]);
    if (map.box[i] < 1 || map.box[i] > 256)
      return Status::error("tensor map: expected box extent ", i,
                           " from 1 to 256, found ", map.box[i]);
    extents[to] = map.extents[i];
    box[to] = static_cast<uint32_t>(map.box[i]);
    steps[to] = 1;
    if (to == 0)
      continue;
    int64_t bytes = 0;
    if (map.strides[i] < 1 ||
        __builtin_mul_overflow(map.strides[i], element.bytes, &bytes) ||
        bytes % 16 != 0 || bytes >= int64_t(1) << 40)
      return Status::error("tensor map: expected stride ", i,
                           " to be a multiple of 16 bytes below 2^40, found ",
                           map.strides[i], " elements of ", element.bytes,
                           " bytes");
    strides[to - 1] = bytes;
  }
  return driver.check(driver.cuTensorMapEncodeTiled(
                          static_cast<TensorMap *>(encoded), element.type,
                          static_cast<uint32_t>(map.rank),
                          const_cast<void *>(map.address), extents.data(),
                          strides.data(), box.data(), steps.data(),
                          interleaveNone, swizzleOf(map.swizzle),
                          promoteL2To256, fillWithZeros),
                      "cuTensorMapEncodeTiled");
}
