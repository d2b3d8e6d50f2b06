//===- Device.h - where a program runs -----------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device runs kernels and owns the memory they read and write. Its work is
// done in the order in which it is asked for: launches and copies of one device
// form one stream, but for branches between fork() and join(). launchDevice,
// gemmDevice, copyIn and copyWithin may return before the work is done; copyOut
// and synchronize return when all work before them is, and report what went
// wrong in it. A device on which work has failed goes on to report it.
//
// Test: test/runtime/conformance, every implementation against one suite
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_DEVICE_H
#define MM01_RUNTIME_CORE_DEVICE_H

#include "frontend/safetensors/Status.h"
#include "runtime/abi/program.h"
#include "runtime/core/Trace.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace mm01 {

/// Launches and copies of a device that were captured, to be done again as one
/// piece. The device must outlive it.
class DeviceGraph {
public:
  virtual ~DeviceGraph() = default;
};

/// A machine part that runs kernels. Used from one thread at a time, not always
/// the same.
class Device {
public:
  virtual ~Device() = default;

  /// The target whose programs it runs: "cpu" or "sm_90a".
  virtual std::string_view name() const = 0;
  /// Workers that run at the same time: threads, or multiprocessors of a GPU.
  virtual int workers() const = 0;

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Whether the host may read and write memory of the device as its own.
  virtual bool sharesMemory() const = 0;
  /// Bytes that allocate() may still grant; INT64_MAX when unknown.
  virtual int64_t availableMemory() const = 0;
  /// Memory for kernels, aligned to MM01_ALIGNMENT, content undefined. Refuses,
  /// naming `purpose` ("the arena") and the bytes, when there is not enough.
  /// Memory of 0 bytes is memory.
  virtual Result<void *> allocate(int64_t bytes, const char *purpose) = 0;
  /// Takes back what allocate() gave, when the work before has been done with
  /// it; null is nothing.
  virtual void release(void *memory) = 0;
  /// Copies from the host, which may use `from` again when this returns.
  virtual Status copyIn(void *to, const void *from, int64_t bytes) = 0;
  /// Copies to the host and returns when it is done.
  virtual Status copyOut(void *to, const void *from, int64_t bytes) = 0;
  /// Copies inside the device; the two do not overlap.
  virtual Status copyWithin(void *to, const void *from, int64_t bytes) = 0;
  /// Returns when all work is done; fails when some of it failed.
  virtual Status synchronize() = 0;

  //===--------------------------------------------------------------------===//
  // Work
  //===--------------------------------------------------------------------===//

  /// mm01_context::launch: a kernel of the processor. Fails when memory for the
  /// scratch is refused; nothing has run then.
  virtual Status launch(const mm01_context &context, mm01_kernel kernel,
                        const char *name, int64_t grid, const void *arguments,
                        int64_t scratchBytes) = 0;

  /// mm01_context::gemm_f32. False when the library refused.
  virtual bool gemmF32(int64_t m, int64_t n, int64_t k, const float *a,
                       int64_t lda, const float *b, int64_t ldb, float *c,
                       int64_t ldc, bool accumulate) = 0;

  /// mm01_context::launch_device: a kernel of a GPU.
  virtual Status launchDevice(const mm01_device_kernel &kernel,
                              const int64_t grid[3],
                              const void *const *parameters, int64_t count) = 0;

  /// mm01_context::encode_tensor_map.
  virtual Status encodeTensorMap(const mm01_tensor_map &map, void *encoded) = 0;

  /// mm01_context::gemm_device: a product by the library of a GPU. Fails, in
  /// one line, where there is no such library.
  virtual Status gemmDevice(const mm01_device_product &product) = 0;

  /// mm01_context::fork, next_branch and join: until join() the launches of a
  /// branch may run beside those of the others. A device may as well do them
  /// one after the other.
  virtual Status fork() { return {}; }
  virtual Status nextBranch() { return {}; }
  virtual Status join() { return {}; }

  /// Whether capture() works.
  virtual bool canCapture() const { return false; }
  /// Calls `work` and keeps what it launches and copies within the device
  /// instead of doing it. What it launches must have run before, so that its
  /// kernels are loaded. Other copies, waiting and marks are refused meanwhile.
  virtual Result<std::unique_ptr<DeviceGraph>>
  capture(const std::function<Status()> &work) {
    return Status::error("device ", name(), " cannot capture its work");
  }
  /// Does what was captured, with the pointers and numbers of that time, and
  /// returns early, as launches do.
  virtual Status replay(DeviceGraph &graph) {
    return Status::error("device ", name(), " cannot capture its work");
  }

  /// Runs body(0) … body(count - 1) on threads of the host, in any order;
  /// `body` must not throw.
  virtual void parallelFor(int64_t count,
                           const std::function<void(int64_t)> &body) = 0;

  //===--------------------------------------------------------------------===//
  // Time
  //===--------------------------------------------------------------------===//

  /// Marks the moment when the device has done all work before; marks count up
  /// from 0.
  virtual Result<size_t> mark() = 0;
  /// Seconds between two marks by the device's clock, when both have passed.
  virtual Result<double> secondsBetween(size_t begin, size_t end) = 0;

  /// Keeps what is launched and copied from now on for finishTrace(); a grid of
  /// 0 and no bytes are nothing. Nothing is captured meanwhile: a graph is one
  /// piece, also when it is replayed.
  virtual Status startTrace() = 0;
  /// Waits for the device and gives what it did since startTrace(); nothing
  /// without it.
  virtual Result<Trace> finishTrace() = 0;

protected:
  /// Fails where one of two marks is none of the `count` there are.
  static Status checkMarks(size_t begin, size_t end, size_t count) {
    const size_t last = std::max(begin, end);
    if (last < count)
      return {};
    return Status::error("expected a mark that was made, found mark ", last,
                         " of ", count);
  }
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_DEVICE_H
