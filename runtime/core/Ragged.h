//===- Ragged.h - a checked batch of sequences ---------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_RAGGED_H
#define MM01_RUNTIME_CORE_RAGGED_H

#include "frontend/safetensors/Status.h"
#include "runtime/core/DeviceMemory.h"

#include <optional>
#include <vector>

namespace mm01 {

/// What a batch is checked against; a limit that is absent is not checked.
struct RaggedLimits {
  std::optional<int64_t> maxTokens;
  std::optional<int64_t> maxSequences;
  /// Rows of the lightning state.
  std::optional<int64_t> slots;
  /// Pages of the keys and values. Without it a page_table of no columns is
  /// allowed: the program has no softmax attention.
  std::optional<int64_t> pages;
};

/// Positions in one page of keys and values.
inline constexpr int64_t pageSize = 64;

/// Owns the arrays of one mm01_ragged.
class RaggedBatch {
public:
  /// Builds a batch of N sequences. `pageTable` is [N, P], row-major, with
  /// P = pageTable.size() / N; entries past a sequence's last position are not
  /// read. Refuses, in one line that names the field and the index:
  ///   seq_offsets  of other than N + 1 elements, not starting at 0, not rising
  ///   past         negative, or past + length over int32
  ///   slot         out of range, or twice
  ///   page_table   too narrow, a page out of range, or a page that is written
  ///                in this call and used elsewhere in it
  ///   T, N         over the limits
  static Result<RaggedBatch> create(std::vector<int32_t> seqOffsets,
                                    std::vector<int32_t> past,
                                    std::vector<int32_t> slot,
                                    std::vector<int32_t> pageTable,
                                    const RaggedLimits &limits);

  /// Adds padding, so that calls of different batches are of one size:
  /// sequences without tokens up to `sequences`, tokens that belong to none of
  /// them up to `tokens`, and columns of page_table up to `pages`. A token of
  /// padding says that it is the first of the last sequence, and every page of
  /// a sequence that was added is `page`: kernels that go by tokens read and
  /// write there. None of the numbers is below what there is, and tokens are
  /// added only if a sequence is.
  void pad(int64_t tokens, int64_t sequences, int64_t pages, int32_t page);

  /// Gives a device that does not share the host's memory a copy in `memory`,
  /// which must live as long as the batch is used there.
  Status copyTo(Device &device, DeviceBuffer &memory);

  /// Valid until the batch dies; moving the batch keeps it valid.
  const mm01_ragged *get() const { return &descriptor; }
  int64_t tokens() const { return descriptor.tokens; }
  int64_t sequences() const { return descriptor.sequences; }

  RaggedBatch(RaggedBatch &&) noexcept;
  RaggedBatch &operator=(RaggedBatch &&) noexcept;

private:
  RaggedBatch() = default;
  void point();

  std::vector<int32_t> seqOffsets, past, slot, pageTable;
  std::vector<int32_t> tokenSequence, tokenPosition, severalSequence;
  mm01_ragged descriptor{};
};

} // namespace mm01

#endif // MM01_RUNTIME_CORE_RAGGED_H
