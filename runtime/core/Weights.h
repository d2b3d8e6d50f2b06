//===- Weights.h - a program's parameters in memory ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_WEIGHTS_H
#define MM01_RUNTIME_CORE_WEIGHTS_H

#include "runtime/core/Device.h"
#include "runtime/core/Manifest.h"

#include <memory>

namespace mm01 {

/// The parameters of a program, bound to the tensors of a checkpoint. The
/// tensors stay in their files, which are mapped; random ones are made once. A
/// device with memory of its own gets a copy there. The device must outlive the
/// weights.
class Weights {
public:
  /// Binds every parameter of `manifest` to `source`: a checkpoint's directory
  /// or file, or "random:SEED" (docs/contract.md, "Parameters are bindings").
  /// Refuses a missing, an extra, a misshapen tensor or one of another type,
  /// naming file and tensor, and random weights that do not fit in memory.
  static Result<Weights> bind(const Manifest &manifest, std::string_view source,
                              Device &device);

  Weights(Weights &&) noexcept;
  Weights &operator=(Weights &&) noexcept;
  ~Weights();

  /// The parts of parameter `index` of the manifest: `data` of a weight
  /// argument. Valid as long as the weights live.
  const void *const *parts(size_t index) const {
    return partPointers[index].data();
  }

private:
  Weights();
  /// Binds to tensors in memory of the host.
  Status bindOnHost(const Manifest &manifest, std::string_view source,
                    Device &device);

  std::vector<std::vector<const void *>> partPointers;
  /// What keeps the pointers valid: a mapped checkpoint, or owned
  /// memory of the host or the device.
  std::shared_ptr<const void> storage;
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_WEIGHTS_H
