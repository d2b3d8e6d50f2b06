//===- RandomHelpers.cpp - random weights made by the program -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/RandomHelpers.h"

#include <array>

using namespace mm01;

/// Whether an entry is to(tensor, seed, name, first, scale, offset), which
/// updates the tensor.
static bool isRandomHelper(const EntrySpec &entry, ElementType type) {
  constexpr std::array scalars = {ElementType::I64, ElementType::I64,
                                  ElementType::I64, ElementType::F32,
                                  ElementType::F32};
  if (!entry.isHelper || entry.arguments.size() != 1 + scalars.size() ||
      entry.results.size() != 1 || entry.results[0].kind != ResultKind::Tied)
    return false;
  const ArgumentSpec &to = entry.arguments[0];
  for (size_t i = 0; i < scalars.size(); ++i)
    if (entry.arguments[i + 1].kind != ArgumentKind::Scalar ||
        entry.arguments[i + 1].type != scalars[i])
      return false;
  return to.kind == ArgumentKind::Tensor && to.type == type &&
         to.shape == std::vector<int64_t>{-1};
}

std::optional<size_t> RandomHelpers::find(ElementType type) const {
  const std::vector<EntrySpec> &entries = program.manifest().entries;
  std::string name = concat("random_weights_", elementName(type));
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name && isRandomHelper(entries[i], type))
      return i;
  return std::nullopt;
}

Status RandomHelpers::fill(const RandomTensor &tensor, ElementType type,
                           int64_t first, int64_t count, void *to) {
  std::optional<size_t> entry = find(type);
  if (!entry)
    return Status::error(program.path(),
                         ": has no function that makes random weights of ",
                         elementName(type));
  uint64_t seed = tensor.getSeed(), name = tensor.getNameHash();
  float scale = tensor.getScale(), offset = tensor.getOffset();
  std::array<mm01_argument, 6> arguments = {{{to, &count},
                                             {&seed, nullptr},
                                             {&name, nullptr},
                                             {&first, nullptr},
                                             {&scale, nullptr},
                                             {&offset, nullptr}}};
  return executor.run(program, *entry, arguments, sink);
}
