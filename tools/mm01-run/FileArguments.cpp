//===- FileArguments.cpp - arguments read from a safetensors file --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/mm01-run/FileArguments.h"

#include "runtime/core/Quantize.h"

#include <cstring>
#include <set>

using namespace mm01;
using safetensors::TensorInfo;

namespace {

/// The type that holds such elements in a file; an index is an I64 there.
safetensors::ElementType fileType(ElementType type) {
  if (type == ElementType::Index)
    return safetensors::ElementType::I64;
  return *safetensors::parseManifestName(elementName(type));
}

bool shapeAllowed(const std::vector<int64_t> &spec,
                  const std::vector<int64_t> &found) {
  if (spec.size() != found.size())
    return false;
  for (size_t i = 0; i < spec.size(); ++i)
    if (spec[i] >= 0 && spec[i] != found[i])
      return false;
  return true;
}

} // namespace

namespace mm01 {

/// Fills a FileArguments, argument by argument.
class ArgumentReader {
public:
  ArgumentReader(const Manifest &manifest, const EntrySpec &entry,
                 FileArguments &to)
      : manifest(manifest), entry(entry), to(to) {}

  Status readAll() {
    size_t count = entry.arguments.size();
    to.tensors.resize(count);
    to.scalars.resize(count);
    to.packed.resize(count);
    for (size_t i = 0; i < count; ++i)
      if (entry.arguments[i].kind != ArgumentKind::Ragged)
        MM01_RETURN_IF_FAILED(readArgument(i));
    // The limits of a batch are extents of the caches, so it comes after them.
    for (size_t i = 0; i < count; ++i)
      if (entry.arguments[i].kind == ArgumentKind::Ragged)
        MM01_RETURN_IF_FAILED(readRagged(i));
    for (const TensorInfo &tensor : to.file.tensors())
      if (!used.contains(tensor.name))
        return error("tensor '", tensor.name, "' is not an argument of ",
                     entry.name, ", expected arg0 to arg", count - 1);
    MM01_RETURN_IF_FAILED(
        checkIndices("tokens", manifest.vocabularySize, "the vocabulary"));
    return checkIndices("logit_rows", extent("tokens", 0), "the tokens");
  }

private:
  template <typename... Parts> Status error(const Parts &...parts) const {
    return Status::error(to.file.path(), ": ", parts...);
  }

  /// The tensor of this name, with this type and a shape that `shape` allows.
  Result<const TensorInfo *> find(const std::string &name,
                                  safetensors::ElementType type,
                                  const std::vector<int64_t> &shape,
                                  bool scalar = false) {
    const TensorInfo *tensor = to.file.find(name);
    std::string wanted =
        concat(safetensors::dtypeName(type), ' ', shapeText(shape));
    if (!tensor)
      return error("missing tensor '", name, "', expected ", wanted);
    bool fits = shapeAllowed(shape, tensor->shape) ||
                (scalar && tensor->shape == std::vector<int64_t>{1});
    if (tensor->type != type || !fits)
      return error("tensor '", name, "': expected ", wanted, ", found ",
                   safetensors::dtypeName(tensor->type), ' ',
                   shapeText(tensor->shape));
    used.insert(name);
    return tensor;
  }

  Status readArgument(size_t i) {
    const ArgumentSpec &spec = entry.arguments[i];
    if (spec.kind == ArgumentKind::Weight && spec.type == ElementType::I8)
      return readQuantized(i);
    bool scalar = spec.kind == ArgumentKind::Scalar;
    Result<const TensorInfo *> found =
        find(concat("arg", i), fileType(spec.type), spec.shape, scalar);
    MM01_RETURN_IF_FAILED(found);
    const TensorInfo &tensor = **found;
    if (spec.kind == ArgumentKind::Weight)
      return packWeight(i, tensor);
    if (scalar) {
      std::memcpy(&to.scalars[i], tensor.data, tensor.bytes);
      to.packed[i] = {&to.scalars[i], nullptr};
      return {};
    }
    TensorBuffer &buffer = to.tensors[i];
    MM01_RETURN_IF_FAILED(buffer.resize(*to.device, spec.type, tensor.shape));
    MM01_RETURN_IF_FAILED(
        to.device->copyIn(buffer.memory.data(), tensor.data, buffer.bytes()));
    to.packed[i] = {buffer.memory.data(), buffer.shape.data()};
    return {};
  }

