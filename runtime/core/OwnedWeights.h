//===- OwnedWeights.h - parameters that are made in memory ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_OWNEDWEIGHTS_H
#define MM01_RUNTIME_CORE_OWNEDWEIGHTS_H

#include "runtime/core/Device.h"
#include "runtime/core/Manifest.h"
#include "runtime/core/Memory.h"

namespace mm01 {

/// Where the elements of parameters come from, in the type in which they are
/// stored. Parameters are named by their index in the manifest.
class WeightSource {
public:
  virtual ~WeightSource() = default;

  /// Writes rows [first, first + count) of a part to `to`, dense. Called from
  /// several threads at a time.
  virtual void read(size_t parameter, int64_t part, int64_t first,
                    int64_t count, void *to) const = 0;

  /// The tensor of a part, for messages.
  virtual std::string describe(size_t parameter, int64_t part) const = 0;
};

/// Parameters in memory that this object owns: random ones, and int8 ones with
/// their scales.
class OwnedWeights {
public:
  /// Makes the parameters `which` on the workers of `device`, half a
  /// million elements of the source at a time. Refuses what does not fit in
  /// memory, and an int8 parameter with an element that is not finite.
  static Result<OwnedWeights> make(const Manifest &manifest,
                                   const std::vector<size_t> &which,
                                   const WeightSource &source, Device &device);

  /// The pointer table of parameter which[i]: its parts, then their scales if
  /// it is int8.
  const std::vector<const void *> &table(size_t i) const { return tables[i]; }

private:
  std::vector<AlignedBuffer> buffers;
  std::vector<std::vector<const void *>> tables;
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_OWNEDWEIGHTS_H
