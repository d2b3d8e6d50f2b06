//===- Extents.cpp - what arguments must keep to --------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Extents.h"

#include <algorithm>

using namespace mm01;

namespace {

constexpr const char *raggedSizes[] = {"tokens", "sequences",
                                       "pages a sequence"};

/// "argument 2 has extent 1 in dimension 0", "argument 1 has 4 tokens",
/// "argument 3 is 5"
std::string found(const EntrySpec &entry, ExtentPlace place, int64_t value) {
  const std::string argument = concat("argument ", place.argument);
  switch (entry.arguments[place.argument].kind) {
  case ArgumentKind::Ragged:
    return concat(argument, " has ", value, ' ', raggedSizes[place.extent]);
  case ArgumentKind::Scalar:
    return concat(argument, " is ", value);
  case ArgumentKind::Tensor:
  case ArgumentKind::Weight:
    break;
  }
  return concat(argument, " has extent ", value, " in dimension ",
                place.extent);
}

/// "argument 0 has in dimension 0", "argument 1 has tokens", "argument 3 is"
std::string expectedLike(const EntrySpec &entry, ExtentPlace place) {
  const std::string argument = concat("argument ", place.argument);
  switch (entry.arguments[place.argument].kind) {
  case ArgumentKind::Ragged:
    return concat(argument, " has ", raggedSizes[place.extent]);
  case ArgumentKind::Scalar:
    return argument + " is";
  case ArgumentKind::Tensor:
  case ArgumentKind::Weight:
    break;
  }
  return concat(argument, " has in dimension ", place.extent);
}

int64_t extentOf(const EntrySpec &entry,
                 std::span<const mm01_argument> arguments, ExtentPlace place) {
  const mm01_argument &argument = arguments[place.argument];
  switch (entry.arguments[place.argument].kind) {
  case ArgumentKind::Ragged: {
    const auto &batch = *static_cast<const mm01_ragged *>(argument.data);
    const int64_t sizes[] = {batch.tokens, batch.sequences, batch.pages};
    return sizes[place.extent];
  }
  case ArgumentKind::Scalar:
    return *static_cast<const int64_t *>(argument.data);
  case ArgumentKind::Tensor:
  case ArgumentKind::Weight:
    break;
  }
  return argument.shape[place.extent];
}

/// The slots that a batch reaches: one more than the highest.
int64_t slotsOf(const mm01_ragged &batch) {
  int64_t slots = 0;
  for (int64_t n = 0; n < batch.sequences; ++n)
    slots = std::max<int64_t>(slots, batch.slot[n] + int64_t(1));
  return slots;
}

/// The same of pages of so many positions; nothing where the table ends before.
std::optional<int64_t> pagesOf(const mm01_ragged &batch, int64_t positions) {
  if (positions < 1)
    return std::nullopt;
  int64_t pages = 0;
  for (int64_t n = 0; n < batch.sequences; ++n) {
    int64_t length = batch.seq_offsets[n + 1] - batch.seq_offsets[n];
    int64_t used =
        length == 0 ? 0 : (batch.past[n] + length + positions - 1) / positions;
    if (used > batch.pages)
      return std::nullopt;
    for (int64_t p = 0; p < used; ++p)
      pages = std::max<int64_t>(pages, batch.page_table[n * batch.pages + p] +
                                           int64_t(1));
  }
  return pages;
}

/// Kernels go where batches and layers send them and check nothing.
Status checkCache(const CacheUse &use,
                  std::span<const mm01_argument> arguments) {
  const int64_t *shape = arguments[use.cache].shape;
  if (use.layer) {
    int64_t layer = *static_cast<const int64_t *>(arguments[*use.layer].data);
    if (layer < 0 || layer >= shape[0])
      return Status::error("argument ", *use.layer, " is ", layer,
                           ", expected a layer of argument ", use.cache,
                           ", which has ", shape[0]);
  } else if (shape[0] < use.layers) {
    return Status::error("argument ", use.cache, " has extent ", shape[0],
                         " in dimension 0, expected at least ", use.layers,
                         " layers");
  }
  const auto &batch =
      *static_cast<const mm01_ragged *>(arguments[use.batch].data);
  bool slots = use.rows == CacheUse::Rows::Slots;
  std::optional<int64_t> rows =
      slots ? slotsOf(batch) : pagesOf(batch, shape[2]);
  if (!rows)
    return Status::error("argument ", use.batch, " has ", batch.pages,
                         " pages a sequence, too few for pages of ", shape[2],
                         " positions in argument ", use.cache);
  if (*rows > shape[1])
    return Status::error("argument ", use.cache, " has extent ", shape[1],
                         " in dimension 1, expected at least ", *rows,
                         " for the ", slots ? "slots" : "pages",
                         " of argument ", use.batch);
  return {};
}

} // namespace

Status mm01::checkExtents(const EntrySpec &entry,
                          std::span<const mm01_argument> arguments) {
  for (const ExtentRule &rule : entry.extentRules) {
    const int64_t value = extentOf(entry, arguments, rule.place);
    const int64_t expected =
        rule.like ? extentOf(entry, arguments, *rule.like) : rule.number;
    if (value != expected)
      return Status::error(
          found(entry, rule.place, value), ", expected ", expected,
          rule.like ? " as " + expectedLike(entry, *rule.like) : "");
  }
  for (const CacheUse &use : entry.cacheUses)
    MM01_RETURN_IF_FAILED(checkCache(use, arguments));
  return {};
}
