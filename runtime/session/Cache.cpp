//===- Cache.cpp - one stacked cache of a session -------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/session/Cache.h"

using namespace mm01;

static std::vector<int64_t> shapeFor(const ArgumentSpec &argument,
                                     int64_t units) {
  std::vector<int64_t> shape = argument.shape;
  shape[1] = units;
  return shape;
}

Result<int64_t> Cache::bytesFor(const ArgumentSpec &argument, int64_t units) {
  std::vector<int64_t> shape = shapeFor(argument, units);
  std::optional<int64_t> bytes = tensorBytes(argument.type, shape);
  if (!bytes)
    return Status::error(argument.role, " ", shapeText(shape),
                         " has more bytes than 64 bits can count");
  return *bytes;
}

Result<Cache> Cache::allocate(Device &device, const ArgumentSpec &argument,
                              int64_t units) {
  Result<int64_t> bytes = bytesFor(argument, units);
  MM01_RETURN_IF_FAILED(bytes);
  Cache cache;
  std::vector<int64_t> shape = shapeFor(argument, units);
  cache.device = &device;
  if (Status status = cache.buffer.resize(device, argument.type, shape);
      status.failed())
    return Status::error(argument.role, " ", shapeText(shape), ": ",
                         status.message());
  cache.layers = shape[0];
  cache.units = units;
  cache.pieceBytes = units == 0 ? 0 : *bytes / (shape[0] * units);
  return cache;
}

Status Cache::copy(int64_t from, int64_t to) {
  for (int64_t layer = 0; layer < layers; ++layer)
    MM01_RETURN_IF_FAILED(
        device->copyWithin(piece(layer, to), piece(layer, from), pieceBytes));
  return {};
}

Status Cache::save(int64_t unit, void *memory) const {
  for (int64_t layer = 0; layer < layers; ++layer)
    MM01_RETURN_IF_FAILED(
        device->copyOut(static_cast<char *>(memory) + layer * pieceBytes,
                        piece(layer, unit), pieceBytes));
  return {};
}

Status Cache::load(int64_t unit, const void *memory) {
  for (int64_t layer = 0; layer < layers; ++layer)
    MM01_RETURN_IF_FAILED(device->copyIn(
        piece(layer, unit),
        static_cast<const char *>(memory) + layer * pieceBytes, pieceBytes));
  return {};
}
