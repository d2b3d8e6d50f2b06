//===- GpuRanks.h - runs the ranks of NcclCommunicator --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TEST_RUNTIME_CONFORMANCE_GPURANKS_H
#define MM01_TEST_RUNTIME_CONFORMANCE_GPURANKS_H

#include "test/runtime/conformance/Ranks.h"

namespace mm01::test {

/// Rows of NcclCommunicator: on the fake driver and the fake NCCL, or with
/// $MM01_TEST_GPU set on the machine's, for as many ranks as it has GPUs. Tests
/// give buffers of the host: they are copied to the rank's GPU and back.
std::vector<World> gpuWorlds();

/// Uses the fake libraries in this process, whatever the machine has.
void useFakeLibraries();

} // namespace mm01::test

#endif // MM01_TEST_RUNTIME_CONFORMANCE_GPURANKS_H
