//===- ReduceKernels.h - reduce the parts of several ranks on a GPU -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NCCL adds in an order of its own, rounds bf16 after each addition and lets a
// NaN lose a maximum. What Communicator.h promises, the order of the ranks and
// one rounding, takes kernels of the compiler's making, which NCCL brings the
// parts of all ranks for: tools/make-reduce-kernels.py.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_NCCL_REDUCEKERNELS_H
#define MM01_RUNTIME_NCCL_REDUCEKERNELS_H

#include "runtime/core/Communicator.h"

namespace mm01::nccl {

/// A kernel of 256 threads a block: out[i] = parts[0][i] ∘ parts[1][i] ∘ ….
struct ReduceKernel {
  ElementType type;
  Reduction reduction;
  const char *name;
  /// What each parameter is, all of 64 bits: c, the elements of out and of a
  /// part; r, the number of parts; p, the first part; o, out.
  const char *parameters;
  int64_t sharedBytes;
  uint64_t id; // of mm01_device_kernel
  const char *ptx;
};

/// Elements that a block makes.
inline constexpr int64_t reduceTile = 2048;

/// All of them: sum and max of f32, bf16, i32 and i64.
std::span<const ReduceKernel> reduceKernels();
/// One of a type that allReduce() takes.
const ReduceKernel &reduceKernel(ElementType type, Reduction reduction);

} // namespace mm01::nccl

#endif // MM01_RUNTIME_NCCL_REDUCEKERNELS_H
