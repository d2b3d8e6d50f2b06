//===- Ragged.cpp - a checked batch of sequences -------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Ragged.h"

#include <cstring>
#include <limits>
#include <string>
#include <unordered_map>

using namespace mm01;

namespace {

/// What is checked, and the message's way to name an element of it.
struct Batch {
  const std::vector<int32_t> &seqOffsets, &past, &slot, &pageTable;
  int64_t sequences;
  int64_t pages; // columns of pageTable

  int64_t length(int64_t n) const { return seqOffsets[n + 1] - seqOffsets[n]; }
};

std::string element(const char *field, int64_t index) {
  return concat("ragged.", field, '[', index, ']');
}

Status checkSizes(const Batch &batch, const RaggedLimits &limits) {
  int64_t n = batch.sequences;
  if (n < 1)
    return Status::error("ragged.seq_offsets: expected at least 2 elements, "
                         "found ",
                         batch.seqOffsets.size());
  if (limits.maxSequences && n > *limits.maxSequences)
    return Status::error("ragged.seq_offsets: ", n,
                         " sequences, expected at most ", *limits.maxSequences,
                         " (the program's max_sequences)");
  auto count = [&](const char *field, size_t found) {
    return static_cast<int64_t>(found) == n
               ? Status()
               : Status::error("ragged.", field, ": expected ", n,
                               " elements, one a sequence, found ", found);
  };
  MM01_RETURN_IF_FAILED(count("past", batch.past.size()));
  MM01_RETURN_IF_FAILED(count("slot", batch.slot.size()));
  if (batch.pageTable.size() % n != 0)
    return Status::error("ragged.page_table: expected a multiple of ", n,
                         " elements, found ", batch.pageTable.size());
  return {};
}

Status checkOffsets(const Batch &batch, const RaggedLimits &limits) {
  if (batch.seqOffsets[0] != 0)
    return Status::error(element("seq_offsets", 0), ": expected 0, found ",
                         batch.seqOffsets[0]);
  for (int64_t n = 0; n < batch.sequences; ++n)
    if (batch.seqOffsets[n + 1] <= batch.seqOffsets[n])
      return Status::error(element("seq_offsets", n + 1),
                           ": expected more than ", batch.seqOffsets[n],
                           ", found ", batch.seqOffsets[n + 1]);
  if (limits.maxTokens && batch.seqOffsets.back() > *limits.maxTokens)
    return Status::error("ragged.seq_offsets: ", batch.seqOffsets.back(),
                         " tokens, expected at most ", *limits.maxTokens,
                         " (the program's max_tokens)");
  return {};
}

Status checkPositions(const Batch &batch) {
  for (int64_t n = 0; n < batch.sequences; ++n) {
    if (batch.past[n] < 0)
      return Status::error(element("past", n), ": expected 0 or more, found ",
                           batch.past[n]);
    int64_t most = std::numeric_limits<int32_t>::max() - batch.length(n);
    if (batch.past[n] > most)
      return Status::error(element("past", n), ": expected at most ", most,
                           " before ", batch.length(n), " tokens, found ",
                           batch.past[n]);
  }
  return {};
}

Status checkSlots(const Batch &batch, const RaggedLimits &limits) {
  std::unordered_map<int32_t, int64_t> owner;
  for (int64_t n = 0; n < batch.sequences; ++n) {
    int32_t slot = batch.slot[n];
    if (slot < 0 || (limits.slots && slot >= *limits.slots))
      return Status::error(
          element("slot", n), ": expected 0 or more",
          limits.slots ? concat(" and less than ", *limits.slots) : "",
          ", found ", slot);
    auto [known, added] = owner.emplace(slot, n);
    if (!added)
      return Status::error(element("slot", n),
                           ": expected distinct slots, found ", slot,
                           " which is also ", element("slot", known->second));
  }
  return {};
}

Status checkPages(const Batch &batch, const RaggedLimits &limits) {
  if (batch.pages == 0 && !limits.pages)
    return {};
  // How often a page is used, over all sequences; a page that is written must
  // be used once.
  std::unordered_map<int32_t, int64_t> uses;
  for (int64_t n = 0; n < batch.sequences; ++n) {
    int64_t end = batch.past[n] + batch.length(n);
    int64_t used = (end + pageSize - 1) / pageSize;
    if (used > batch.pages)
      return Status::error("ragged.page_table: expected at least ", used,
                           " columns for the ", end, " positions of sequence ",
                           n, ", found ", batch.pages);
    for (int64_t p = 0; p < used; ++p) {
      int32_t page = batch.pageTable[n * batch.pages + p];
      if (page < 0 || (limits.pages && page >= *limits.pages))
        return Status::error(
            "ragged.page_table[", n, ", ", p, "]: expected 0 or more",
            limits.pages ? concat(" and less than ", *limits.pages) : "",
            ", found ", page);
      ++uses[page];
    }
  }
  for (int64_t n = 0; n < batch.sequences; ++n) {
    int64_t last = (batch.past[n] + batch.length(n) - 1) / pageSize;
    for (int64_t p = batch.past[n] / pageSize; p <= last; ++p) {
      int32_t page = batch.pageTable[n * batch.pages + p];
      if (uses[page] != 1)
        return Status::error("ragged.page_table[", n, ", ", p,
                             "]: expected a page of its own for the tokens "
                             "written to it, found ",
                             page, " which is used ", uses[page], " times");
    }
  }
  return {};
}

} // namespace

