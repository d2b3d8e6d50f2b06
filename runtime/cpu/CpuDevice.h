//===- CpuDevice.h - runs programs on the processor ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CPU_CPUDEVICE_H
#define MM01_RUNTIME_CPU_CPUDEVICE_H

#include "runtime/core/Device.h"
#include "runtime/cpu/ThreadPool.h"

#include <chrono>

namespace mm01 {

/// Kernels run on one thread pool; dense products are oneDNN's, each on the
/// thread that asks for it. Results do not depend on the number of threads.
class CpuDevice : public Device {
public:
  explicit CpuDevice(int threads = ThreadPool::defaultThreads());

  std::string_view name() const override { return "cpu"; }
  int workers() const override { return pool.size(); }

  bool sharesMemory() const override { return true; }
  int64_t availableMemory() const override;
  Result<void *> allocate(int64_t bytes, const char *purpose) override;
  void release(void *memory) override;
  Status copyIn(void *to, const void *from, int64_t bytes) override;
  Status copyOut(void *to, const void *from, int64_t bytes) override;
  Status copyWithin(void *to, const void *from, int64_t bytes) override;
  Status synchronize() override { return {}; }

  Status launch(const mm01_context &context, mm01_kernel kernel,
                const char *name, int64_t grid, const void *arguments,
                int64_t scratchBytes) override;
  bool gemmF32(int64_t m, int64_t n, int64_t k, const float *a, int64_t lda,
               const float *b, int64_t ldb, float *c, int64_t ldc,
               bool accumulate) override;
  Status launchDevice(const mm01_device_kernel &kernel, const int64_t grid[3],
                      const void *const *parameters, int64_t count) override;
  Status encodeTensorMap(const mm01_tensor_map &map, void *encoded) override;
  Status gemmDevice(const mm01_device_product &product) override;
  void parallelFor(int64_t count,
                   const std::function<void(int64_t)> &body) override;

  Result<size_t> mark() override;
  Result<double> secondsBetween(size_t begin, size_t end) override;
  Status startTrace() override;
  Result<Trace> finishTrace() override;

private:
  using Clock = std::chrono::steady_clock;

  /// Adds to the trace, where there is one, what began then and ends now.
  void record(TraceEvent::Kind kind, const char *name, int64_t size,
              Clock::time_point begin);
  Status copy(TraceEvent::Kind kind, void *to, const void *from, int64_t bytes);

  ThreadPool pool;
  std::vector<Clock::time_point> marks;
  /// While there is one, launches and copies are added to it.
  std::optional<Trace> trace;
  Clock::time_point traceBegin;
};

} // namespace mm01

#endif // MM01_RUNTIME_CPU_CPUDEVICE_H
