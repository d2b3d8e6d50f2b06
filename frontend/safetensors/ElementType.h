//===- ElementType.h - element types of tensors in files ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_SAFETENSORS_ELEMENTTYPE_H
#define MM01_FRONTEND_SAFETENSORS_ELEMENTTYPE_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mm01::safetensors {

/// The safetensors dtypes that mm01 reads and writes. The format has more
/// (8-bit floats, U32, U64, complex); a file that uses them is refused.
enum class ElementType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  I64,
  I32,
  I16,
  I8,
  U16,
  U8,
  Bool
};

namespace detail {
struct ElementTypeRow {
  ElementType type;
  std::string_view dtype;    // in a safetensors header
  std::string_view manifest; // in a program's manifest; empty: not used there
  uint8_t bytes;
};

inline constexpr std::array<ElementTypeRow, 11> elementTypes = {{
    {ElementType::F64, "F64", "", 8},
    {ElementType::F32, "F32", "f32", 4},
    {ElementType::F16, "F16", "f16", 2},
    {ElementType::BF16, "BF16", "bf16", 2},
    {ElementType::I64, "I64", "i64", 8},
    {ElementType::I32, "I32", "i32", 4},
    {ElementType::I16, "I16", "", 2},
    {ElementType::I8, "I8", "i8", 1},
    {ElementType::U16, "U16", "", 2},
    {ElementType::U8, "U8", "", 1},
    {ElementType::Bool, "BOOL", "", 1},
}};
} // namespace detail

/// The name in a safetensors header: "BF16".
constexpr std::string_view dtypeName(ElementType type) {
  return detail::elementTypes[static_cast<size_t>(type)].dtype;
}

/// The name in a manifest (docs/contract.md): "bf16". Empty for a type that
/// no program has.
constexpr std::string_view manifestName(ElementType type) {
  return detail::elementTypes[static_cast<size_t>(type)].manifest;
}

/// Bytes of one element.
constexpr uint64_t elementBytes(ElementType type) {
  return detail::elementTypes[static_cast<size_t>(type)].bytes;
}

constexpr std::optional<ElementType> parseDtype(std::string_view name) {
  for (const auto &row : detail::elementTypes)
    if (row.dtype == name)
      return row.type;
  return std::nullopt;
}

constexpr std::optional<ElementType> parseManifestName(std::string_view name) {
  for (const auto &row : detail::elementTypes)
    if (!name.empty() && row.manifest == name)
      return row.type;
  return std::nullopt;
}

} // namespace mm01::safetensors

#endif // MM01_FRONTEND_SAFETENSORS_ELEMENTTYPE_H
