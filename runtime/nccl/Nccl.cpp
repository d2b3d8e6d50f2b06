//===- Nccl.cpp - NVIDIA's collectives, found at run time -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/nccl/Nccl.h"

#include <cstdlib>
#include <dlfcn.h>
#include <vector>

using namespace mm01;
using namespace mm01::nccl;

/// "2.14.0" of 21400.
static std::string versionText(int version) {
  return concat(version / 10000, '.', version / 100 % 100, '.', version % 100);
}

/// The library, or null.
static void *openLibrary() {
  std::vector<std::string> folders = {""}; // the loader's path
  std::vector<std::string> homes = {"/usr/local/cuda"};
  if (const char *home = std::getenv("CUDA_HOME"); home && *home)
    homes.insert(homes.begin(), home);
  for (const std::string &home : homes)
    for (const char *folder : {"/lib64/", "/lib/"})
      folders.push_back(home + folder);
  for (const std::string &folder : folders)
    if (void *handle =
            dlopen((folder + "libnccl.so.2").c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
  return nullptr;
}

Status Nccl::load() {
  void *library = openLibrary();
  if (!library)
    return Status::error(
        "no NCCL, which ranks on GPUs need: expected libnccl.so.2 on the "
        "library path, or in lib64 or lib of $CUDA_HOME or /usr/local/cuda");
  const char *missing = nullptr;
  auto resolve = [&](const char *name, auto *&function) {
    void *address = dlsym(library, name);
    if (!address && !missing)
      missing = name;
    function = reinterpret_cast<std::decay_t<decltype(function)>>(address);
  };
#define MM01_NCCL_RESOLVE(name, ...) resolve(#name, name);
  MM01_NCCL_FUNCTIONS(MM01_NCCL_RESOLVE)
#undef MM01_NCCL_RESOLVE
  resolve("ncclGetErrorString", ncclGetErrorString);
  if (missing)
    return Status::error("NCCL has no ", missing, ", expected version ",
                         versionText(version), " or newer");
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
