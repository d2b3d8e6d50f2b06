//===- Checkpoint.h - the tensors of a model, in one file or many ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_SAFETENSORS_CHECKPOINT_H
#define MM01_FRONTEND_SAFETENSORS_CHECKPOINT_H

#include "frontend/safetensors/File.h"

namespace mm01::safetensors {

/// All tensors of a checkpoint, mapped read-only (see File).
class Checkpoint {
public:
  /// `path` is a .safetensors file, a folder that holds either
  /// model.safetensors or model.safetensors.index.json and its shards, or
  /// such an index itself. Index and shards must name the same tensors.
  static Result<Checkpoint> open(const std::string &path);

  const std::string &path() const { return root; }

  /// Sorted by name; pointers stay valid when the checkpoint is moved.
  const std::vector<const TensorInfo *> &tensors() const { return sorted; }

  /// Null if there is none of this name.
  const TensorInfo *find(std::string_view name) const;

private:
  Checkpoint() = default;

  static Result<Checkpoint> openIndex(const std::string &path);

  /// Fills `sorted` from `files`; fails if two files hold the same tensor.
  Status collect();

  std::string root;
  std::vector<File> files;
  std::vector<const TensorInfo *> sorted;
};

} // namespace mm01::safetensors

#endif // MM01_FRONTEND_SAFETENSORS_CHECKPOINT_H
