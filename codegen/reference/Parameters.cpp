//===- Parameters.cpp - weights out of a checkpoint -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Parameters.h"

#include "codegen/reference/Quantize.h"

#include "mlir/IR/SymbolTable.h"

using namespace llvm;
using namespace mlir;
using mm01::safetensors::Checkpoint;
using mm01::safetensors::ElementType;
using mm01::safetensors::TensorInfo;

namespace mm01::reference {

ElementType storageType(WeightType type) {
  if (type.getElementType().isF32())
    return ElementType::F32;
  return type.getElementType().isF16() ? ElementType::F16 : ElementType::BF16;
}

Expected<Parameters> Parameters::open(const std::string &path) {
  Result<Checkpoint> opened = Checkpoint::open(path);
  if (!opened)
    return createStringError(Twine(opened.message()));
  return Parameters(std::make_shared<Checkpoint>(std::move(*opened)));
}

std::vector<const TensorInfo *> Parameters::find(SourceAttr source,
                                                 int64_t parts) const {
  std::vector<const TensorInfo *> tensors;
  auto [before, after] = source.getTensor().split("{}");
  for (int64_t part = 0; part < (source.isStack() ? parts : 1); ++part) {
    std::string name = source.isStack() ? (before + Twine(part) + after).str()
                                        : source.getTensor().str();
    const TensorInfo *info = checkpoint->find(name);
    if (!info)
      return {};
    tensors.push_back(info);
  }
  return tensors;
}

Expected<Weight> Parameters::bind(Operation *from,
                                  FlatSymbolRefAttr symbol) const {
  auto parameter =
      SymbolTable::lookupNearestSymbolFrom<ParameterOp>(from, symbol);
  WeightType type = parameter.getType();
  if (std::optional<Type> stored = parameter.getStored())
    type = WeightType::get(type.getContext(), type.getShape(), *stored);
  ElementType storage = storageType(type);
  for (SourceAttr source : parameter.getSources().getAsRange<SourceAttr>()) {
    std::vector<const TensorInfo *> tensors = find(source, type.getParts());
    if (tensors.empty())
      continue;
    for (const TensorInfo *info : tensors)
      if (ArrayRef(info->shape) != source.getShape() || info->type != storage)
        return createStringError(Twine(info->file) + ": tensor '" + info->name +
                                 "' is " + std::string(dtypeName(info->type)) +
                                 " " + shapeText(info->shape) + ", expected " +
                                 std::string(dtypeName(storage)) + " " +
                                 shapeText(source.getShape()) +
                                 " for parameter @" + symbol.getValue());
    uint64_t rowBytes = type.getShape().back() * elementBytes(storage);
    std::vector<const std::byte *> parts;
    for (int64_t part = 0; part < type.getParts(); ++part) {
      uint64_t row = source.getFirstRow() + part * source.getRowStride();
      parts.push_back(source.isStack() ? tensors[part]->data
                                       : tensors[0]->data + row * rowBytes);
    }
    Weight weight(type, storage, std::move(parts), checkpoint);
    if (!parameter.getStored())
      return weight;
    Expected<Weight> quantized = quantize(weight);
    if (!quantized)
      return createStringError(Twine(tensors[0]->file) + ": parameter @" +
                               symbol.getValue() + ": " +
                               toString(quantized.takeError()));
    return quantized;
  }
  return createStringError(Twine(checkpoint->path()) +
                           ": no tensors for parameter @" + symbol.getValue() +
                           ", expected those of one of its sources");
}

} // namespace mm01::reference
