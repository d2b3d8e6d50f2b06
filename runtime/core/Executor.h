//===- Executor.h - calls an entry of a program --------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_EXECUTOR_H
#define MM01_RUNTIME_CORE_EXECUTOR_H

#include "runtime/core/DeviceMemory.h"
#include "runtime/core/Program.h"

#include <span>

namespace mm01 {

/// A dense row-major tensor in memory of a device that it owns.
struct TensorBuffer {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  DeviceBuffer memory;

  /// Takes this type and shape; content undefined. Refuses a negative extent,
  /// an overflow and memory that is not there.
  Status resize(Device &device, ElementType type, std::vector<int64_t> shape);

  int64_t bytes() const { return tensorBytes(type, shape).value_or(0); }
  int64_t elements() const { return bytes() / elementBytes(type); }
  /// The elements, for the host where the device shares its memory.
  template <typename T> T *as() { return static_cast<T *>(memory.data()); }
  template <typename T> const T *as() const {
    return static_cast<const T *>(memory.data());
  }
};

/// The fresh results of a call. Passed to another call, it gives its memory to
/// the new results. A tied result has an empty buffer here: its content is in
/// the argument.
struct ResultSink {
  /// One per result of the entry, in order.
  std::vector<TensorBuffer> results;
};

/// Calls entries on a device, with one arena that grows to the largest that a
/// call asked for. Used from one thread at a time.
class Executor {
public:
  explicit Executor(Device &device) : device(device) {}

  Device &getDevice() const { return device; }
  /// The arena of the last call, null before the first; a call that needs more
  /// moves it.
  const void *arenaMemory() const { return arena.data(); }

  /// Calls entry `entry` of `program`; `arguments` as runtime/abi/program.h
  /// says, one per argument of the entry, validated by the caller. Refuses
  /// extents that do not fit each other (runtime/core/Extents.h), an arena or a
  /// result that does not fit in memory and a result whose shape the manifest
  /// does not allow. After an error tied arguments are undefined.
  /// Kernels of a GPU may still run when it returns (Device.h).
  Status run(const Program &program, size_t entry,
             std::span<const mm01_argument> arguments, ResultSink &sink);

private:
  Device &device;
  DeviceBuffer arena;
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_EXECUTOR_H
