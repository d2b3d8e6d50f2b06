//===- DecodeGraphs.cpp - decode steps captured by their size -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/session/DecodeGraphs.h"

#include <algorithm>
#include <bit>

using namespace mm01;

int64_t mm01::paddedTo(int64_t number, int64_t most) {
  return std::min(
      most, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(number))));
}

Status DecodeGraphs::run(Device &device, DecodeSize size,
                         const std::function<Memory()> &memory,
                         const std::function<Status()> &work) {
  Entry &entry = entries[size];
  if (entry.memory != memory()) {
    entry = {};
    MM01_RETURN_IF_FAILED(work());
    entry.memory = memory();
    return {};
  }
  if (!entry.graph) {
    Result<std::unique_ptr<DeviceGraph>> graph = device.capture(work);
    MM01_RETURN_IF_FAILED(graph);
    entry.graph = *std::move(graph);
  }
  return device.replay(*entry.graph);
}
