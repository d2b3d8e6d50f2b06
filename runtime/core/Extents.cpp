//===- Extents.cpp - extents of arguments that must be equal -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Extents.h"

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
  return {};
}
