//===- Weights.cpp - a program's parameters in memory --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Weights.h"

#include "frontend/safetensors/Checkpoint.h"
#include "runtime/core/DeviceMemory.h"
#include "runtime/core/Glob.h"
#include "runtime/core/RandomWeights.h"

#include <algorithm>
#include <charconv>
#include <set>

using namespace mm01;
using safetensors::Checkpoint;
using safetensors::TensorInfo;

namespace {

using PartPointers = std::vector<std::vector<const void *>>;

/// Index in the source's tensor of the first element of a part.
int64_t firstElement(const SourceSpec &source, int64_t part) {
  return source.isStack() ? 0
                          : (source.firstRow + part * source.rowStride) *
                                source.shape.back();
}

/// Tensors that a source is made of.
int64_t tensorCount(const ParameterSpec &parameter, const SourceSpec &source) {
  return source.isStack() ? parameter.partCount() : 1;
}

/// Binds the parameters of a manifest to one checkpoint, keeping account of
/// what is missing and of what was used.
class Binder {
public:
  Binder(const Manifest &manifest, const Checkpoint &checkpoint)
      : manifest(manifest), checkpoint(checkpoint) {}

  Status bindAll(PartPointers &pointers) {
    pointers.resize(manifest.parameters.size());
    for (size_t i = 0; i < manifest.parameters.size(); ++i)
      MM01_RETURN_IF_FAILED(bind(manifest.parameters[i], pointers[i]));
    if (!missing.empty())
      return Status::error(
          checkpoint.path(), ": missing tensor '", *missing.begin(), "'",
          missing.size() > 1 ? concat(" and ", missing.size() - 1, " more")
                             : "",
          ", expected for this program");
    return checkExtra();
  }

private:
  /// Adds to `missing` when no source is complete.
  Status bind(const ParameterSpec &parameter,
              std::vector<const void *> &parts) {
    for (const SourceSpec &source : parameter.sources)
      if (isComplete(parameter, source))
        return bindSource(parameter, source, parts);
    const SourceSpec &first = parameter.sources.front();
    for (int64_t part = 0; part < tensorCount(parameter, first); ++part)
      if (std::string name = first.tensorOf(part); !checkpoint.find(name))
        missing.push_back(std::move(name));
    return {};
  }

  bool isComplete(const ParameterSpec &parameter, const SourceSpec &source) {
    for (int64_t part = 0; part < tensorCount(parameter, source); ++part)
      if (!checkpoint.find(source.tensorOf(part)))
        return false;
    return true;
  }

  Status bindSource(const ParameterSpec &parameter, const SourceSpec &source,
                    std::vector<const void *> &parts) {
    parts.reserve(parameter.partCount());
    for (int64_t part = 0; part < parameter.partCount(); ++part) {
      const TensorInfo &tensor = *checkpoint.find(source.tensorOf(part));
      std::string_view found = safetensors::dtypeName(tensor.type);
      std::string_view wanted = safetensors::dtypeName(
          *safetensors::parseManifestName(elementName(parameter.type)));
      if (tensor.shape != source.shape || found != wanted)
        return Status::error(tensor.file, ": tensor '", tensor.name,
                             "': expected ", wanted, ' ',
                             shapeText(source.shape), ", found ", found, ' ',
                             shapeText(tensor.shape));
      used.insert(&tensor);
      parts.push_back(tensor.data + firstElement(source, part) *
                                        elementBytes(parameter.type));
    }
    return {};
  }

  Status checkExtra() {
    const TensorInfo *first = nullptr;
    size_t extra = 0;
    for (const TensorInfo *tensor : checkpoint.tensors()) {
      auto matches = [&](const std::string &pattern) {
        return matchesGlob(pattern, tensor->name);
      };
      if (used.contains(tensor) ||
          std::ranges::any_of(manifest.ignoredTensors, matches))
        continue;
      first = extra++ ? first : tensor;
    }
    if (!first)
      return {};
    return Status::error(first->file, ": tensor '", first->name, "'",
                         extra > 1 ? concat(" and ", extra - 1, " more") : "",
                         " not used by this program, expected only its "
                         "parameters");
  }

  const Manifest &manifest;
  const Checkpoint &checkpoint;
  std::vector<std::string> missing;
  std::set<const TensorInfo *> used;
};

/// A piece of a random parameter that one worker makes.
struct RandomChunk {
  const ParameterSpec *parameter;
  int64_t part;
  int64_t begin; // in the part
  int64_t count;
  std::byte *to;
};

void makeChunk(const RandomChunk &chunk, uint64_t seed) {
  const SourceSpec &source = chunk.parameter->sources.front();
  RandomTensor tensor(seed, source.tensorOf(chunk.part), source.shape);
  tensor.fill(chunk.parameter->type,
              firstElement(source, chunk.part) + chunk.begin, chunk.count,
              chunk.to);
}

Status checkRandomFits(const Manifest &manifest) {
  int64_t total = 0;
  for (const ParameterSpec &parameter : manifest.parameters) {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(parameter.partBytes() + MM01_ALIGNMENT,
                               parameter.partCount(), &bytes) ||
        __builtin_add_overflow(total, bytes, &total))
      total = INT64_MAX;
  }
  int64_t available = availableMemory();
  if (total > available)
    return Status::error("--weights random: expected ", total,
                         " bytes of memory for the parameters, found ",
                         available);
  return {};
}

