//===- Graphs.h - captured work of a GPU ----------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CUDA_GRAPHS_H
#define MM01_RUNTIME_CUDA_GRAPHS_H

#include "runtime/core/Device.h"
#include "runtime/cuda/Driver.h"

namespace mm01::cuda {

/// A CUDA graph, ready to be launched: hundreds of kernels cost the host one
/// call, and the GPU no pause between them.
class CapturedGraph final : public DeviceGraph {
public:
  /// Captures what `work` puts on the stream. Fails with `work`, and where it
  /// does what cannot be captured; the stream is as before in all cases.
  static Result<std::unique_ptr<DeviceGraph>>
  capture(const Driver &driver, Stream stream,
          const std::function<Status()> &work);

  CapturedGraph(const CapturedGraph &) = delete;
  CapturedGraph &operator=(const CapturedGraph &) = delete;
  /// In the current context.
  ~CapturedGraph() override;

  Status launch(Stream stream) const;

private:
  CapturedGraph(const Driver &driver, GraphExec ready)
      : driver(driver), ready(ready) {}

  const Driver &driver;
  GraphExec ready;
};

} // namespace mm01::cuda

#endif // MM01_RUNTIME_CUDA_GRAPHS_H
