//===- ReduceKernels.cpp - reduce the parts of several ranks on a GPU -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/nccl/ReduceKernels.h"

using namespace mm01;
using namespace mm01::nccl;

static const ReduceKernel kernels[] = {
#include "kernels/max_bf16.inc"
#include "kernels/max_f32.inc"
#include "kernels/max_i32.inc"
#include "kernels/max_i64.inc"
#include "kernels/sum_bf16.inc"
#include "kernels/sum_f32.inc"
#include "kernels/sum_i32.inc"
#include "kernels/sum_i64.inc"
};

std::span<const ReduceKernel> nccl::reduceKernels() { return kernels; }

const ReduceKernel &nccl::reduceKernel(ElementType type, Reduction reduction) {
  for (const ReduceKernel &kernel : kernels)
    if (kernel.type == type && kernel.reduction == reduction)
      return kernel;
  __builtin_unreachable(); // Communicator::start refuses other types
}
