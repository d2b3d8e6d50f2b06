//===- Kernels.h - the loaded kernels of a GPU ----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CUDA_KERNELS_H
#define MM01_RUNTIME_CUDA_KERNELS_H

#include "runtime/abi/program.h"
#include "runtime/cuda/Driver.h"

#include <unordered_map>

namespace mm01::cuda {

/// Loads each kernel once, when it is first asked for, and keeps it. A kernel
/// is known by the checksum of its images, so that equal kernels of several
/// programs are one, and a program may go away.
class Kernels {
public:
  explicit Kernels(const Driver &driver) : driver(driver) {}
  Kernels(const Kernels &) = delete;
  Kernels &operator=(const Kernels &) = delete;
  /// Unloads them in the current context.
  ~Kernels();

  /// The kernel's function, ready to be launched with its shared memory and
  /// clusters. The machine code is tried first; where there is none, or it is
  /// for another chip, the driver compiles the PTX. Fails, naming the kernel.
  Result<Function> get(const mm01_device_kernel &kernel);

private:
  Result<Module> load(const mm01_device_kernel &kernel);

  struct Loaded {
    Module module = nullptr;
    Function function = nullptr;
  };
  const Driver &driver;
  std::unordered_map<uint64_t, Loaded> loaded;
};

} // namespace mm01::cuda

#endif // MM01_RUNTIME_CUDA_KERNELS_H
