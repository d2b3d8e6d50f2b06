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

class RandomHelpers;
class WeightSource;

/// The parameters of a program, bound to the tensors of a checkpoint. The
/// tensors stay in their files, which are mapped; random and int8 ones are made
/// once. A device with memory of its own gets a copy there, or makes random
/// ones itself. The device must outlive the weights.
class Weights {
public:
  /// Binds every parameter of `manifest` to `source`: a checkpoint's directory
  /// or file, or "random:SEED" (docs/contract.md, "Parameters are bindings").
  /// Refuses a missing, an extra, a misshapen tensor or one of another type,
  /// naming file and tensor, an int8 parameter that is not finite, and what is
  /// made and does not fit in memory. A device with memory of its own makes
  /// random parameters by those of `helpers` that the program has.
  static Result<Weights> bind(const Manifest &manifest, std::string_view source,
                              Device &device, RandomHelpers *helpers = nullptr);

  Weights(Weights &&) noexcept;
  Weights &operator=(Weights &&) noexcept;
  ~Weights();

  /// The parts of parameter `index` of the manifest, and the scales of them if
  /// it is int8: `data` of a weight argument. Valid as long as the weights
  /// live.
  const void *const *parts(size_t index) const { return tables[index].data(); }

private:
  struct Storage;

  Weights();
  Status bindRandom(const Manifest &manifest, std::string_view seed,
                    Device &device, RandomHelpers *helpers);
  Status bindCheckpoint(const Manifest &manifest, const std::string &path,
                        Device &device);
  /// Makes the parameters `which` in memory.
  Status own(const Manifest &manifest, const std::vector<size_t> &which,
             const WeightSource &source, Device &device);
  /// Makes parameter `index` on the device.
  Status makeThere(const ParameterSpec &parameter, size_t index, uint64_t seed,
                   Device &device, RandomHelpers &helpers);
  Result<char *> reserveThere(const ParameterSpec &parameter, Device &device);
  Status upload(const Manifest &manifest, Device &device);

  /// The pointer table of each parameter.
  std::vector<std::vector<const void *>> tables;
  std::unique_ptr<Storage> storage;
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_WEIGHTS_H
