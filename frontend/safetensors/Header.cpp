//===- Header.cpp - the JSON header of a safetensors file -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   {"__metadata__": {"key": "value", …},
//    "NAME": {"dtype": "BF16", "shape": [4, 8], "data_offsets": [0, 64]}, …}
//
// Offsets are relative to the data section. The tensors must cover it exactly.
//
// Test: test/frontend/safetensors/HeaderTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/Header.h"
#include "frontend/safetensors/Json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <tuple>

using namespace mm01;
using namespace mm01::safetensors;
using Json = nlohmann::json;

/// A value as it stands in the file, shortened for a message.
static std::string shown(const Json &value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  constexpr size_t limit = 60;
  return text.size() <= limit ? text : text.substr(0, limit) + "…";
}

static std::string tensorAt(const std::string &path, const std::string &name) {
  return concat(path, ": tensor '", name, "': ");
}

static Status readMetadata(const std::string &path, const Json &value,
                           std::map<std::string, std::string> &metadata) {
  if (!value.is_object())
    return Status::error(path, ": __metadata__ is ", shown(value),
                         ", expected an object of strings");
  for (const auto &[key, text] : value.items()) {
    if (!text.is_string())
      return Status::error(path, ": __metadata__ entry '", key, "' is ",
                           shown(text), ", expected a string");
    metadata.emplace(key, text.get_ref<const std::string &>());
  }
  return {};
}

static Status readType(const std::string &at, const Json &value,
                       TensorInfo &tensor) {
  std::optional<ElementType> type;
  if (value.is_string())
    type = parseDtype(value.get_ref<const std::string &>());
  if (!type) {
    std::string known;
    for (const auto &row : detail::elementTypes)
      known += concat(known.empty() ? "" : " ", row.dtype);
    return Status::error(at, "dtype is ", shown(value), ", expected one of ",
                         known);
  }
  tensor.type = *type;
  return {};
}

/// Sets shape and bytes.
static Status readShape(const std::string &at, const Json &value,
                        TensorInfo &tensor) {
  if (!value.is_array())
    return Status::error(at, "shape is ", shown(value),
                         ", expected an array of whole numbers");
  uint64_t bytes = elementBytes(tensor.type);
  bool overflow = false, empty = false;
  for (const Json &extent : value) {
    constexpr uint64_t most = std::numeric_limits<int64_t>::max();
    if (!extent.is_number_unsigned() || extent.get<uint64_t>() > most)
      return Status::error(at, "shape has the extent ", shown(extent),
                           ", expected a whole number from 0 to 2^63 - 1");
    uint64_t count = extent.get<uint64_t>();
    tensor.shape.push_back(static_cast<int64_t>(count));
    empty |= count == 0;
    overflow |= __builtin_mul_overflow(bytes, count, &bytes) || bytes > most;
  }
  // An extent of 0 after a product that overflowed makes a tensor of no bytes.
  if (empty)
    bytes = 0;
  else if (overflow)
    return Status::error(at, "shape ", shown(value),
                         " has more bytes than 64 bits count");
  tensor.bytes = bytes;
  return {};
}

/// Sets offset, relative to the data section.
static Status readOffsets(const std::string &at, const Json &value,
                          uint64_t dataBytes, TensorInfo &tensor) {
  if (!value.is_array() || value.size() != 2 ||
      !value[0].is_number_unsigned() || !value[1].is_number_unsigned())
    return Status::error(at, "data_offsets is ", shown(value),
                         ", expected [begin, end] in bytes");
  uint64_t begin = value[0].get<uint64_t>(), end = value[1].get<uint64_t>();
  if (begin > end)
    return Status::error(at, "data_offsets ", shown(value),
                         " end before they begin");
  if (end > dataBytes)
    return Status::error(at, "data_offsets ", shown(value),
                         " pass the end of the file, whose data has ",
                         dataBytes, " bytes");
  if (end - begin != tensor.bytes)
    return Status::error(at, "data_offsets ", shown(value), " hold ",
                         end - begin, " bytes, expected ", tensor.bytes,
                         " for shape ", shapeText(tensor.shape), " of ",
                         dtypeName(tensor.type));
  tensor.offset = begin;
  return {};
}

