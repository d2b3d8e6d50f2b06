//===- Nccl.cpp - NVIDIA's collectives, found at run time -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/nccl/Nccl.h"

#include "runtime/cuda/SharedLibrary.h"

using namespace mm01;
using namespace mm01::nccl;

/// "2.14.0" of 21400.
static std::string versionText(int version) {
  return concat(version / 10000, '.', version / 100 % 100, '.', version % 100);
}

Status Nccl::load() {
  cuda::SharedLibrary library({"libnccl.so.2"}, {"lib64", "lib"});
  if (!library)
    return Status::error(
        "no NCCL, which ranks on GPUs need: expected libnccl.so.2 on the "
        "library path, or in lib64 or lib of $CUDA_HOME or /usr/local/cuda");
#define MM01_NCCL_RESOLVE(name, ...) library.resolve(#name, name);
  MM01_NCCL_FUNCTIONS(MM01_NCCL_RESOLVE)
#undef MM01_NCCL_RESOLVE
  library.resolve("ncclGetErrorString", ncclGetErrorString);
  if (library.missing())
    return Status::error("NCCL has no ", library.missing(),
                         ", expected version ", versionText(version),
                         " or newer");
  int found = 0;
  MM01_RETURN_IF_FAILED(check(ncclGetVersion(&found), "ncclGetVersion"));
  if (found < version)
    return Status::error("found NCCL ", versionText(found),
                         ", expected version ", versionText(version),
                         " or newer");
  return {};
}

Result<const Nccl *> Nccl::open() {
  static Nccl nccl;
  static const Status status = nccl.load();
  MM01_RETURN_IF_FAILED(status);
  return static_cast<const Nccl *>(&nccl);
}

Status Nccl::check(ReturnCode code, const char *what) const {
  if (code == 0 || code == inProgress)
    return {};
  return Status::error(what, ": ", ncclGetErrorString(code), " (NCCL's error ",
                       code, ")");
}
