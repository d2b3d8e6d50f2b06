//===- DecodeGraphs.h - decode steps captured by their size ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decode step of a large model is hundreds of small kernels, whose launches
// take the host longer than the GPU takes to run them. What a program launches
// depends on the sizes of a batch alone (docs/contract.md, "Kernels and host"):
// so batches are padded to a few sizes, and a step of a size is captured once.
// What changes from step to step, tokens, positions, slots and pages, lies in
// memory of the device at the same addresses.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_SESSION_DECODEGRAPHS_H
#define MM01_RUNTIME_SESSION_DECODEGRAPHS_H

#include "runtime/core/Device.h"

#include <map>
#include <vector>

namespace mm01 {

/// What a step is padded to.
struct DecodeSize {
  int64_t sequences = 0; ///< and tokens, and rows of logits
  int64_t pages = 0;     ///< columns of the page table

  auto operator<=>(const DecodeSize &) const = default;
};

/// The least power of two that is not below a number from 1, but no more than
/// `most`, which is not below it either.
int64_t paddedTo(int64_t number, int64_t most);

class DecodeGraphs {
public:
  using Memory = std::vector<const void *>;

  /// Does `work`, a step of this size, whose launches name `memory()`. The
  /// first time it is done as it is, which loads kernels and lets buffers grow;
  /// from the second time on as a graph. Where the memory has moved, it starts
  /// over.
  Status run(Device &device, DecodeSize size,
             const std::function<Memory()> &memory,
             const std::function<Status()> &work);

private:
  struct Entry {
    Memory memory; // after the first step
    std::unique_ptr<DeviceGraph> graph;
  };
  std::map<DecodeSize, Entry> entries;
};

} // namespace mm01

#endif // MM01_RUNTIME_SESSION_DECODEGRAPHS_H
