//===- TensorMaps.h - encodes tensor maps for bulk copies -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CUDA_TENSORMAPS_H
#define MM01_RUNTIME_CUDA_TENSORMAPS_H

#include "runtime/abi/program.h"
#include "runtime/cuda/Driver.h"

namespace mm01::cuda {

/// Writes the driver's encoding of a map to `encoded`. Fails, in one line, on
/// what the hardware cannot do: an address that is no multiple of 16, a stride
/// that is no multiple of 16 bytes, extents and boxes out of range.
Status encodeTensorMap(const Driver &driver, const mm01_tensor_map &map,
                       void *encoded);

} // namespace mm01::cuda

#endif // MM01_RUNTIME_CUDA_TENSORMAPS_H
