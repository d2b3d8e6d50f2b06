//===- RandomHelpers.h - random weights made by the program ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_RANDOMHELPERS_H
#define MM01_RUNTIME_CORE_RANDOMHELPERS_H

#include "runtime/core/DeviceMemory.h"
#include "runtime/core/Executor.h"
#include "runtime/core/RandomWeights.h"

namespace mm01 {

/// The helpers `random_weights_TYPE` and `quantize_rows_TYPE` of a program,
/// which make the elements of random tensors on the device and in its memory.
/// `program` and `executor` must outlive the object.
class RandomHelpers {
public:
  RandomHelpers(const Program &program, Executor &executor)
      : program(program), executor(executor) {}

  /// Whether the program has the helpers that make a parameter, with the
  /// arguments that docs/contract.md names ("The manifest").
  bool has(const ParameterSpec &parameter) const {
    return find(parameter.stored) &&
           (!parameter.isQuantized() || findQuantizer(parameter.stored));
  }

  /// RandomTensor::fill() with `to` in memory of the device; returns early
  /// where the device does.
  Status fill(const RandomTensor &tensor, ElementType type, int64_t first,
              int64_t count, void *to);

  /// The same for what quantizeRows() makes of elements of `type`: `rows` rows
  /// of `columns` from element `first` on, `to` and `scales` in memory of the
  /// device.
  Status fillQuantized(const RandomTensor &tensor, ElementType type,
                       int64_t first, int64_t rows, int64_t columns, void *to,
                       void *scales);

private:
  std::optional<size_t> find(ElementType type) const;
  std::optional<size_t> findQuantizer(ElementType type) const;

  const Program &program;
  Executor &executor;
  ResultSink sink;
  /// What is to be quantised.
  DeviceBuffer stored;
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_RANDOMHELPERS_H
