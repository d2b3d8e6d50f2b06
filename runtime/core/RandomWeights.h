//===- RandomWeights.h - weights made from a seed ------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_RANDOMWEIGHTS_H
#define MM01_RUNTIME_CORE_RANDOMWEIGHTS_H

#include "runtime/core/Manifest.h"

#include <cstdint>

namespace mm01 {

/// Makes the elements of one checkpoint tensor from a seed, as docs/contract.md
/// ("random:SEED") fixes them bit by bit.
class RandomTensor {
public:
  /// `shape` is the whole tensor's.
  RandomTensor(uint64_t seed, const std::string &name,
               const std::vector<int64_t> &shape);

  /// Writes elements first … first + count - 1 of the tensor in `type`, which
  /// is f32, f16 or bf16, to `to`.
  void fill(ElementType type, int64_t first, int64_t count, void *to) const;

  /// What the elements depend on beside their numbers: an element is
  /// offset + scale · u (docs/contract.md).
  uint64_t getSeed() const { return seed; }
  uint64_t getNameHash() const { return nameHash; }
  float getScale() const { return scale; }
  float getOffset() const { return offset; }

private:
  template <typename Store>
  void generate(int64_t first, int64_t count, Store store) const;

  uint64_t seed;
  uint64_t nameHash;
  float scale;
  float offset;
};

/// The nearest f16 or bf16, ties to even, of a finite |value| < 65504.
uint16_t roundToHalf(float value);
uint16_t roundToBfloat(float value);

} // namespace mm01

#endif // MM01_RUNTIME_CORE_RANDOMWEIGHTS_H
