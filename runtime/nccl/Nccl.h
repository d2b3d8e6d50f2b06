//===- Nccl.h - NVIDIA's collectives, found at run time -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of function pointers, filled when the first group needs it, and the
// few types and constants of NCCL's binary interface that are used. Where
// nccl.h is found, a test compares them (test/runtime/nccl/NcclTypesTest.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_NCCL_NCCL_H
#define MM01_RUNTIME_NCCL_NCCL_H

#include "frontend/safetensors/Status.h"
#include "runtime/cuda/DriverTypes.h"

#include <cstddef>
#include <cstdint>

/// NCCL's functions by their documented names.
#define MM01_NCCL_FUNCTIONS(F)                                                 \
  F(ncclGetVersion, int *)                                                     \
  F(ncclGetUniqueId, UniqueId *)                                               \
  F(ncclCommInitRankConfig, Comm *, int, UniqueId, int, Config *)              \
  F(ncclCommGetAsyncError, Comm, ReturnCode *)                                 \
  F(ncclCommFinalize, Comm)                                                    \
  F(ncclCommDestroy, Comm)                                                     \
  F(ncclCommAbort, Comm)                                                       \
  F(ncclGroupStart)                                                            \
  F(ncclGroupEnd)                                                              \
  F(ncclAllGather, const void *, void *, size_t, int, Comm, cuda::Stream)      \
  F(ncclBroadcast, const void *, void *, size_t, int, int, Comm, cuda::Stream) \
  F(ncclSend, const void *, size_t, int, int, Comm, cuda::Stream)              \
  F(ncclRecv, void *, size_t, int, int, Comm, cuda::Stream)

namespace mm01::nccl {

using ReturnCode = int; // 0 is success
inline constexpr ReturnCode inProgress = 7;
using Comm = struct CommData *;
/// By which ranks find each other: made by one, told to all.
struct UniqueId {
  char bytes[128];
};
/// The settings of NCCL 2.14, which later ones accept.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  /// 0: functions return at once, and ncclCommGetAsyncError says when they are
  /// done.
  int blocking = 0;
};
/// The only type that is moved: a byte.
inline constexpr int byteType = 0;

/// NCCL's functions. One a process, never closed.
struct Nccl {
  /// The first version whose functions need not wait.
  static constexpr int version = 21400;

  /// Finds libnccl.so.2: on the loader's path, in lib or lib64 of $CUDA_HOME,
  /// or where CUDA is installed by default. Fails, in one line, where there is
  /// none and where it is older than `version`.
  static Result<const Nccl *> open();

#define MM01_NCCL_DECLARE(name, ...) ReturnCode (*name)(__VA_ARGS__) = nullptr;
  MM01_NCCL_FUNCTIONS(MM01_NCCL_DECLARE)
#undef MM01_NCCL_DECLARE
  const char *(*ncclGetErrorString)(ReturnCode) = nullptr;

  /// Success also for what goes on, or what failed and NCCL's words for it.
  Status check(ReturnCode code, const char *what) const;

private:
  Status load();
};

} // namespace mm01::nccl

#endif // MM01_RUNTIME_NCCL_NCCL_H