  Status packWeight(size_t i, const TensorInfo &tensor) {
    Result<const void *> shown =
        showToDevice(*to.device, tensor.data, tensor.bytes, "a weight",
                     to.copies.emplace_back());
    MM01_RETURN_IF_FAILED(shown);
    auto &pointers = to.weightParts.emplace_back();
    addParts(pointers, tensor.shape, *shown, tensor.bytes);
    to.packed[i] = {pointers.data(), nullptr};
    return {};
  }

  /// Adds where each part of dense memory of a weight's shape begins.
  static void addParts(std::vector<const void *> &pointers,
                       const std::vector<int64_t> &shape, const void *memory,
                       uint64_t bytes) {
    int64_t parts = shape.size() == 3 ? shape[0] : 1;
    for (int64_t part = 0; part < parts; ++part)
      pointers.push_back(static_cast<const std::byte *>(memory) +
                         part * (bytes / parts));
  }

  /// An int8 weight: floats of any type in the file, quantised here.
  Status readQuantized(size_t i) {
    const ArgumentSpec &spec = entry.arguments[i];
    const TensorInfo *tensor = to.file.find(concat("arg", i));
    ElementType type = ElementType::F32;
    for (ElementType other : {ElementType::F16, ElementType::BF16})
      if (tensor && tensor->type == fileType(other))
        type = other;
    Result<const TensorInfo *> found =
        find(concat("arg", i), fileType(type), spec.shape);
    MM01_RETURN_IF_FAILED(found);
    // Elements, and behind them the scales, as a GPU program wants them.
    int64_t bytes = (*found)->elements(), columns = spec.shape.back();
    int64_t rows = bytes / columns;
    int64_t place = scalesPlace(bytes);
    int64_t all = place + rows * static_cast<int64_t>(sizeof(float));
    AlignedBuffer &host = to.quantized.emplace_back();
    MM01_RETURN_IF_FAILED(host.reserve(all, "an int8 weight"));
    auto *elements = static_cast<std::byte *>(host.data());
    if (std::optional<int64_t> bad =
            quantizeRows(type, (*found)->data, rows, columns,
                         reinterpret_cast<int8_t *>(elements),
                         reinterpret_cast<float *>(elements + place)))
      return error("tensor '", (*found)->name, "': row ", *bad, " of ", rows,
                   " holds an infinity or a NaN, expected numbers to make int8 "
                   "of");
    Result<const void *> shown = showToDevice(
        *to.device, elements, all, "a weight", to.copies.emplace_back());
    MM01_RETURN_IF_FAILED(shown);
    auto &pointers = to.weightParts.emplace_back();
    addParts(pointers, spec.shape, *shown, bytes);
    addParts(pointers, spec.shape,
             static_cast<const std::byte *>(*shown) + place, all - place);
    to.packed[i] = {pointers.data(), nullptr};
    return {};
  }

