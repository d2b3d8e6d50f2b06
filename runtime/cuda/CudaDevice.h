//===- CudaDevice.h - runs programs on a Hopper GPU -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CUDA_CUDADEVICE_H
#define MM01_RUNTIME_CUDA_CUDADEVICE_H

#include "runtime/core/Device.h"
#include "runtime/cuda/Branches.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/cuda/MatrixLibrary.h"
#include "runtime/cuda/Recorder.h"
#include "runtime/cuda/Staging.h"

#include <memory>
#include <vector>

namespace mm01 {

/// One GPU of compute capability 9.0 through its driver. All work goes to one
/// stream, but for branches (Branches.h); launches return early. Memory is
/// plain device memory, never managed. Once a kernel has failed on it, it is of
/// no use to the process any more.
class CudaDevice final : public Device {
public:
  /// GPU `gpu` of those that the process may see. Fails, in one line, without a
  /// driver, without that GPU, and where it has another compute capability.
  static Result<std::unique_ptr<CudaDevice>> open(int gpu = 0);
  ~CudaDevice() override;

  std::string_view name() const override { return "sm_90a"; }
  int workers() const override { return multiprocessors; }

  bool sharesMemory() const override { return false; }
  int64_t availableMemory() const override;
  Result<void *> allocate(int64_t bytes, const char *purpose) override;
  void release(void *memory) override;
  Status copyIn(void *to, const void *from, int64_t bytes) override;
  Status copyOut(void *to, const void *from, int64_t bytes) override;
  Status copyWithin(void *to, const void *from, int64_t bytes) override;
  Status synchronize() override;

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
  Status fork() override;
  Status nextBranch() override;
  Status join() override;
  bool canCapture() const override { return !recorder; }
  Result<std::unique_ptr<DeviceGraph>>
  capture(const std::function<Status()> &work) override;
  Status replay(DeviceGraph &graph) override;
  void parallelFor(int64_t count,
                   const std::function<void(int64_t)> &body) override;

  Result<size_t> mark() override;
  Result<double> secondsBetween(size_t begin, size_t end) override;
  Status startTrace() override;
  Result<Trace> finishTrace() override;

  /// For work on other streams of the same GPU: makes the GPU the one of the
  /// calling thread, whichever that is.
  Status enter() const;
  const cuda::Driver &getDriver() const { return driver; }
  /// That of launches and copies.
  cuda::Stream getStream() const { return stream; }
  /// A launch on another stream of this GPU, which traces do not show.
  Status launchOn(cuda::Stream where, const mm01_device_kernel &kernel,
                  const int64_t grid[3], const void *const *parameters);

private:
  explicit CudaDevice(const cuda::Driver &driver);
  Status start(int gpu);
  /// Fails while work is captured.
  Status refuseInCapture(const char *what) const;
  /// Does `work`, with its times kept where there is a trace.
  template <typename Work>
  Status record(TraceEvent::Kind kind, const char *name, int64_t size,
                Work work);
  template <typename Work>
  Status record(TraceEvent::Kind kind, const char *name, int64_t size,
                cuda::Branches::Place place, Work work);
  Status launchLoaded(cuda::Stream where, cuda::Function function,
                      const mm01_device_kernel &kernel, const int64_t grid[3],
                      const void *const *parameters);
  /// The kernel, loaded; null for an empty grid, which is nothing to launch.
  Result<cuda::Function> prepare(const mm01_device_kernel &kernel,
                                 const int64_t grid[3]);
  Status checkGrid(const mm01_device_kernel &kernel,
                   const int64_t grid[3]) const;

  const cuda::Driver &driver;
  /// Of all devices that the process had, from 1 on.
  const uint64_t serial;
  cuda::DeviceOrdinal ordinal = 0;
  cuda::Context context = nullptr;
  cuda::Stream stream = nullptr;
  int multiprocessors = 0;
  int sharedBytes = 0;
  std::unique_ptr<cuda::Branches> branches;
  std::unique_ptr<cuda::Kernels> kernels;
  std::unique_ptr<cuda::Staging> staging;
  std::unique_ptr<cuda::MatrixLibrary> library; // once a product needs it
  std::vector<cuda::Event> marks;
  bool capturing = false;
  std::unique_ptr<cuda::Recorder> recorder; // while there is a trace
};

} // namespace mm01

#endif // MM01_RUNTIME_CUDA_CUDADEVICE_H
