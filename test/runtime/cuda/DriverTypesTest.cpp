//===- DriverTypesTest.cpp - the driver interface is that of cuda.h -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/DriverTypes.h"

#include <cuda.h>

#include <cstddef>

using namespace mm01::cuda;

// All of this is known when the file is compiled.
#define SAME(ours, theirs) static_assert(int(ours) == int(theirs))
SAME(outOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
SAME(noDevice, CUDA_ERROR_NO_DEVICE);
SAME(noBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(notReady, CUDA_ERROR_NOT_READY);
SAME(multiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(computeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(computeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(maxSharedMemoryPerBlock,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(maxDynamicSharedBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(nonPortableClusterSizeAllowed,
     CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME(errorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
SAME(errorLogBufferBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(streamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME(captureRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(clusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(mapUint8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
SAME(mapInt32, CU_TENSOR_MAP_DATA_TYPE_INT32);
SAME(mapFloat16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
SAME(mapFloat32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
SAME(mapBfloat16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
SAME(swizzleNone, CU_TENSOR_MAP_SWIZZLE_NONE);
SAME(swizzle32, CU_TENSOR_MAP_SWIZZLE_32B);
SAME(swizzle64, CU_TENSOR_MAP_SWIZZLE_64B);
SAME(swizzle128, CU_TENSOR_MAP_SWIZZLE_128B);
SAME(interleaveNone, CU_TENSOR_MAP_INTERLEAVE_NONE);
SAME(promoteL2To256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
SAME(fillWithZeros, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);

SAME(sizeof(DevicePointer), sizeof(CUdeviceptr));
SAME(sizeof(TensorMap), sizeof(CUtensorMap));
SAME(sizeof(LaunchAttribute), sizeof(CUlaunchAttribute));
SAME(offsetof(LaunchAttribute, value), offsetof(CUlaunchAttribute, value));
SAME(sizeof(LaunchConfig), sizeof(CUlaunchConfig));
SAME(offsetof(LaunchConfig, block), offsetof(CUlaunchConfig, blockDimX));
SAME(offsetof(LaunchConfig, sharedBytes),
     offsetof(CUlaunchConfig, sharedMemBytes));
SAME(offsetof(LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
SAME(offsetof(LaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
SAME(offsetof(LaunchConfig, attributeCount),
     offsetof(CUlaunchConfig, numAttrs));
