//===- NcclTypesTest.cpp - the interface of NCCL is that of nccl.h --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/nccl/Nccl.h"

#include <nccl.h>

using namespace mm01::nccl;

// All of this is known when the file is compiled.
static_assert(inProgress == ncclInProgress);
static_assert(byteType == ncclInt8);
static_assert(sizeof(UniqueId) == sizeof(ncclUniqueId));
static_assert(Config{}.version == NCCL_VERSION(2, 14, 0));
static_assert(Nccl::version == NCCL_VERSION(2, 14, 0));
static_assert(offsetof(Config, size) == offsetof(ncclConfig_t, size));
static_assert(offsetof(Config, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(Config, version) == offsetof(ncclConfig_t, version));
static_assert(offsetof(Config, blocking) == offsetof(ncclConfig_t, blocking));
