//===- InterpreterValue.cpp - tensors, weights and ragged batches ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/InterpreterValue.h"

#include "codegen/reference/Widen.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

static Scalar unwritten(Type elementType) {
  Scalar scalar;
  if (isa<FloatType>(elementType))
    scalar.f = std::numeric_limits<double>::quiet_NaN();
  else
    scalar.i = std::numeric_limits<int64_t>::min();
  return scalar;
}

Tensor::Tensor(ArrayRef<int64_t> shape, Type elementType)
    : extents(shape), type(elementType) {
  buffer->elements.assign(elements(), unwritten(type));
}

Tensor Tensor::floats(ArrayRef<int64_t> shape, Type elementType,
                      ArrayRef<double> elements) {
  Tensor tensor(shape, elementType);
  for (auto [to, from] : llvm::zip_equal(tensor.buffer->elements, elements))
    to.f = from;
  return tensor;
}

Tensor Tensor::integers(ArrayRef<int64_t> shape, Type elementType,
                        ArrayRef<int64_t> elements) {
  Tensor tensor(shape, elementType);
  for (auto [to, from] : llvm::zip_equal(tensor.buffer->elements, elements))
    to.i = from;
  return tensor;
}

int64_t Tensor::elements() const {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

int64_t Tensor::rowElements() const {
  int64_t product = 1;
  for (int64_t extent : llvm::drop_begin(extents))
    product *= extent;
  return product;
}

Scalar *Tensor::mutableData() {
  Scalar *data = mutableDataForCopies();
  buffer->rounded = false;
  return data;
}

Scalar *Tensor::mutableDataForCopies() {
  if (buffer.use_count() > 1)
    buffer = std::make_shared<Buffer>(*buffer);
  return buffer->elements.data();
}

Scalar *Tensor::overwrite() {
  if (buffer.use_count() > 1)
    *this = Tensor(SmallVector<int64_t>(shape()), type);
  buffer->rounded = false;
  return buffer->elements.data();
}

Tensor Tensor::reshaped(ArrayRef<int64_t> shape) const {
  Tensor result = *this;
  result.extents.assign(shape.begin(), shape.end());
  return result;
}

void Tensor::roundToStorage() {
  if (buffer->rounded || !isa<FloatType>(type) || type.isF64())
    return;
  Scalar *data = mutableData();
  for (Scalar &scalar : MutableArrayRef<Scalar>(data, elements()))
    scalar.f = roundToType(scalar.f, type);
  buffer->rounded = true;
}

//===----------------------------------------------------------------------===//
// Weight
//===----------------------------------------------------------------------===//

Weight::Weight(WeightType type, safetensors::ElementType storage,
               std::vector<const std::byte *> parts,
               std::shared_ptr<const void> owner)
    : weightType(type), storage(storage), parts(std::move(parts)),
      owner(std::move(owner)) {}

Weight Weight::floats(WeightType type, ArrayRef<double> elements) {
  auto memory =
      std::make_shared<std::vector<double>>(elements.begin(), elements.end());
  int64_t each = elements.size() / type.getParts();
  std::vector<const std::byte *> parts;
  for (int64_t part = 0; part < type.getParts(); ++part)
    parts.push_back(
        reinterpret_cast<const std::byte *>(memory->data() + part * each));
  return Weight(type, safetensors::ElementType::F64, std::move(parts), memory);
}

Weight Weight::quantized(ArrayRef<int64_t> shape, MLIRContext *context,
                         std::vector<int8_t> elements,
                         std::vector<float> scales) {
  auto type = WeightType::get(context, shape, IntegerType::get(context, 8));
  auto memory = std::make_shared<std::vector<int8_t>>(std::move(elements));
  int64_t each = memory->size() / type.getParts();
  std::vector<const std::byte *> parts;
  for (int64_t part = 0; part < type.getParts(); ++part)
    parts.push_back(
        reinterpret_cast<const std::byte *>(memory->data() + part * each));
  Weight weight(type, safetensors::ElementType::I8, std::move(parts), memory);
  weight.scales = std::make_shared<std::vector<float>>(std::move(scales));
  return weight;
}

int64_t Weight::rows() const {
  ArrayRef<int64_t> shape = weightType.getShape();
  return shape.size() == 1 ? 1 : shape[shape.size() - 2];
}

int64_t Weight::columns() const { return weightType.getShape().back(); }

void Weight::readRow(int64_t part, int64_t row,
                     MutableArrayRef<double> to) const {
  if (!scales)
    return widen(parts[part], storage, row * columns(), to);
  std::vector<int64_t> elements(columns());
  widen(parts[part], storage, row * columns(), elements);
  double scale = (*scales)[part * rows() + row];
  for (auto [wide, element] : llvm::zip_equal(to, elements))
    wide = static_cast<double>(element) * scale;
}

Tensor Weight::readPart(int64_t part) const {
  if (auto found = widened->find(part); found != widened->end())
    return found->second;
  RankedTensorType partType = weightType.getPartType();
  Tensor tensor(partType.getShape(), partType.getElementType());
  if (scales) {
    std::vector<int64_t> elements(tensor.elements());
    widen(parts[part], storage, 0, elements);
    tensor = Tensor::integers(partType.getShape(), partType.getElementType(),
                              elements);
    widened->emplace(part, tensor);
    return tensor;
  }
  std::vector<double> row(columns());
  Scalar *data = tensor.overwrite();
  for (int64_t r = 0; r < rows(); ++r) {
    readRow(part, r, row);
    for (double element : row)
      (data++)->f = element;
  }
  widened->emplace(part, tensor);
  return tensor;
}

Tensor Weight::readScales(int64_t part) const {
  RankedTensorType type = weightType.getScalesType();
  auto first = scales->begin() + part * rows();
  std::vector<double> wide(first, first + rows());
  return Tensor::floats(type.getShape(), type.getElementType(), wide);
}

//===----------------------------------------------------------------------===//
// Ragged
//===----------------------------------------------------------------------===//

static Error invalid(const Twine &message) {
  return createStringError(message);
}

Expected<Ragged> Ragged::create(std::vector<int64_t> seqOffsets,
                                std::vector<int64_t> past,
                                std::vector<int64_t> slot,
                                std::vector<int64_t> pageTable) {
  size_t sequences = past.size();
  if (seqOffsets.size() != sequences + 1)
    return invalid("seq_offsets has " + Twine(seqOffsets.size()) +
                   " elements, expected one more than the " + Twine(sequences) +
                   " of past");
  if (slot.size() != sequences)
    return invalid("slot has " + Twine(slot.size()) +
                   " elements, expected as many as the " + Twine(sequences) +
                   " of past");
  if (sequences == 0 ? !pageTable.empty() : pageTable.size() % sequences != 0)
    return invalid("page_table has " + Twine(pageTable.size()) +
                   " elements, expected rows for " + Twine(sequences) +
                   " sequences");
  if (seqOffsets[0] != 0)
    return invalid("seq_offsets[0] is " + Twine(seqOffsets[0]) +
                   ", expected 0");

  auto arrays = std::make_shared<Arrays>();
  SmallSet<int64_t, 8> taken;
  for (size_t n = 0; n < sequences; ++n) {
    int64_t length = seqOffsets[n + 1] - seqOffsets[n];
    if (length <= 0 || seqOffsets[n + 1] > kMaxElements)
      return invalid("seq_offsets[" + Twine(n + 1) + "] is " +
                     Twine(seqOffsets[n + 1]) + ", expected more than " +
                     Twine(seqOffsets[n]));
    if (past[n] < 0 || past[n] + length > std::numeric_limits<int32_t>::max())
      return invalid("past[" + Twine(n) + "] is " + Twine(past[n]) +
                     ", expected a position from 0 on that fits int32");
    if (slot[n] < 0)
      return invalid("slot[" + Twine(n) + "] is " + Twine(slot[n]) +
                     ", expected a slot from 0 on");
    if (!taken.insert(slot[n]).second)
      return invalid("slot[" + Twine(n) + "] is " + Twine(slot[n]) +
                     ", which another sequence has already");
    if (length > 1)
      arrays->several.push_back(n);
    for (int64_t i = 0; i < length; ++i) {
      arrays->sequence.push_back(n);
      arrays->position.push_back(past[n] + i);
    }
  }
  arrays->pages = sequences ? pageTable.size() / sequences : 0;
  arrays->offsets = std::move(seqOffsets);
  arrays->past = std::move(past);
  arrays->slot = std::move(slot);
  arrays->table = std::move(pageTable);
  Ragged ragged;
  ragged.data = std::move(arrays);
  return ragged;
}

ArrayRef<int64_t> Ragged::field(RaggedField field) const {
  switch (field) {
  case RaggedField::seq_offsets:
    return data->offsets;
  case RaggedField::past:
    return data->past;
  case RaggedField::slot:
    return data->slot;
  case RaggedField::page_table:
    return data->table;
  case RaggedField::token_sequence:
    return data->sequence;
  case RaggedField::token_position:
    return data->position;
  case RaggedField::several_sequence:
    return data->several;
  }
  llvm_unreachable("every field is listed");
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

double roundToType(double value, Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || type.isF64() || !std::isfinite(value) || value == 0)
    return value;
  // The grid of the type around the value: multiples of 2^exponent. Below the
  // least normal number the grid gets no finer.
  const fltSemantics &semantics = floatType.getFloatSemantics();
  int precision = APFloat::semanticsPrecision(semantics);
  int exponent = std::max<int>(std::ilogb(value),
                               APFloat::semanticsMinExponent(semantics)) -
                 (precision - 1);
  double rounded =
      std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
  if (std::ilogb(rounded) > APFloat::semanticsMaxExponent(semantics))
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

int64_t wrapToType(int64_t value, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 64)
    return value;
  if (integer.getWidth() == 1)
    return value & 1;
  return SignExtend64(value, integer.getWidth());
}

bool compatibleExtents(ArrayRef<int64_t> found, ArrayRef<int64_t> expected) {
  return found.size() == expected.size() &&
         llvm::all_of(llvm::zip(found, expected), [](auto pair) {
           return compatible(std::get<0>(pair), std::get<1>(pair));
         });
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [i, extent] : llvm::enumerate(shape)) {
    text += i ? ", " : "";
    text += ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
  }
  return text + "]";
}

} // namespace mm01::reference
