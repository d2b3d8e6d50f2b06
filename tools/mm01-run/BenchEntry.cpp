//===- BenchEntry.cpp - time any entry ------------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments are random: floating-point elements in [-1, 1), int8 ones in
// [-64, 64), other integers 0, which is an index into anything. Extents are the
// user's; one that the manifest says is equal to another need not be given.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Philox.h"
#include "runtime/core/Quantize.h"
#include "runtime/core/Ragged.h"
#include "runtime/session/PagePool.h"
#include "tools/mm01-run/Bench.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

using namespace mm01;

/// A float of a random word, in [-1, 1).
static float unit(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word) >> 8) * 0x1p-23f;
}

/// Random elements for the host to fill a tensor with.
static void fillRandom(void *memory, ElementType type, int64_t elements,
                       uint32_t stream) {
  auto *floats = static_cast<float *>(memory);
  auto *halves = static_cast<uint16_t *>(memory);
  auto *bytes = static_cast<int8_t *>(memory);
  auto draw = [&](int64_t i) {
    return philox4x32(
        {static_cast<uint32_t>(i), static_cast<uint32_t>(i >> 32), stream, 0},
        {0, 0})[0];
  };
  switch (type) {
  case ElementType::F32:
    for (int64_t i = 0; i < elements; ++i)
      floats[i] = unit(draw(i));
    return;
  case ElementType::BF16:
    for (int64_t i = 0; i < elements; ++i)
      halves[i] =
          static_cast<uint16_t>(std::bit_cast<uint32_t>(unit(draw(i))) >> 16);
    return;
  case ElementType::F16:
    // A random sign and mantissa with the exponent of [0.5, 1).
    for (int64_t i = 0; i < elements; ++i)
      halves[i] = static_cast<uint16_t>((draw(i) & 0x83ff) | 14 << 10);
    return;
  case ElementType::I8:
    for (int64_t i = 0; i < elements; ++i)
      bytes[i] = static_cast<int8_t>(draw(i) % 128 - 64);
    return;
  case ElementType::I32:
  case ElementType::I64:
  case ElementType::Index:
    std::memset(memory, 0, elements * elementBytes(type));
    return;
  }
}

namespace {

/// The arguments of one entry, made from the settings.
class RandomArguments {
public:
  RandomArguments(Model &model, const EntrySpec &entry)
      : model(model), entry(entry), tensors(entry.arguments.size()),
        scalars(entry.arguments.size()), parts(entry.arguments.size()),
        arguments(entry.arguments.size()) {}

  Status make(Settings &settings) {
    MM01_RETURN_IF_FAILED(makeBatch(settings));
    for (size_t i = 0; i < entry.arguments.size(); ++i) {
      const ArgumentSpec &spec = entry.arguments[i];
      std::string name = concat("arg", i);
      switch (spec.kind) {
      case ArgumentKind::Tensor:
        MM01_RETURN_IF_FAILED(sizeTensor(i, name, settings));
        break;
      case ArgumentKind::Scalar:
        MM01_RETURN_IF_FAILED(makeScalar(i, name, settings));
        break;
      case ArgumentKind::Ragged:
        arguments[i].data = const_cast<mm01_ragged *>(batch->get());
        break;
      case ArgumentKind::Weight:
        if (spec.parameter)
          arguments[i].data =
              const_cast<const void **>(model.weights().parts(*spec.parameter));
        else
          tensors[i].shape = spec.shape;
        break;
      }
    }
    return Status();
  }

  /// Memory for the tensors, when all settings have been found right.
  Status allocate() {
    for (size_t i = 0; i < entry.arguments.size(); ++i) {
      const ArgumentSpec &spec = entry.arguments[i];
      bool owned = spec.kind == ArgumentKind::Tensor ||
                   (spec.kind == ArgumentKind::Weight && !spec.parameter);
      if (!owned)
        continue;
      TensorBuffer &tensor = tensors[i];
      if (Status status = makeTensor(i); status.failed())
        return Status::error("arg", i, ": ", status.message());
      if (spec.kind == ArgumentKind::Tensor)
        arguments[i] = {tensor.memory.data(), tensor.shape.data()};
      else
        arguments[i].data = makeParts(i);
    }
    for (const ResultSpec &result : entry.results) {
      if (result.kind != ResultKind::Tied)
        continue;
      const TensorBuffer &tensor = tensors[result.argument];
      TensorBuffer &copy = first.emplace_back();
      if (Status status =
              copy.resize(model.device(), tensor.type, tensor.shape);
          status.failed())
        return Status::error("arg", result.argument, ": ", status.message());
      MM01_RETURN_IF_FAILED(model.device().copyWithin(
          copy.memory.data(), tensor.memory.data(), tensor.bytes()));
    }
    return Status();
  }

