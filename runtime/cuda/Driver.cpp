//===- Driver.cpp - the CUDA driver, found at run time --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Driver.h"

#include <dlfcn.h>

using namespace mm01;
using namespace mm01::cuda;

/// "12.0" of 12000.
static std::string versionText(int version) {
  return concat(version / 1000, '.', version % 1000 / 10);
}

Status Driver::load() {
  constexpr const char *library = "libcuda.so.1";
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status::error("no CUDA driver, which a program for sm_90a needs: ",
                         dlerror());
  using GetProcAddress =
      ResultCode (*)(const char *, void **, int, uint64_t, int *);
  auto find =
      reinterpret_cast<GetProcAddress>(dlsym(handle, "cuGetProcAddress_v2"));
  if (!find)
    return Status::error("the CUDA driver is too old: expected CUDA ",
                         versionText(version), " or newer");
  const char *missing = nullptr;
  auto resolve = [&](const char *name, auto *&function) {
    void *address = nullptr;
    bool found = find(name, &address, version, 0, nullptr) == 0 && address;
    if (!found && !missing)
      missing = name;
    function = reinterpret_cast<std::decay_t<decltype(function)>>(address);
  };
#define MM01_CUDA_RESOLVE(name, ...) resolve(#name, name);
  MM01_CUDA_FUNCTIONS(MM01_CUDA_RESOLVE)
#undef MM01_CUDA_RESOLVE
  if (missing)
    return Status::error("the CUDA driver is too old: it has no ", missing,
                         ", expected CUDA ", versionText(version), " or newer");
  ResultCode code = cuInit(0);
  if (code == noDevice)
    return Status::error("no GPU, which a program for sm_90a needs");
  return check(code, "cuInit");
}

Result<const Driver *> Driver::open() {
  static Driver driver;
  static const Status status = driver.load();
  MM01_RETURN_IF_FAILED(status);
  return static_cast<const Driver *>(&driver);
}

Status Driver::check(ResultCode code, const char *what) const {
  if (code == 0)
    return {};
  const char *name = nullptr, *words = nullptr;
  if (cuGetErrorName(code, &name) != 0 || !name)
    name = "unknown error";
  if (cuGetErrorString(code, &words) != 0 || !words)
    words = "";
  return Status::error(what, ": ", words, " (", name, ")");
}
