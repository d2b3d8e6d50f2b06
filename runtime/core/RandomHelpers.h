//===- RandomHelpers.h - random weights made by the program ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_RANDOMHELPERS_H
#define MM01_RUNTIME_CORE_RANDOMHELPERS_H

#include "runtime/core/Executor.h"
#include "runtime/core/RandomWeights.h"

namespace mm01 {

/// The helpers `random_weights_TYPE` of a program, which make the elements of
/// random tensors on the device and in its memory. `program` and `executor`
/// must outlive the object.
class RandomHelpers {
public:
  RandomHelpers(const Program &program, Executor &executor)
      : program(program), executor(executor) {}

  /// Whether the program has the helper of a type, with the arguments that
  /// docs/contract.md names ("The manifest").
  bool has(ElementType type) const { return find(type).has_value(); }

  /// RandomTensor::fill() with `to` in memory of the device; returns early
  /// where the device does.
  Status fill(const RandomTensor &tensor, ElementType type, int64_t first,
              int64_t count, void *to);

private:
  std::optional<size_t> find(ElementType type) const;

  const Program &program;
  Executor &executor;
  ResultSink sink;
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_RANDOMHELPERS_H