  /// Gives the arguments that the entry overwrites their first content again.
  Status restoreTied() {
    size_t next = 0;
    for (const ResultSpec &result : entry.results)
      if (result.kind == ResultKind::Tied) {
        const TensorBuffer &copy = first[next++];
        MM01_RETURN_IF_FAILED(
            model.device().copyWithin(tensors[result.argument].memory.data(),
                                      copy.memory.data(), copy.bytes()));
      }
    return Status();
  }

  std::span<const mm01_argument> get() const { return arguments; }
  int64_t tokens() const { return batch ? batch->tokens() : 0; }

  std::vector<std::pair<std::string, int64_t>> sizes;

private:
  static constexpr int64_t most = std::numeric_limits<int32_t>::max();

  /// Reads a size that the user may have set, and remembers it.
  Result<int64_t> size(Settings &settings, const std::string &name,
                       std::optional<int64_t> fallback, int64_t low) {
    Result<int64_t> value = settings.integer(name, fallback, low, most);
    if (value.ok())
      sizes.emplace_back(name, *value);
    return value;
  }

  /// The batch of the ragged argument, if there is one: sequence n has slot n
  /// and pages of its own. Single tokens come first.
  Status makeBatch(Settings &settings) {
    bool ragged = false;
    for (const ArgumentSpec &spec : entry.arguments)
      ragged |= spec.kind == ArgumentKind::Ragged;
    if (!ragged)
      return Status();
    Result<int64_t> tokens = size(settings, "tokens", 1, 1);
    MM01_RETURN_IF_FAILED(tokens);
    Result<int64_t> sequences = size(settings, "sequences", 1, 1);
    MM01_RETURN_IF_FAILED(sequences);
    Result<int64_t> singles = size(settings, "singles", 0, 0);
    MM01_RETURN_IF_FAILED(singles);
    Result<int64_t> past = size(settings, "past", 0, 0);
    MM01_RETURN_IF_FAILED(past);
    int64_t pages = pagesFor(*past + *tokens), all = *sequences + *singles;
    if (all > most || *tokens > most / all || pages > most / all)
      return Status::error(all, " sequences of ", *tokens, " tokens after ",
                           *past, " are too many");
    std::vector<int32_t> offsets = {0}, pasts, slots, table;
    for (int64_t n = 0; n < all; ++n) {
      int64_t length = n < *singles ? 1 : *tokens;
      offsets.push_back(static_cast<int32_t>(offsets.back() + length));
      pasts.push_back(static_cast<int32_t>(*past));
      slots.push_back(static_cast<int32_t>(n));
      for (int64_t p = 0; p < pages; ++p)
        table.push_back(static_cast<int32_t>(n * pages + p));
    }
    slotCount = all;
    pageCount = all * pages;
    Result<RaggedBatch> made =
        RaggedBatch::create(std::move(offsets), std::move(pasts),
                            std::move(slots), std::move(table), RaggedLimits());
    MM01_RETURN_IF_FAILED(made);
    batch.emplace(*std::move(made));
    return batch->copyTo(model.device(), batchCopy);
  }

