//===- Kernels.cpp - the loaded kernels of a GPU --------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Kernels.h"

#include <array>

using namespace mm01;
using namespace mm01::cuda;

/// Dynamic shared memory that every kernel may have without asking.
static constexpr int64_t freeSharedBytes = 48 << 10;
/// Blocks of a cluster that every kernel may have without asking.
static constexpr int64_t portableCluster = 8;

Kernels::~Kernels() {
  for (auto &[id, kernel] : loaded)
    driver.cuModuleUnload(kernel.module);
}

Result<Module> Kernels::load(const mm01_device_kernel &kernel) {
  Module module = nullptr;
  if (kernel.cubin) {
    ResultCode code =
        driver.cuModuleLoadDataEx(&module, kernel.cubin, 0, nullptr, nullptr);
    if (code == 0)
      return module;
    if (code != noBinaryForGpu)
      return driver.check(code, "cuModuleLoadDataEx of the machine code");
  }
  std::array<char, 1024> log{};
  JitOption options[] = {errorLogBuffer, errorLogBufferBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  ResultCode code =
      driver.cuModuleLoadDataEx(&module, kernel.ptx, 2, options, values);
  if (code == 0)
    return module;
  Status status = driver.check(code, "cuModuleLoadDataEx of the PTX");
  if (!log[0])
    return status;
  return Status::error(status.message(), ": ", log.data());
}

Result<Function> Kernels::get(const mm01_device_kernel &kernel) {
  auto known = loaded.find(kernel.id);
  if (known != loaded.end())
    return known->second.function;
  auto failed = [&](const Status &why) {
    return Status::error("kernel ", kernel.name, ": ", why.message());
  };
  Result<Module> module = load(kernel);
  if (module.failed())
    return failed(module.status());
  // Known from here on, so that the module is unloaded in the end.
  Loaded &entry = loaded[kernel.id];
  entry.module = *module;
  auto prepare = [&]() -> Status {
    MM01_RETURN_IF_FAILED(driver.check(
        driver.cuModuleGetFunction(&entry.function, *module, kernel.name),
        "cuModuleGetFunction"));
    if (kernel.dynamic_shared_bytes > freeSharedBytes)
      MM01_RETURN_IF_FAILED(driver.check(
          driver.cuFuncSetAttribute(
              entry.function, maxDynamicSharedBytes,
              static_cast<int>(kernel.dynamic_shared_bytes)),
          concat("cuFuncSetAttribute for ", kernel.dynamic_shared_bytes,
                 " bytes of shared memory")
              .c_str()));
    if (kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2] >
        portableCluster)
      MM01_RETURN_IF_FAILED(driver.check(
          driver.cuFuncSetAttribute(entry.function,
                                    nonPortableClusterSizeAllowed, 1),
          "cuFuncSetAttribute for more than 8 blocks of a cluster"));
    return {};
  };
  if (Status status = prepare(); status.failed()) {
    driver.cuModuleUnload(entry.module);
    loaded.erase(kernel.id);
    return failed(status);
  }
  return entry.function;
}
