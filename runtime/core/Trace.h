//===- Trace.h - what a device did, and when ------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_TRACE_H
#define MM01_RUNTIME_CORE_TRACE_H

#include "frontend/safetensors/Status.h"
#include "frontend/safetensors/TemporaryFile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mm01 {

/// One launch or copy.
struct TraceEvent {
  enum class Kind { Kernel, CopyIn, CopyOut, CopyWithin };

  Kind kind = Kind::Kernel;
  std::string name;  ///< of the kernel; empty for a copy
  int64_t size = 0;  ///< workgroups or blocks of the launch, bytes of the copy
  size_t stream = 0; ///< 0, or the number of a branch beside that one
  double begin = 0;  ///< seconds since the trace began, by the device's clock
  double seconds = 0;
};

/// The events of a device between Device::startTrace() and finishTrace(), in
/// the order in which they began.
using Trace = std::vector<TraceEvent>;

/// A file for a trace, in the format of Chrome's trace events, which Perfetto
/// opens: a row for kernels, one for copies, and one for the kernels of each
/// further stream.
class TraceFile {
public:
  /// Refuses, in one line, a path that cannot be written. Nothing is at `path`
  /// until write() succeeds.
  static Result<TraceFile> create(const std::string &path);

  Status write(const Trace &trace);

private:
  explicit TraceFile(TemporaryFile file) : file(std::move(file)) {}

  TemporaryFile file;
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_TRACE_H