  /// The dynamic extents of a tensor: caches have as many slots or pages as
  /// the batch needs, the user gives the others.
  Status sizeTensor(size_t i, const std::string &name, Settings &settings) {
    const ArgumentSpec &spec = entry.arguments[i];
    std::vector<int64_t> &shape = tensors[i].shape;
    shape = spec.shape;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] >= 0)
        continue;
      int64_t least = 1;
      std::optional<int64_t> fallback;
      if (std::optional<int64_t> like = knownLike({i, d}))
        fallback = like;
      else if (spec.role == "lightning_state")
        fallback = least = slotCount;
      else if (spec.role == "keys" || spec.role == "values")
        fallback = least = pageCount;
      else if (const CacheUse *use = cacheUse(i); use && d < 2)
        fallback = least = d == 0 ? std::max<int64_t>(use->layers, 1)
                           : use->rows == CacheUse::Rows::Slots ? slotCount
                                                                : pageCount;
      Result<int64_t> extent =
          size(settings, concat(name, ".dim", d), fallback, least);
      MM01_RETURN_IF_FAILED(extent);
      shape[d] = *extent;
    }
    return Status();
  }

  /// The first use of an argument as a cache, or null.
  const CacheUse *cacheUse(size_t i) const {
    auto use = std::ranges::find(entry.cacheUses, i, &CacheUse::cache);
    return use == entry.cacheUses.end() ? nullptr : &*use;
  }

  /// The value of an extent that must be equal to this one and is known: it is
  /// the batch's, or of a tensor that has its size, or a number.
  std::optional<int64_t> knownLike(ExtentPlace wanted) const {
    auto classOf = [&](ExtentPlace place) {
      for (const ExtentRule &rule : entry.extentRules)
        if (rule.place == place && rule.like)
          return *rule.like;
      return place;
    };
    auto valueOf = [&](ExtentPlace place) -> std::optional<int64_t> {
      if (entry.arguments[place.argument].kind == ArgumentKind::Ragged) {
        const mm01_ragged &sizes = *batch->get();
        return std::array{sizes.tokens, sizes.sequences,
                          sizes.pages}[place.extent];
      }
      const std::vector<int64_t> &shape = tensors[place.argument].shape;
      if (place.extent < shape.size() && shape[place.extent] >= 0)
        return shape[place.extent];
      return std::nullopt;
    };
    const ExtentPlace same = classOf(wanted);
    if (std::optional<int64_t> value = valueOf(same))
      return value;
    for (const ExtentRule &rule : entry.extentRules) {
      if (rule.place == wanted && !rule.like)
        return rule.number;
      if (rule.like == same)
        if (std::optional<int64_t> value = valueOf(rule.place))
          return value;
    }
    return std::nullopt;
  }

  Status makeScalar(size_t i, const std::string &name, Settings &settings) {
    ElementType type = entry.arguments[i].type;
    int64_t &memory = scalars[i];
    arguments[i].data = &memory;
    if (type == ElementType::F32) {
      Result<double> value = settings.number(name, 1);
      MM01_RETURN_IF_FAILED(value);
      float narrow = static_cast<float>(*value);
      std::memcpy(&memory, &narrow, sizeof narrow);
      return Status();
    }
    if (type == ElementType::F16 || type == ElementType::BF16)
      return Status::error(name, " is a scalar of type ", elementName(type),
                           ", which bench cannot make");
    int bits = 8 * static_cast<int>(elementBytes(type));
    int64_t high = std::numeric_limits<int64_t>::max() >> (64 - bits);
    // The first layer is one that every cache has.
    bool isLayer = std::ranges::find(entry.cacheUses, std::optional(i),
                                     &CacheUse::layer) != entry.cacheUses.end();
    Result<int64_t> value =
        settings.integer(name, isLayer ? 0 : 1, -high - 1, high);
    MM01_RETURN_IF_FAILED(value);
    memory = *value; // little-endian: the low bytes come first
    return Status();
  }

  bool isQuantized(size_t i) const {
    return entry.arguments[i].kind == ArgumentKind::Weight &&
           entry.arguments[i].type == ElementType::I8;
  }

  /// Elements of a weight.
  int64_t elementsOf(size_t i) const {
    return tensorBytes(ElementType::I8, entry.arguments[i].shape).value_or(0);
  }

  /// A tensor of random elements in memory of the device. Behind an int8 weight
  /// lie its scales, each 1/64.
  Status makeTensor(size_t i) {
    Device &device = model.device();
    TensorBuffer &tensor = tensors[i];
    int64_t rows = 0;
    if (isQuantized(i)) {
      rows = elementsOf(i) / tensor.shape.back();
      tensor.shape = {scalesPlace(elementsOf(i)) + 4 * rows};
    }
    MM01_RETURN_IF_FAILED(
        tensor.resize(device, entry.arguments[i].type, tensor.shape));
    void *place = tensor.memory.data();
    AlignedBuffer host;
    if (!device.sharesMemory()) {
      MM01_RETURN_IF_FAILED(host.reserve(
          std::max<int64_t>(tensor.bytes(), MM01_ALIGNMENT), "a tensor"));
      place = host.data();
    }
    fillRandom(place, tensor.type, tensor.elements(), static_cast<uint32_t>(i));
    if (rows > 0)
      std::fill_n(reinterpret_cast<float *>(static_cast<char *>(place) +
                                            scalesPlace(elementsOf(i))),
                  rows, 1.0f / 64);
    if (place == tensor.memory.data())
      return {};
    return device.copyIn(tensor.memory.data(), place, tensor.bytes());
  }

  /// The pointers to the parts of a weight that belongs to no parameter.
  const void **makeParts(size_t i) {
    const TensorBuffer &tensor = tensors[i];
    const std::vector<int64_t> &shape = entry.arguments[i].shape;
    int64_t count = shape.size() == 3 ? shape[0] : 1;
    auto add = [&](int64_t first, int64_t bytes) {
      for (int64_t part = 0; part < count; ++part)
        parts[i].push_back(tensor.as<char>() + first + part * (bytes / count));
    };
    if (isQuantized(i)) {
      add(0, elementsOf(i));
      add(scalesPlace(elementsOf(i)), 4 * (elementsOf(i) / shape.back()));
    } else {
      add(0, tensor.bytes());
    }
    return parts[i].data();
  }

  Model &model;
  const EntrySpec &entry;
  std::optional<RaggedBatch> batch;
  DeviceBuffer batchCopy;
  int64_t slotCount = 1;
  int64_t pageCount = 1;
  std::vector<TensorBuffer> tensors;
  std::vector<TensorBuffer> first; // content of the tied ones before a call
  std::vector<int64_t> scalars;
  std::vector<std::vector<const void *>> parts;
  std::vector<mm01_argument> arguments;
};

} // namespace

