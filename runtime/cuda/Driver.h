//===- Driver.h - the CUDA driver, found at run time ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that the runtime needs on a machine with a GPU is its driver. One table
// of function pointers is filled when the first GPU program is run, so that
// mm01-run starts, and runs CPU programs, where there is none.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CUDA_DRIVER_H
#define MM01_RUNTIME_CUDA_DRIVER_H

#include "frontend/safetensors/Status.h"
#include "runtime/cuda/DriverTypes.h"

#include <cstddef>

/// The driver's functions by their documented names, which cuGetProcAddress
/// resolves to the version of the interface that `Driver::version` names.
#define MM01_CUDA_FUNCTIONS(F)                                                 \
  F(cuInit, unsigned)                                                          \
  F(cuDriverGetVersion, int *)                                                 \
  F(cuGetErrorName, ResultCode, const char **)                                 \
  F(cuGetErrorString, ResultCode, const char **)                               \
  F(cuDeviceGetCount, int *)                                                   \
  F(cuDeviceGet, DeviceOrdinal *, int)                                         \
  F(cuDeviceGetName, char *, int, DeviceOrdinal)                               \
  F(cuDeviceGetAttribute, int *, DeviceAttribute, DeviceOrdinal)               \
  F(cuDevicePrimaryCtxRetain, Context *, DeviceOrdinal)                        \
  F(cuDevicePrimaryCtxRelease, DeviceOrdinal)                                  \
  F(cuCtxSetCurrent, Context)                                                  \
  F(cuCtxGetStreamPriorityRange, int *, int *)                                 \
  F(cuMemGetInfo, size_t *, size_t *)                                          \
  F(cuMemAlloc, DevicePointer *, size_t)                                       \
  F(cuMemFree, DevicePointer)                                                  \
  F(cuMemAllocHost, void **, size_t)                                           \
  F(cuMemFreeHost, void *)                                                     \
  F(cuMemcpyHtoDAsync, DevicePointer, const void *, size_t, Stream)            \
  F(cuMemcpyDtoHAsync, void *, DevicePointer, size_t, Stream)                  \
  F(cuMemcpyDtoDAsync, DevicePointer, DevicePointer, size_t, Stream)           \
  F(cuStreamCreate, Stream *, unsigned)                                        \
  F(cuStreamCreateWithPriority, Stream *, unsigned, int)                       \
  F(cuStreamDestroy, Stream)                                                   \
  F(cuStreamSynchronize, Stream)                                               \
  F(cuStreamWaitEvent, Stream, Event, unsigned)                                \
  F(cuEventCreate, Event *, unsigned)                                          \
  F(cuEventDestroy, Event)                                                     \
  F(cuEventRecord, Event, Stream)                                              \
  F(cuEventQuery, Event)                                                       \
  F(cuEventSynchronize, Event)                                                 \
  F(cuEventElapsedTime, float *, Event, Event)                                 \
  F(cuModuleLoadDataEx, Module *, const void *, unsigned, JitOption *,         \
    void **)                                                                   \
  F(cuModuleUnload, Module)                                                    \
  F(cuModuleGetFunction, Function *, Module, const char *)                     \
  F(cuFuncSetAttribute, Function, FunctionAttribute, int)                      \
  F(cuLaunchKernelEx, const LaunchConfig *, Function, void **, void **)        \
  F(cuStreamBeginCapture, Stream, CaptureMode)                                 \
  F(cuStreamEndCapture, Stream, Graph *)                                       \
  F(cuGraphInstantiateWithFlags, GraphExec *, Graph, unsigned long long)       \
  F(cuGraphDestroy, Graph)                                                     \
  F(cuGraphExecDestroy, GraphExec)                                             \
  F(cuGraphLaunch, GraphExec, Stream)                                          \
  F(cuTensorMapEncodeTiled, TensorMap *, TensorMapType, uint32_t, void *,      \
    const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *,    \
    int, TensorMapSwizzle, int, int)

namespace mm01::cuda {

/// What went wrong where an error is seen by whoever waits for the GPU.
inline constexpr const char *workFailed =
    "a kernel or a copy failed on the GPU";

/// The functions of the driver. One a process; never closed, because the driver
/// does not like to be.
struct Driver {
  /// The version of the interface: CUDA 12.0, the first with all functions.
  static constexpr int version = 12000;

  /// Finds the driver and initialises it. Fails, in one line, where there is
  /// none, where it is older than `version` and where it does not start.
  static Result<const Driver *> open();

#define MM01_CUDA_DECLARE(name, ...) ResultCode (*name)(__VA_ARGS__) = nullptr;
  MM01_CUDA_FUNCTIONS(MM01_CUDA_DECLARE)
#undef MM01_CUDA_DECLARE

  /// Success, or what failed and the driver's words for it: "cuMemAlloc: out of
  /// memory (CUDA_ERROR_OUT_OF_MEMORY)".
  Status check(ResultCode code, const char *what) const;

private:
  Status load();
};

} // namespace mm01::cuda

#endif // MM01_RUNTIME_CUDA_DRIVER_H
