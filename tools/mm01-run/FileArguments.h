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
/// files"). Tensors and scalars are private copies, since a call may update
/// them in place; weights stay in the mapped file, but for int8 ones, which are
/// made of the floats there.
class FileArguments {
public:
  /// Reads and checks every argument: presence, type, shape, tokens within the
  /// vocabulary, rows of logits and ragged batches within their limits, and
  /// that the file has no other tensor.
  static Result<FileArguments> read(const Manifest &manifest,
                                    const EntrySpec &entry,
                                    const std::string &path);

  std::span<const mm01_argument> arguments() const { return packed; }

  /// Adds result i of the call as tensor `result<i>`; the file must be written
  /// while this object and the sink live.
  void addResults(const EntrySpec &entry, const ResultSink &sink,
                  safetensors::Writer &writer) const;

private:
  explicit FileArguments(safetensors::File file) : file(std::move(file)) {}

  safetensors::File file;
  /// One per argument; empty for ragged batches and weights, but for the
  /// elements of int8 ones.
  std::vector<TensorBuffer> tensors;
  /// A deque keeps the addresses of its elements.
  std::deque<RaggedBatch> batches;
  std::deque<std::vector<const void *>> weightParts;
  std::deque<std::vector<float>> weightScales;
  std::vector<mm01_argument> packed;

  friend class ArgumentReader;
};

} // namespace mm01

#endif // MM01_TOOLS_MM01_RUN_FILEARGUMENTS_H
