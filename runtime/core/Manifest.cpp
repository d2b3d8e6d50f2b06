//===- Manifest.cpp - what a program says about itself -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Manifest.h"

#include <array>
#include <limits>

using namespace mm01;

namespace {

struct TypeRow {
  ElementType type;
  std::string_view name;
  int64_t bytes;
};

constexpr std::array<TypeRow, 7> types = {{{ElementType::F32, "f32", 4},
                                           {ElementType::F16, "f16", 2},
                                           {ElementType::BF16, "bf16", 2},
                                           {ElementType::I8, "i8", 1},
                                           {ElementType::I32, "i32", 4},
                                           {ElementType::I64, "i64", 8},
                                           {ElementType::Index, "index", 8}}};

template <typename Specs>
std::optional<size_t> findRole(const Specs &specs, std::string_view role) {
  for (size_t i = 0; i < specs.size(); ++i)
    if (specs[i].role == role)
      return i;
  return std::nullopt;
}

} // namespace

int64_t mm01::elementBytes(ElementType type) {
  return types[static_cast<size_t>(type)].bytes;
}

std::string_view mm01::elementName(ElementType type) {
  return types[static_cast<size_t>(type)].name;
}

std::optional<ElementType> mm01::parseElementType(std::string_view name) {
  for (const TypeRow &row : types)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

std::optional<int64_t> mm01::tensorBytes(ElementType type,
                                         const std::vector<int64_t> &shape) {
  // An extent of zero makes the tensor empty however large the others are.
  int64_t bytes = elementBytes(type);
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    empty |= extent == 0;
  }
  if (empty)
    return 0;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  return bytes;
}

std::string mm01::shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (int64_t extent : shape) {
    if (text.size() > 1)
      text += ", ";
    text += extent < 0 ? "?" : std::to_string(extent);
  }
  return text + "]";
}

std::optional<size_t> EntrySpec::findArgument(std::string_view role) const {
  return findRole(arguments, role);
}

std::optional<size_t> EntrySpec::findResult(std::string_view role) const {
  return findRole(results, role);
}

std::string SourceSpec::tensorOf(int64_t part) const {
  std::string name = tensor;
  if (size_t at = name.find("{}"); at != std::string::npos)
    name.replace(at, 2, std::to_string(part));
  return name;
}

std::vector<int64_t> ParameterSpec::partShape() const {
  return {shape.begin() + (shape.size() == 3 ? 1 : 0), shape.end()};
}

int64_t ParameterSpec::partBytes() const {
  return tensorBytes(type, partShape()).value_or(0);
}

Result<size_t> Manifest::findEntry(std::string_view name) const {
  std::string known;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].name == name)
      return i;
    if (!entries[i].isHelper)
      known = i ? concat(known, ", ", entries[i].name) : entries[i].name;
  }
  return Status::error("no entry '", name, "', expected one of: ", known);
}
