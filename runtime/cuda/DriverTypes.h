//===- DriverTypes.h - what the CUDA driver's functions take and give -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few types and constants of the driver's binary interface that the runtime
// uses, declared here so that it builds on machines without CUDA. They never
// change: the driver keeps old programs running. Where cuda.h is found, a test
// compares them (test/runtime/cuda/DriverTypesTest.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CUDA_DRIVERTYPES_H
#define MM01_RUNTIME_CUDA_DRIVERTYPES_H

#include <cstdint>

namespace mm01::cuda {

/// 0 is success.
using ResultCode = int;
inline constexpr ResultCode outOfMemory = 2;
inline constexpr ResultCode noDevice = 100;
inline constexpr ResultCode noBinaryForGpu = 209;
inline constexpr ResultCode notReady = 600;

using DeviceOrdinal = int;
using DevicePointer = unsigned long long;
using Context = struct ContextHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
using Graph = struct GraphHandle *;
using GraphExec = struct GraphExecHandle *;

enum DeviceAttribute : int {
  multiprocessorCount = 16,
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
  maxSharedMemoryPerBlock = 97,
};

enum FunctionAttribute : int {
  maxDynamicSharedBytes = 8,
  nonPortableClusterSizeAllowed = 14,
};

enum JitOption : int { errorLogBuffer = 5, errorLogBufferBytes = 6 };

inline constexpr unsigned streamNonBlocking = 1;
inline constexpr unsigned eventWithoutTime = 2;
/// Kernels of a graph keep the priority of the stream they were captured on.
inline constexpr unsigned long long graphNodePriority = 8;

/// What other calls of the process a capture forbids: relaxed, none.
enum CaptureMode : int { captureRelaxed = 2 };

struct LaunchAttribute {
  int id; // clusterDimension
  char padding[4];
  union {
    char size[64];
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
inline constexpr int clusterDimension = 4;

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

enum TensorMapType : int {
  mapUint8 = 0,
  mapInt32 = 3,
  mapFloat16 = 6,
  mapFloat32 = 7,
  mapBfloat16 = 9,
};
enum TensorMapSwizzle : int {
  swizzleNone = 0,
  swizzle32 = 1,
  swizzle64 = 2,
  swizzle128 = 3,
};
inline constexpr int interleaveNone = 0;
inline constexpr int promoteL2To256 = 3;
inline constexpr int fillWithZeros = 0;

} // namespace mm01::cuda

#endif // MM01_RUNTIME_CUDA_DRIVERTYPES_H