static Status readTensor(const std::string &path, const Json &value,
                         uint64_t dataStart, uint64_t dataBytes,
                         TensorInfo &tensor) {
  std::string at = tensorAt(path, tensor.name);
  if (!value.is_object())
    return Status::error(at, "is ", shown(value),
                         ", expected an object with dtype, shape and "
                         "data_offsets");
  for (const char *key : {"dtype", "shape", "data_offsets"})
    if (!value.contains(key))
      return Status::error(at, "has no ", key);
  for (const auto &[key, ignored] : value.items())
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      return Status::error(at, "has the key '", key,
                           "', expected dtype, shape and data_offsets alone");
  MM01_RETURN_IF_FAILED(readType(at, value["dtype"], tensor));
  MM01_RETURN_IF_FAILED(readShape(at, value["shape"], tensor));
  MM01_RETURN_IF_FAILED(
      readOffsets(at, value["data_offsets"], dataBytes, tensor));
  tensor.offset += dataStart;
  return {};
}

/// Fails unless the tensors cover the data section exactly once.
static Status checkCover(const std::string &path,
                         const std::vector<TensorInfo> &tensors,
                         uint64_t dataStart, uint64_t dataBytes) {
  std::vector<const TensorInfo *> order;
  for (const TensorInfo &tensor : tensors)
    order.push_back(&tensor);
  // Tensors of no bytes first: one may stand where the next begins.
  std::sort(order.begin(), order.end(), [](const auto *a, const auto *b) {
    return std::tie(a->offset, a->bytes, a->name) <
           std::tie(b->offset, b->bytes, b->name);
  });
  uint64_t covered = dataStart;
  const TensorInfo *last = nullptr;
  for (const TensorInfo *tensor : order) {
    if (tensor->offset < covered)
      return Status::error(
          tensorAt(path, tensor->name), "its data overlaps that of tensor '",
          last->name, "' by ",
          std::min(covered - tensor->offset, tensor->bytes), " bytes");
    if (tensor->offset > covered)
      return Status::error(tensorAt(path, tensor->name), "begins ",
                           tensor->offset - covered, " bytes after ",
                           last ? concat("tensor '", last->name, "' ends")
                                : std::string("the header"),
                           ", expected no hole");
    covered = tensor->offset + tensor->bytes;
    last = tensor;
  }
  if (covered != dataStart + dataBytes)
    return Status::error(path, ": has ", dataStart + dataBytes - covered,
                         " bytes after the last tensor",
                         last ? concat(", '", last->name, "'") : std::string(),
                         ", expected none");
  return {};
}

std::string mm01::safetensors::shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += concat(i ? ", " : "", shape[i]);
  return text + "]";
}

Result<Header> mm01::safetensors::parseHeader(const std::string &path,
                                              std::string_view text,
                                              uint64_t dataStart,
                                              uint64_t dataBytes) {
  if (text.empty() || text.front() != '{')
    return Status::error(path, ": the header does not begin with '{': this is "
                               "no safetensors file");
  MM01_RETURN_IF_FAILED(checkJson(concat(path, ": header"), text));
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  Header header;
  for (const auto &[name, value] : json.items()) {
    if (name == "__metadata__") {
      MM01_RETURN_IF_FAILED(readMetadata(path, value, header.metadata));
      continue;
    }
    TensorInfo tensor;
    tensor.name = name;
    tensor.file = path;
    MM01_RETURN_IF_FAILED(
        readTensor(path, value, dataStart, dataBytes, tensor));
    header.tensors.push_back(std::move(tensor));
  }
  // The JSON library's order is not part of this one's promise.
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const auto &a, const auto &b) { return a.name < b.name; });
  MM01_RETURN_IF_FAILED(checkCover(path, header.tensors, dataStart, dataBytes));
  return header;
}
