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
#include "runtime/core/OwnedWeights.h"
#include "runtime/core/Quantize.h"
#include "runtime/core/RandomHelpers.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

using namespace mm01;
using safetensors::Checkpoint;
using safetensors::TensorInfo;

namespace {

/// Where a part begins: `offset` bytes into the data of a tensor.
struct BoundPart {
  const TensorInfo *tensor;
  int64_t offset;
};
/// The parts of each parameter.
using BoundParts = std::vector<std::vector<BoundPart>>;

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

  Status bindAll(BoundParts &bound) {
    bound.resize(manifest.parameters.size());
    for (size_t i = 0; i < manifest.parameters.size(); ++i)
      MM01_RETURN_IF_FAILED(bind(manifest.parameters[i], bound[i]));
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
  Status bind(const ParameterSpec &parameter, std::vector<BoundPart> &parts) {
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
                    std::vector<BoundPart> &parts) {
    parts.reserve(parameter.partCount());
    for (int64_t part = 0; part < parameter.partCount(); ++part) {
      const TensorInfo &tensor = *checkpoint.find(source.tensorOf(part));
      std::string_view found = safetensors::dtypeName(tensor.type);
      std::string_view wanted = safetensors::dtypeName(
          *safetensors::parseManifestName(elementName(parameter.stored)));
      if (tensor.shape != source.shape || found != wanted)
        return Status::error(tensor.file, ": tensor '", tensor.name,
                             "': expected ", wanted, ' ',
                             shapeText(source.shape), ", found ", found, ' ',
                             shapeText(tensor.shape));
      used.insert(&tensor);
      parts.push_back({&tensor, firstElement(source, part) *
                                    elementBytes(parameter.stored)});
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

/// The tensors of a checkpoint. What has been read leaves this process' memory,
/// so that no parameter is there twice for long.
class MappedSource final : public WeightSource {
public:
  MappedSource(const Manifest &manifest, const BoundParts &bound)
      : manifest(manifest), bound(bound) {}

  void read(size_t parameter, int64_t part, int64_t first, int64_t count,
            void *to) const override {
    const BoundPart &from = bound[parameter][part];
    const ParameterSpec &spec = manifest.parameters[parameter];
    int64_t rowBytes = spec.columns() * elementBytes(spec.stored);
    int64_t begin = from.offset + first * rowBytes;
    std::memcpy(to, from.tensor->data + begin, count * rowBytes);
    safetensors::releasePages(*from.tensor, begin, count * rowBytes);
  }

  /// Gives up the pages of these parameters: reading one page may have brought
  /// back neighbours that had been given up before.
  void release(const std::vector<size_t> &parameters) const {
    for (size_t parameter : parameters) {
      const ParameterSpec &spec = manifest.parameters[parameter];
      int64_t bytes =
          spec.partRows() * spec.columns() * elementBytes(spec.stored);
      for (const BoundPart &part : bound[parameter])
        safetensors::releasePages(*part.tensor, part.offset, bytes);
    }
  }

  std::string describe(size_t parameter, int64_t part) const override {
    const TensorInfo &tensor = *bound[parameter][part].tensor;
    return concat(tensor.file, ": tensor '", tensor.name, "'");
  }

private:
  const Manifest &manifest;
  const BoundParts &bound;
};

/// Tensors of a seed, made when they are read.
class RandomSource final : public WeightSource {
public:
  RandomSource(const Manifest &manifest, uint64_t seed)
      : manifest(manifest), seed(seed) {}

  void read(size_t parameter, int64_t part, int64_t first, int64_t count,
            void *to) const override {
    const ParameterSpec &spec = manifest.parameters[parameter];
    const SourceSpec &source = spec.sources.front();
    RandomTensor tensor(seed, source.tensorOf(part), source.shape);
    tensor.fill(spec.stored,
                firstElement(source, part) + first * spec.columns(),
                count * spec.columns(), to);
  }

  std::string describe(size_t parameter, int64_t part) const override {
    const SourceSpec &source = manifest.parameters[parameter].sources.front();
    return concat("random tensor '", source.tensorOf(part), "'");
  }

private:
  const Manifest &manifest;
  uint64_t seed;
};

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

/// What keeps the pointers of Weights valid.
struct Weights::Storage {
  std::optional<Checkpoint> checkpoint;
  std::optional<OwnedWeights> owned;
  /// Of memory of the device, and the parameters that are made there.
  std::vector<DeviceBuffer> there;
  std::set<size_t> madeThere;
};

Weights::Weights() : storage(std::make_unique<Storage>()) {}
Weights::Weights(Weights &&) noexcept = default;
Weights &Weights::operator=(Weights &&) noexcept = default;
Weights::~Weights() = default;

Status Weights::own(const Manifest &manifest, const std::vector<size_t> &which,
                    const WeightSource &source, Device &device) {
  Result<OwnedWeights> made =
      OwnedWeights::make(manifest, which, source, device);
  MM01_RETURN_IF_FAILED(made);
  for (size_t i = 0; i < which.size(); ++i)
    tables[which[i]] = made->table(i);
  storage->owned.emplace(*std::move(made));
  return {};
}

Status Weights::bindRandom(const Manifest &manifest, std::string_view seedText,
                           Device &device, RandomHelpers *helpers) {
  Result<uint64_t> seed = parseSeed(seedText);
  MM01_RETURN_IF_FAILED(seed);
  std::vector<size_t> here;
  for (size_t i = 0; i < manifest.parameters.size(); ++i) {
    const ParameterSpec &parameter = manifest.parameters[i];
    if (helpers && !device.sharesMemory() && helpers->has(parameter))
      MM01_RETURN_IF_FAILED(makeThere(parameter, i, *seed, device, *helpers));
    else
      here.push_back(i);
  }
  return own(manifest, here, RandomSource(manifest, *seed), device);
}

/// Memory of the device for all parts of a parameter, one behind the other, and
/// behind them their scales.
Result<char *> Weights::reserveThere(const ParameterSpec &parameter,
                                     Device &device) {
  DeviceBuffer &buffer = storage->there.emplace_back();
  int64_t bytes = parameter.partBytes() * parameter.partCount();
  if (parameter.isQuantized())
    bytes = scalesPlace(bytes) + parameter.scaleBytes() * parameter.partCount();
  Status status = buffer.reserve(device, bytes, "weights");
  if (status.failed())
    return Status::error("parameter '", parameter.name,
                         "': ", status.message());
  return static_cast<char *>(buffer.data());
}

Status Weights::makeThere(const ParameterSpec &parameter, size_t index,
                          uint64_t seed, Device &device,
                          RandomHelpers &helpers) {
  Result<char *> to = reserveThere(parameter, device);
  MM01_RETURN_IF_FAILED(to);
  const SourceSpec &source = parameter.sources.front();
  int64_t rows = parameter.partRows(), columns = parameter.columns();
  char *toScales =
      *to + scalesPlace(parameter.partBytes() * parameter.partCount());
  std::vector<const void *> allScales;
  for (int64_t part = 0; part < parameter.partCount(); ++part) {
    char *elements = *to + part * parameter.partBytes();
    RandomTensor tensor(seed, source.tensorOf(part), source.shape);
    int64_t first = firstElement(source, part);
    if (parameter.isQuantized()) {
      char *scales = toScales + part * parameter.scaleBytes();
      MM01_RETURN_IF_FAILED(helpers.fillQuantized(
          tensor, parameter.stored, first, rows, columns, elements, scales));
      allScales.push_back(scales);
    } else {
      MM01_RETURN_IF_FAILED(helpers.fill(tensor, parameter.type, first,
                                         rows * columns, elements));
    }
    tables[index].push_back(elements);
  }
  tables[index].insert(tables[index].end(), allScales.begin(), allScales.end());
  storage->madeThere.insert(index);
  return {};
}

Status Weights::bindCheckpoint(const Manifest &manifest,
                               const std::string &path, Device &device) {
  Result<Checkpoint> opened = Checkpoint::open(path);
  MM01_RETURN_IF_FAILED(opened);
  const Checkpoint &checkpoint =
      storage->checkpoint.emplace(*std::move(opened));
  BoundParts bound;
  MM01_RETURN_IF_FAILED(Binder(manifest, checkpoint).bindAll(bound));
  std::vector<size_t> quantized;
  for (size_t i = 0; i < bound.size(); ++i) {
    if (manifest.parameters[i].isQuantized())
      quantized.push_back(i);
    else
      for (const BoundPart &part : bound[i])
        tables[i].push_back(part.tensor->data + part.offset);
  }
  MappedSource source(manifest, bound);
  MM01_RETURN_IF_FAILED(own(manifest, quantized, source, device));
  source.release(quantized);
  return {};
}

/// Copies all parts of each parameter, one behind the other, into memory of the
/// device, and points there instead.
Status Weights::upload(const Manifest &manifest, Device &device) {
  for (size_t i = 0; i < tables.size(); ++i) {
    const ParameterSpec &parameter = manifest.parameters[i];
    if (storage->madeThere.contains(i))
      continue;
    Result<char *> reserved = reserveThere(parameter, device);
    MM01_RETURN_IF_FAILED(reserved);
    auto move = [&](int64_t first, char *to, int64_t bytes) -> Status {
      for (int64_t part = 0; part < parameter.partCount(); ++part) {
        const void *&from = tables[i][first + part];
        MM01_RETURN_IF_FAILED(device.copyIn(to, from, bytes));
        from = to;
        to += bytes;
      }
      return {};
    };
    MM01_RETURN_IF_FAILED(move(0, *reserved, parameter.partBytes()));
    if (parameter.isQuantized()) {
      char *scales = *reserved +
                     scalesPlace(parameter.partBytes() * parameter.partCount());
      MM01_RETURN_IF_FAILED(
          move(parameter.partCount(), scales, parameter.scaleBytes()));
    }
  }
  MM01_RETURN_IF_FAILED(device.synchronize());
  storage->checkpoint.reset();
  storage->owned.reset();
  return {};
}

Result<Weights> Weights::bind(const Manifest &manifest, std::string_view source,
                              Device &device, RandomHelpers *helpers) {
  Weights weights;
  weights.tables.resize(manifest.parameters.size());
  MM01_RETURN_IF_FAILED(
      source.starts_with(randomPrefix)
          ? weights.bindRandom(manifest, source.substr(randomPrefix.size()),
                               device, helpers)
          : weights.bindCheckpoint(manifest, std::string(source), device));
  if (!device.sharesMemory())
    MM01_RETURN_IF_FAILED(weights.upload(manifest, device));
  return weights;
}
