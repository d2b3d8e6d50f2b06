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

/// Whether an entry is quantize(from, to, scales), which updates the last two.
static bool isQuantizer(const EntrySpec &entry, ElementType type) {
  auto isTensor = [&](size_t i, ElementType element, size_t rank) {
    const ArgumentSpec &argument = entry.arguments[i];
    return argument.kind == ArgumentKind::Tensor && argument.type == element &&
           argument.shape == std::vector<int64_t>(rank, -1);
  };
  return entry.isHelper && entry.arguments.size() == 3 &&
         entry.results.size() == 2 && isTensor(0, type, 2) &&
         isTensor(1, ElementType::I8, 2) && isTensor(2, ElementType::F32, 1) &&
         entry.results[0].kind == ResultKind::Tied &&
         entry.results[1].kind == ResultKind::Tied;
}

/// The entry of a name for which `is` holds.
static std::optional<size_t>
findEntry(const Manifest &manifest, const std::string &name, ElementType type,
          bool (*is)(const EntrySpec &, ElementType)) {
  const std::vector<EntrySpec> &entries = manifest.entries;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name && is(entries[i], type))
      return i;
  return std::nullopt;
}

std::optional<size_t> RandomHelpers::find(ElementType type) const {
  return findEntry(program.manifest(),
                   concat("random_weights_", elementName(type)), type,
                   isRandomHelper);
}

std::optional<size_t> RandomHelpers::findQuantizer(ElementType type) const {
  return findEntry(program.manifest(),
                   concat("quantize_rows_", elementName(type)), type,
                   isQuantizer);
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

Status RandomHelpers::fillQuantized(const RandomTensor &tensor,
                                    ElementType type, int64_t first,
                                    int64_t rows, int64_t columns, void *to,
                                    void *scales) {
  std::optional<size_t> entry = findQuantizer(type);
  if (!entry)
    return Status::error(program.path(),
                         ": has no function that quantises rows of ",
                         elementName(type));
  int64_t count = rows * columns;
  MM01_RETURN_IF_FAILED(stored.reserve(
      executor.getDevice(), count * elementBytes(type), "weights to quantise"));
  MM01_RETURN_IF_FAILED(fill(tensor, type, first, count, stored.data()));
  std::array<int64_t, 2> shape = {rows, columns};
  std::array<mm01_argument, 3> arguments = {{{stored.data(), shape.data()},
                                             {to, shape.data()},
                                             {scales, shape.data()}}};
  return executor.run(program, *entry, arguments, sink);
}