Result<RaggedBatch> RaggedBatch::create(std::vector<int32_t> seqOffsets,
                                        std::vector<int32_t> past,
                                        std::vector<int32_t> slot,
                                        std::vector<int32_t> pageTable,
                                        const RaggedLimits &limits) {
  int64_t sequences = static_cast<int64_t>(seqOffsets.size()) - 1;
  int64_t pages =
      sequences > 0 ? static_cast<int64_t>(pageTable.size()) / sequences : 0;
  Batch batch{seqOffsets, past, slot, pageTable, sequences, pages};
  MM01_RETURN_IF_FAILED(checkSizes(batch, limits));
  MM01_RETURN_IF_FAILED(checkOffsets(batch, limits));
  MM01_RETURN_IF_FAILED(checkPositions(batch));
  MM01_RETURN_IF_FAILED(checkSlots(batch, limits));
  MM01_RETURN_IF_FAILED(checkPages(batch, limits));

  RaggedBatch result;
  result.tokenSequence.reserve(seqOffsets.back());
  result.tokenPosition.reserve(seqOffsets.back());
  for (int64_t n = 0; n < sequences; ++n) {
    if (batch.length(n) > 1)
      result.severalSequence.push_back(static_cast<int32_t>(n));
    for (int64_t i = 0; i < batch.length(n); ++i) {
      result.tokenSequence.push_back(static_cast<int32_t>(n));
      result.tokenPosition.push_back(static_cast<int32_t>(past[n] + i));
    }
  }
  result.descriptor.several =
      static_cast<int64_t>(result.severalSequence.size());
  result.severalSequence.resize(sequences, 0);
  result.descriptor.tokens = seqOffsets.back();
  result.descriptor.sequences = sequences;
  result.descriptor.pages = pages;
  result.seqOffsets = std::move(seqOffsets);
  result.past = std::move(past);
  result.slot = std::move(slot);
  result.pageTable = std::move(pageTable);
  result.point();
  return result;
}

// Moving a vector keeps its elements where they are, and empties the source.
RaggedBatch::RaggedBatch(RaggedBatch &&) noexcept = default;
RaggedBatch &RaggedBatch::operator=(RaggedBatch &&) noexcept = default;

void RaggedBatch::pad(int64_t tokens, int64_t sequences, int64_t pages,
                      int32_t page) {
  std::vector<int32_t> table;
  table.reserve(sequences * pages);
  for (int64_t n = 0; n < descriptor.sequences; ++n) {
    auto row = pageTable.begin() + n * descriptor.pages;
    table.insert(table.end(), row, row + descriptor.pages);
    table.resize((n + 1) * pages, 0);
  }
  table.resize(sequences * pages, page);
  pageTable = std::move(table);
  seqOffsets.resize(sequences + 1, seqOffsets.back());
  past.resize(sequences, 0);
  slot.resize(sequences, 0);
  tokenSequence.resize(tokens, static_cast<int32_t>(sequences - 1));
  tokenPosition.resize(tokens, 0);
  severalSequence.resize(sequences, 0);
  descriptor.tokens = tokens;
  descriptor.sequences = sequences;
  descriptor.pages = pages;
  point();
}

Status RaggedBatch::copyTo(Device &device, DeviceBuffer &memory) {
  if (device.sharesMemory())
    return {};
  // The descriptor, then the arrays, in one piece.
  const std::vector<int32_t> *arrays[] = {
      &seqOffsets,    &past,          &slot,           &pageTable,
      &tokenSequence, &tokenPosition, &severalSequence};
  size_t bytes = sizeof(mm01_ragged);
  for (const auto *array : arrays)
    bytes += array->size() * sizeof(int32_t);
  MM01_RETURN_IF_FAILED(
      memory.reserve(device, static_cast<int64_t>(bytes), "a ragged batch"));
  mm01_ragged there = descriptor;
  const int32_t **pointers[] = {
      &there.seq_offsets,     &there.past,           &there.slot,
      &there.page_table,      &there.token_sequence, &there.token_position,
      &there.several_sequence};
  std::vector<char> image(bytes);
  size_t at = sizeof(mm01_ragged);
  char *base = static_cast<char *>(memory.data());
  for (size_t i = 0; i < std::size(arrays); ++i) {
    *pointers[i] = reinterpret_cast<const int32_t *>(base + at);
    size_t part = arrays[i]->size() * sizeof(int32_t);
    if (part)
      std::memcpy(image.data() + at, arrays[i]->data(), part);
    at += part;
  }
  there.device = nullptr;
  std::memcpy(image.data(), &there, sizeof(there));
  descriptor.device = static_cast<const mm01_ragged *>(memory.data());
  return device.copyIn(base, image.data(), static_cast<int64_t>(bytes));
}

void RaggedBatch::point() {
  descriptor.seq_offsets = seqOffsets.data();
  descriptor.past = past.data();
  descriptor.slot = slot.data();
  descriptor.page_table = pageTable.data();
  descriptor.token_sequence = tokenSequence.data();
  descriptor.token_position = tokenPosition.data();
  descriptor.several_sequence = severalSequence.data();
}
