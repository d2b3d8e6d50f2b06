//===- Forward.h - where an inference entry has its arguments -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments and results of an inference entry by their roles
// (docs/contract.md, "The entry of an inference program"), and what the
// program's configuration says about decoding.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_SESSION_FORWARD_H
#define MM01_RUNTIME_SESSION_FORWARD_H

#include "runtime/core/Manifest.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mm01 {

struct ForwardSpec {
  /// Index of the entry in the manifest.
  size_t entry = 0;
  /// Indices of its arguments.
  size_t tokens = 0;
  size_t ragged = 0;
  size_t logitRows = 0;
  std::optional<size_t> routes;         ///< [layers, T, k] i32
  std::optional<size_t> lightningState; ///< [layers, slots, …]
  std::optional<size_t> keys;           ///< [layers, pages, 64, …]
  std::optional<size_t> values;         ///< [layers, pages, 64, …]
  /// Index of the result logits [R, vocabulary], f32.
  size_t logits = 0;
  int64_t vocabulary = 0;
  /// Experts of each layer: num_local_experts of the model's configuration, or
  /// what a route can count.
  int64_t experts = 0;
  /// Positions that a sequence may have: max_position_embeddings of the model's
  /// configuration, or what the ABI can count.
  int64_t maxPositions = 0;
  /// eos_token_id of the configuration: none, one or several.
  std::vector<int32_t> endOfSequence;

  /// Finds an inference entry. Fails, in one line that names the entry and the
  /// role, when the entry is missing or is none.
  static Result<ForwardSpec> find(const Manifest &manifest,
                                  std::string_view entry = "forward");
};

/// Whether the entry has the roles of an inference entry at all.
bool looksLikeForward(const EntrySpec &entry);

} // namespace mm01

#endif // MM01_RUNTIME_SESSION_FORWARD_H
