//===- Writer.cpp - writes a safetensors file, whole or not at all --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/safetensors/WriterTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/Writer.h"
#include "frontend/safetensors/Header.h"
#include "frontend/safetensors/Json.h"
#include "frontend/safetensors/TemporaryFile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

using namespace mm01;
using namespace mm01::safetensors;

/// `text` as a JSON string; bytes that are not UTF-8 are replaced.
static std::string quoted(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

static bool isUtf8(const std::string &text) {
  return nlohmann::json::parse(quoted(text), nullptr,
                               /*allow_exceptions=*/false) == text;
}

void Writer::add(std::string name, ElementType type, std::vector<int64_t> shape,
                 const void *data) {
  entries.push_back({std::move(name), type, std::move(shape), data});
}

void Writer::addMetadata(std::string key, std::string value) {
  notes.insert_or_assign(std::move(key), std::move(value));
}

/// False if the shape has a negative extent or more bytes than int64 counts.
static bool countBytes(ElementType type, const std::vector<int64_t> &shape,
                       uint64_t &bytes) {
  int64_t product = static_cast<int64_t>(elementBytes(type));
  for (int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(product, extent, &product))
      return false;
  bytes = static_cast<uint64_t>(product);
  return true;
}

Status Writer::write(const std::string &path) const {
  std::vector<const Entry *> order;
  for (const Entry &entry : entries)
    order.push_back(&entry);
  // Wide elements first: each tensor is then aligned to its element, because
  // the header is padded to 8 bytes.
  std::stable_sort(
      order.begin(), order.end(), [](const auto *a, const auto *b) {
        uint64_t left = elementBytes(a->type), right = elementBytes(b->type);
        return left != right ? left > right : a->name < b->name;
      });

  std::string header = "{";
  if (!notes.empty()) {
    header += "\"__metadata__\":{";
    for (const auto &[key, value] : notes)
      header += concat(header.back() == '{' ? "" : ",", quoted(key), ":",
                       quoted(value));
    header += "}";
  }
  uint64_t offset = 0;
  for (const Entry *entry : order) {
    uint64_t bytes = 0, end = 0;
    if (entry->name == "__metadata__" || !isUtf8(entry->name) ||
        !countBytes(entry->type, entry->shape, bytes) ||
        __builtin_add_overflow(offset, bytes, &end))
      return Status::error(path, ": tensor '", entry->name, "' of shape ",
                           shapeText(entry->shape), " cannot be written");
    header += concat(header.size() == 1 ? "" : ",", quoted(entry->name),
                     ":{\"dtype\":\"", dtypeName(entry->type),
                     "\",\"shape\":", shapeText(entry->shape),
                     ",\"data_offsets\":[", offset, ",", end, "]}");
    offset = end;
  }
  header += "}";
  MM01_RETURN_IF_FAILED(checkJson(concat(path, ": header"), header));
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > maxHeaderBytes)
    return Status::error(path, ": the header would have ", header.size(),
                         " bytes, expected at most ", maxHeaderBytes);

  Result<TemporaryFile> file = TemporaryFile::create(path);
  MM01_RETURN_IF_FAILED(file);
  uint64_t length = header.size();
  MM01_RETURN_IF_FAILED(file->append(&length, sizeof(length)));
  MM01_RETURN_IF_FAILED(file->append(header.data(), header.size()));
  for (const Entry *entry : order) {
    uint64_t bytes = 0;
    if (countBytes(entry->type, entry->shape, bytes))
      MM01_RETURN_IF_FAILED(file->append(entry->data, bytes));
  }
  return file->commit();
}