  Status readRagged(size_t i) {
    std::string name = concat("arg", i);
    std::vector<int32_t> offsets, past, slot, pages;
    MM01_RETURN_IF_FAILED(readInts(name + ".seq_offsets", {-1}, offsets));
    MM01_RETURN_IF_FAILED(readInts(name + ".past", {-1}, past));
    MM01_RETURN_IF_FAILED(readInts(name + ".slot", {-1}, slot));
    int64_t sequences = static_cast<int64_t>(past.size());
    MM01_RETURN_IF_FAILED(
        readInts(name + ".page_table", {sequences, -1}, pages));
    RaggedLimits limits{manifest.maxTokens, manifest.maxSequences,
                        extent("lightning_state", 1), extent("keys", 1)};
    Result<RaggedBatch> batch =
        RaggedBatch::create(std::move(offsets), std::move(past),
                            std::move(slot), std::move(pages), limits);
    if (batch.failed())
      return error(name, ": ", batch.message());
    std::optional<int64_t> tokens = extent("tokens", 0);
    if (tokens && *tokens != batch->tokens())
      return error(name, ".seq_offsets: expected to end at the ", *tokens,
                   " tokens, found ", batch->tokens());
    if (extent("values", 1) != extent("keys", 1))
      return error("expected as many pages of values as of keys");
    to.batches.push_back(*std::move(batch));
    MM01_RETURN_IF_FAILED(
        to.batches.back().copyTo(*to.device, to.copies.emplace_back()));
    to.packed[i] = {const_cast<mm01_ragged *>(to.batches.back().get()),
                    nullptr};
    return {};
  }

  Status readInts(const std::string &name, const std::vector<int64_t> &shape,
                  std::vector<int32_t> &values) {
    Result<const TensorInfo *> found =
        find(name, safetensors::ElementType::I32, shape);
    MM01_RETURN_IF_FAILED(found);
    values.resize((*found)->elements());
    if (!values.empty())
      std::memcpy(values.data(), (*found)->data, (*found)->bytes);
    return {};
  }

  /// An extent of the argument of this role, if there is one.
  std::optional<int64_t> extent(std::string_view role, size_t dimension) const {
    std::optional<size_t> argument = entry.findArgument(role);
    if (!argument || to.tensors[*argument].shape.size() <= dimension)
      return std::nullopt;
    return to.tensors[*argument].shape[dimension];
  }

  /// The elements of the argument of this role must be in [0, limit).
  Status checkIndices(std::string_view role, std::optional<int64_t> limit,
                      const char *of) const {
    std::optional<size_t> argument = entry.findArgument(role);
    if (!argument || !limit ||
        entry.arguments[*argument].type != ElementType::I32)
      return {};
    const TensorInfo &tensor = *to.file.find(concat("arg", *argument));
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      // A file need not align its tensors.
      int32_t index = 0;
      std::memcpy(&index, tensor.data + i * sizeof(index), sizeof(index));
      if (index < 0 || index >= *limit)
        return error("tensor 'arg", *argument, "' (", role, "): expected 0 to ",
                     *limit - 1, ", found ", index, " at ", i, ", outside of ",
                     of);
    }
    return {};
  }

  const Manifest &manifest;
  const EntrySpec &entry;
  FileArguments &to;
  std::set<std::string> used;
};

} // namespace mm01

Result<FileArguments> FileArguments::read(const Manifest &manifest,
                                          const EntrySpec &entry,
                                          const std::string &path,
                                          Device &device) {
  Result<safetensors::File> file = safetensors::File::open(path);
  MM01_RETURN_IF_FAILED(file);
  FileArguments arguments(*std::move(file), device);
  MM01_RETURN_IF_FAILED(ArgumentReader(manifest, entry, arguments).readAll());
  return arguments;
}

Status FileArguments::addResults(const EntrySpec &entry, const ResultSink &sink,
                                 safetensors::Writer &writer) {
  for (size_t i = 0; i < entry.results.size(); ++i) {
    const ResultSpec &result = entry.results[i];
    const TensorBuffer &buffer = result.kind == ResultKind::Tied
                                     ? tensors[result.argument]
                                     : sink.results[i];
    Result<const void *> shown =
        showToHost(*device, buffer.memory.data(), buffer.bytes(), "a result",
                   results.emplace_back());
    MM01_RETURN_IF_FAILED(shown);
    writer.add(concat("result", i), fileType(buffer.type), buffer.shape,
               *shown);
  }
  return device->synchronize();
}