Result<BenchResult> mm01::benchEntry(Model &model, size_t index, bool graphs,
                                     Settings &settings) {
  const EntrySpec &entry = model.program().entry(index);
  Result<Repetition> repetition = Repetition::read(settings);
  MM01_RETURN_IF_FAILED(repetition);
  RandomArguments arguments(model, entry);
  MM01_RETURN_IF_FAILED(arguments.make(settings));
  Result<int64_t> repeat = settings.integer("repeat", 1, 1, 10000);
  MM01_RETURN_IF_FAILED(repeat);
  MM01_RETURN_IF_FAILED(settings.checkAllKnown());
  MM01_RETURN_IF_FAILED(arguments.allocate());

  ResultSink sink;
  Device &device = model.device();
  auto calls = [&](int64_t count) -> Status {
    for (int64_t i = 0; i < count; ++i)
      MM01_RETURN_IF_FAILED(
          model.executor().run(model.program(), index, arguments.get(), sink));
    return {};
  };
  std::unique_ptr<DeviceGraph> graph;
  if (graphs && device.canCapture()) {
    MM01_RETURN_IF_FAILED(calls(1)); // which loads kernels
    Result<std::unique_ptr<DeviceGraph>> captured =
        device.capture([&] { return calls(*repeat); });
    MM01_RETURN_IF_FAILED(captured);
    graph = *std::move(captured);
  }
  Result<std::vector<double>> seconds = repetition->measure(
      device, [&] { return arguments.restoreTied(); },
      [&] { return graph ? device.replay(*graph) : calls(*repeat); });
  MM01_RETURN_IF_FAILED(seconds);
  for (double &time : *seconds)
    time /= static_cast<double>(*repeat);
  BenchResult result;
  result.repetition = *repetition;
  result.seconds = *std::move(seconds);
  result.tokens = arguments.tokens();
  result.sizes = arguments.sizes;
  return result;
}
