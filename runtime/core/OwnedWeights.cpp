//===- OwnedWeights.cpp - parameters that are made in memory --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/OwnedWeights.h"

#include "runtime/core/Quantize.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>

using namespace mm01;

namespace {

/// Rows of a part that one worker makes.
struct Chunk {
  size_t parameter;
  int64_t part;
  int64_t first;
  int64_t rows;
  std::byte *to;
  float *scales; // of these rows; null unless the parameter is int8
};

Status makeChunk(const Chunk &chunk, const ParameterSpec &parameter,
                 const WeightSource &source) {
  if (!parameter.isQuantized()) {
    source.read(chunk.parameter, chunk.part, chunk.first, chunk.rows, chunk.to);
    return {};
  }
  // Not aligned: the C library reuses such a piece of memory for the next
  // chunk, but not one of aligned_alloc.
  int64_t bytes =
      chunk.rows * parameter.columns() * elementBytes(parameter.stored);
  std::unique_ptr<std::byte[]> stored(new (std::nothrow) std::byte[bytes]);
  if (!stored)
    return Status::error("not enough memory to quantise weights: expected ",
                         bytes, " bytes");
  source.read(chunk.parameter, chunk.part, chunk.first, chunk.rows,
              stored.get());
  std::optional<int64_t> bad = quantizeRows(
      parameter.stored, stored.get(), chunk.rows, parameter.columns(),
      reinterpret_cast<int8_t *>(chunk.to), chunk.scales);
  if (!bad)
    return {};
  return Status::error(source.describe(chunk.parameter, chunk.part), ": row ",
                       chunk.first + *bad, " of the ", parameter.partRows(),
                       " of parameter ", parameter.name,
                       " holds an infinity or a NaN, expected numbers to make "
                       "int8 of");
}

/// Compares all of them with what the machine has: one by one they would fit.
Status checkFits(const Manifest &manifest, const std::vector<size_t> &which) {
  int64_t total = 0;
  for (size_t index : which) {
    const ParameterSpec &parameter = manifest.parameters[index];
    int64_t bytes =
        parameter.partBytes() + parameter.scaleBytes() + 2 * MM01_ALIGNMENT;
    if (__builtin_mul_overflow(bytes, parameter.partCount(), &bytes) ||
        __builtin_add_overflow(total, bytes, &total))
      total = INT64_MAX;
  }
  int64_t available = availableMemory();
  if (total > available)
    return Status::error("--weights: expected ", total,
                         " bytes of memory for the parameters, found ",
                         available);
  return {};
}

/// Makes the chunks and keeps the error of the first that failed, whichever
/// thread came first.
Status makeChunks(const std::vector<Chunk> &chunks, const Manifest &manifest,
                  const WeightSource &source, Device &device) {
  std::mutex mutex;
  Status status;
  auto failed = static_cast<int64_t>(chunks.size());
  device.parallelFor(failed, [&](int64_t i) {
    const Chunk &chunk = chunks[i];
    Status made =
        makeChunk(chunk, manifest.parameters[chunk.parameter], source);
    if (made.ok())
      return;
    std::lock_guard lock(mutex);
    if (i < failed) {
      failed = i;
      status = std::move(made);
    }
  });
  return status;
}

} // namespace

Result<OwnedWeights> OwnedWeights::make(const Manifest &manifest,
                                        const std::vector<size_t> &which,
                                        const WeightSource &source,
                                        Device &device) {
  MM01_RETURN_IF_FAILED(checkFits(manifest, which));
  constexpr int64_t chunkElements = int64_t(1) << 19;
  OwnedWeights weights;
  std::vector<Chunk> chunks;
  for (size_t index : which) {
    const ParameterSpec &parameter = manifest.parameters[index];
    int64_t rows = parameter.partRows();
    int64_t rowBytes = parameter.partBytes() / rows;
    int64_t chunkRows =
        std::max<int64_t>(1, chunkElements / parameter.columns());
    std::vector<const void *> parts, scales;
    for (int64_t part = 0; part < parameter.partCount(); ++part) {
      AlignedBuffer &elements = weights.buffers.emplace_back();
      MM01_RETURN_IF_FAILED(elements.reserve(parameter.partBytes(), "weights"));
      auto *data = static_cast<std::byte *>(elements.data());
      parts.push_back(data);
      float *scale = nullptr;
      if (parameter.isQuantized()) {
        AlignedBuffer &buffer = weights.buffers.emplace_back();
        MM01_RETURN_IF_FAILED(buffer.reserve(parameter.scaleBytes(), "scales"));
        scale = static_cast<float *>(buffer.data());
        scales.push_back(scale);
      }
      for (int64_t first = 0; first < rows; first += chunkRows)
        chunks.push_back({index, part, first, std::min(chunkRows, rows - first),
                          data + first * rowBytes,
                          scale ? scale + first : nullptr});
    }
    parts.insert(parts.end(), scales.begin(), scales.end());
    weights.tables.push_back(std::move(parts));
  }
  MM01_RETURN_IF_FAILED(makeChunks(chunks, manifest, source, device));
  return weights;
}
