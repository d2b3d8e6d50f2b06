//===- FileArguments.h - arguments read from a safetensors file ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_MM01_RUN_FILEARGUMENTS_H
#define MM01_TOOLS_MM01_RUN_FILEARGUMENTS_H

#include "frontend/safetensors/File.h"
#include "frontend/safetensors/Writer.h"
#include "runtime/core/Executor.h"
#include "runtime/core/Ragged.h"

#include <deque>

namespace mm01 {

/// The arguments of one entry out of a file (docs/contract.md, "Arguments in
/// files"). Tensors are private copies in memory of the device, since a call
/// may update them in place; weights stay in the mapped file where the device
/// can read it, but for int8 ones, which are made of the floats there.
class FileArguments {
public:
  /// Reads and checks every argument: presence, type, shape, tokens within the
  /// vocabulary, rows of logits and ragged batches within their limits, and
  /// that the file has no other tensor.
  static Result<FileArguments> read(const Manifest &manifest,
                                    const EntrySpec &entry,
                                    const std::string &path, Device &device);

  std::span<const mm01_argument> arguments() const { return packed; }

  /// Waits for the call and adds its result i as tensor `result<i>`; the file
  /// must be written while this object and the sink live. Fails with the call.
  Status addResults(const EntrySpec &entry, const ResultSink &sink,
                    safetensors::Writer &writer);

private:
  FileArguments(safetensors::File file, Device &device)
      : file(std::move(file)), device(&device) {}

  safetensors::File file;
  Device *device;
  /// One per argument; empty for those that are no tensors, but for the
  /// elements of int8 weights.
  std::vector<TensorBuffer> tensors;
  std::vector<int64_t> scalars;
  /// A deque keeps the addresses of its elements.
  std::deque<RaggedBatch> batches;
  std::deque<DeviceBuffer> copies;
  std::deque<AlignedBuffer> results;
  std::deque<std::vector<const void *>> weightParts;
  std::deque<AlignedBuffer> quantized;
  std::vector<mm01_argument> packed;

  friend class ArgumentReader;
};

} // namespace mm01

#endif // MM01_TOOLS_MM01_RUN_FILEARGUMENTS_H
