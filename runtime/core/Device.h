//===- Device.h - where a program runs -----------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_DEVICE_H
#define MM01_RUNTIME_CORE_DEVICE_H

#include "runtime/abi/program.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace mm01 {

/// One launch, as an observer sees it.
struct LaunchRecord {
  std::string_view kernel;
  int64_t grid;
  std::chrono::steady_clock::time_point begin;
  std::chrono::steady_clock::time_point end;
};
using LaunchObserver = std::function<void(const LaunchRecord &)>;

/// A machine part that runs kernels. Used from one thread at a time.
class Device {
public:
  virtual ~Device() = default;

  /// The target whose programs it runs: "cpu".
  virtual std::string_view name() const = 0;
  /// Workers that run at the same time.
  virtual int workers() const = 0;

  /// mm01_context::launch. False when memory for the scratch was refused;
  /// nothing has run then.
  virtual bool launch(const mm01_context &context, mm01_kernel kernel,
                      const char *name, int64_t grid, const void *arguments,
                      int64_t scratchBytes) = 0;

  /// mm01_context::gemm_f32. False when the library refused.
  virtual bool gemmF32(int64_t m, int64_t n, int64_t k, const float *a,
                       int64_t lda, const float *b, int64_t ldb, float *c,
                       int64_t ldc, bool accumulate) = 0;

  /// Runs body(0) … body(count - 1) on the workers, in any order; `body` must
  /// not throw.
  virtual void parallelFor(int64_t count,
                           const std::function<void(int64_t)> &body) = 0;

  /// Calls `observer` after every launch until it is replaced; an empty one
  /// turns it off.
  void observe(LaunchObserver observer) {
    this->observer = std::move(observer);
  }

protected:
  LaunchObserver observer;
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_DEVICE_H
