//===- Recorder.h - times of launches and copies of a GPU -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CUDA_RECORDER_H
#define MM01_RUNTIME_CUDA_RECORDER_H

#include "runtime/core/Trace.h"
#include "runtime/cuda/Driver.h"

namespace mm01::cuda {

/// Puts an event of the GPU before and behind each piece of work, on its
/// stream: its times are those of the GPU's clock, without waiting for
/// anything.
class Recorder {
public:
  /// `stream` is the one behind whose work all other streams' has been done.
  Recorder(const Driver &driver, Stream stream)
      : driver(driver), stream(stream) {}
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;
  /// In the current context.
  ~Recorder();

  /// The moment that times count from.
  Status start();
  /// Before and behind a piece of work on a stream; its times are filled in.
  Status begin(TraceEvent event, Stream on);
  Status end(Stream on);
  /// Waits for all of it.
  Result<Trace> finish();

private:
  struct Piece {
    TraceEvent event;
    Event begin = nullptr;
    Event end = nullptr;
  };

  Result<Event> mark(Stream on);

  const Driver &driver;
  Stream stream;
  Event origin = nullptr;
  std::vector<Piece> pieces;
};

} // namespace mm01::cuda

#endif // MM01_RUNTIME_CUDA_RECORDER_H