Status makeRandom(const Manifest &manifest, uint64_t seed, Device &device,
                  PartPointers &pointers, std::vector<AlignedBuffer> &owned) {
  MM01_RETURN_IF_FAILED(checkRandomFits(manifest));
  constexpr int64_t chunkElements = int64_t(1) << 18;
  std::vector<RandomChunk> chunks;
  pointers.resize(manifest.parameters.size());
  for (size_t i = 0; i < manifest.parameters.size(); ++i) {
    const ParameterSpec &parameter = manifest.parameters[i];
    int64_t elements = parameter.partBytes() / elementBytes(parameter.type);
    for (int64_t part = 0; part < parameter.partCount(); ++part) {
      AlignedBuffer &buffer = owned.emplace_back();
      MM01_RETURN_IF_FAILED(
          buffer.reserve(parameter.partBytes(), "random weights"));
      auto *data = static_cast<std::byte *>(buffer.data());
      pointers[i].push_back(data);
      for (int64_t at = 0; at < elements; at += chunkElements)
        chunks.push_back({&parameter, part, at,
                          std::min(chunkElements, elements - at),
                          data + at * elementBytes(parameter.type)});
    }
  }
  device.parallelFor(static_cast<int64_t>(chunks.size()),
                     [&](int64_t i) { makeChunk(chunks[i], seed); });
  return {};
}

/// Copies all parts of each parameter, one behind the other, into memory of the
/// device, and points there instead.
Status upload(const Manifest &manifest, Device &device, PartPointers &pointers,
              std::vector<DeviceBuffer> &owned) {
  for (size_t i = 0; i < pointers.size(); ++i) {
    int64_t partBytes = manifest.parameters[i].partBytes();
    int64_t count = static_cast<int64_t>(pointers[i].size());
    DeviceBuffer &buffer = owned.emplace_back();
    if (Status status = buffer.reserve(device, partBytes * count, "weights");
        status.failed())
      return Status::error("parameter '", manifest.parameters[i].name,
                           "': ", status.message());
    char *to = static_cast<char *>(buffer.data());
    for (const void *&part : pointers[i]) {
      MM01_RETURN_IF_FAILED(device.copyIn(to, part, partBytes));
      part = to;
      to += partBytes;
    }
  }
  return device.synchronize();
}

constexpr std::string_view randomPrefix = "random:";

Result<uint64_t> parseSeed(std::string_view text) {
  uint64_t seed = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    return Status::error("--weights: expected random:SEED with a whole number "
                         "from 0 to 18446744073709551615, found random:",
                         text);
  return seed;
}

} // namespace

Weights::Weights() = default;
Weights::Weights(Weights &&) noexcept = default;
Weights &Weights::operator=(Weights &&) noexcept = default;
Weights::~Weights() = default;

Status Weights::bindOnHost(const Manifest &manifest, std::string_view source,
                           Device &device) {
  if (source.starts_with(randomPrefix)) {
    Result<uint64_t> seed = parseSeed(source.substr(randomPrefix.size()));
    MM01_RETURN_IF_FAILED(seed);
    auto owned = std::make_shared<std::vector<AlignedBuffer>>();
    MM01_RETURN_IF_FAILED(
        makeRandom(manifest, *seed, device, partPointers, *owned));
    storage = std::move(owned);
    return {};
  }
  Result<Checkpoint> opened = Checkpoint::open(std::string(source));
  MM01_RETURN_IF_FAILED(opened);
  auto checkpoint = std::make_shared<const Checkpoint>(*std::move(opened));
  MM01_RETURN_IF_FAILED(Binder(manifest, *checkpoint).bindAll(partPointers));
  storage = std::move(checkpoint);
  return {};
}

Result<Weights> Weights::bind(const Manifest &manifest, std::string_view source,
                              Device &device) {
  Weights weights;
  MM01_RETURN_IF_FAILED(weights.bindOnHost(manifest, source, device));
  if (device.sharesMemory())
    return weights;
  auto owned = std::make_shared<std::vector<DeviceBuffer>>();
  MM01_RETURN_IF_FAILED(upload(manifest, device, weights.partPointers, *owned));
  weights.storage = std::move(owned);
  return weights;
}
