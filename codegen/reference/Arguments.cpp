//===- Arguments.cpp - arguments and results in files ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Arguments.h"

#include "codegen/reference/Parameters.h"
#include "codegen/reference/Quantize.h"
#include "codegen/reference/Widen.h"
#include "frontend/safetensors/File.h"
#include "frontend/safetensors/Writer.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

using namespace llvm;
using namespace mlir;
using mm01::safetensors::ElementType;
using mm01::safetensors::File;
using mm01::safetensors::TensorInfo;

namespace mm01::reference {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads the arguments one by one and remembers which tensors it has used.
class Reader {
public:
  Reader(FunctionOpInterface entry, std::shared_ptr<const File> file)
      : entry(entry), file(std::move(file)) {}

  Expected<InterpreterValue> read(unsigned index);

  /// Refuses a tensor that no argument has read: it may be misnamed.
  Error checkNothingLeft();

private:
  Error fail(const Twine &message) const {
    return createStringError(Twine(file->path()) + ": " + message);
  }

  Expected<const TensorInfo *> find(const std::string &name);
  Expected<Tensor> readTensor(const std::string &name, Type elementType,
                              ArrayRef<int64_t> shape);
  Expected<InterpreterValue> readScalar(const std::string &name, Type type);
  Expected<InterpreterValue> readWeight(const std::string &name,
                                        WeightType type);
  Expected<InterpreterValue> readRagged(const std::string &name);

  FunctionOpInterface entry;
  std::shared_ptr<const File> file;
  llvm::StringSet<> used;
};

} // namespace

Expected<const TensorInfo *> Reader::find(const std::string &name) {
  const TensorInfo *info = file->find(name);
  if (!info)
    return fail("no tensor '" + name +
                "', expected one for each argument of @" + entry.getName());
  used.insert(name);
  return info;
}

Expected<Tensor> Reader::readTensor(const std::string &name, Type elementType,
                                    ArrayRef<int64_t> shape) {
  Expected<const TensorInfo *> info = find(name);
  if (!info)
    return info.takeError();
  if (!compatibleExtents((*info)->shape, shape))
    return fail("tensor '" + name + "' has the shape " +
                shapeText((*info)->shape) + ", expected " + shapeText(shape));
  bool isFloatTensor = isa<FloatType>(elementType);
  if (isFloatTensor != isFloat((*info)->type)) {
    std::string text;
    raw_string_ostream(text) << elementType;
    return fail("tensor '" + name + "' is stored as " +
                std::string(dtypeName((*info)->type)) + ", expected " +
                (isFloatTensor ? "a float type for " : "an integer type for ") +
                text);
  }
  if ((*info)->elements() > kMaxElements)
    return fail("tensor '" + name + "' has more than " + Twine(kMaxElements) +
                " elements");

  if (isFloatTensor) {
    std::vector<double> elements((*info)->elements());
    widen((*info)->data, (*info)->type, 0, elements);
    return Tensor::floats((*info)->shape, elementType, elements);
  }
  std::vector<int64_t> elements((*info)->elements());
  widen((*info)->data, (*info)->type, 0, elements);
  for (auto [i, element] : llvm::enumerate(elements))
    if (wrapToType(element, elementType) != element)
      return fail("tensor '" + name + "' has " + Twine(element) +
                  " as element " + Twine(i) +
                  ", which its argument's type does not hold");
  return Tensor::integers((*info)->shape, elementType, elements);
}

Expected<InterpreterValue> Reader::readScalar(const std::string &name,
                                              Type type) {
  const TensorInfo *info = file->find(name);
  bool isVector = info && info->shape.size() == 1;
  Expected<Tensor> tensor = readTensor(
      name, type, isVector ? ArrayRef<int64_t>{1} : ArrayRef<int64_t>());
  if (!tensor)
    return tensor.takeError();
  return InterpreterValue(*tensor->data());
}

/// The type that a weight has whose elements are stored like this; f32 stands
/// for every other, too.
static Type floatType(const TensorInfo &info, MLIRContext *context) {
  if (info.type == ElementType::BF16)
    return BFloat16Type::get(context);
  if (info.type == ElementType::F16)
    return Float16Type::get(context);
  return Float32Type::get(context);
}

Expected<InterpreterValue> Reader::readWeight(const std::string &name,
                                              WeightType type) {
  Expected<const TensorInfo *> info = find(name);
  if (!info)
    return info.takeError();
  if (ArrayRef((*info)->shape) != type.getShape())
    return fail("tensor '" + name + "' has the shape " +
                shapeText((*info)->shape) + ", expected " +
                shapeText(type.getShape()));
  bool quantized = type.isQuantized();
  if (quantized)
    type = WeightType::get(type.getContext(), type.getShape(),
                           floatType(**info, type.getContext()));
  if ((*info)->type != storageType(type))
    return fail("tensor '" + name + "' is stored as " +
                std::string(dtypeName((*info)->type)) + ", expected " +
                std::string(dtypeName(storageType(type))));
  std::vector<const std::byte *> parts;
  uint64_t bytes = (*info)->bytes / type.getParts();
  for (int64_t part = 0; part < type.getParts(); ++part)
    parts.push_back((*info)->data + part * bytes);
  Weight weight(type, storageType(type), std::move(parts), file);
  if (!quantized)
    return InterpreterValue(std::move(weight));
  Expected<Weight> made = quantize(weight);
  if (!made)
    return fail("tensor '" + name + "': " + toString(made.takeError()));
  return InterpreterValue(std::move(*made));
}

Expected<InterpreterValue> Reader::readRagged(const std::string &name) {
  Type i32 = IntegerType::get(entry->getContext(), 32);
  constexpr int64_t any = ShapedType::kDynamic;
  // The four arrays, in the order of Ragged::create.
  std::vector<int64_t> arrays[4];
  const std::pair<const char *, SmallVector<int64_t>> fields[] = {
      {"seq_offsets", {any}},
      {"past", {any}},
      {"slot", {any}},
      {"page_table", {any, any}}};
  int64_t tableRows = 0;
  for (auto [field, array] : llvm::zip(fields, arrays)) {
    Expected<Tensor> tensor =
        readTensor(name + "." + field.first, i32, field.second);
    if (!tensor)
      return tensor.takeError();
    for (int64_t i = 0; i < tensor->elements(); ++i)
      array.push_back(tensor->data()[i].i);
    tableRows = tensor->extent(0);
  }
  if (tableRows != static_cast<int64_t>(arrays[1].size()))
    return fail("tensor '" + name + ".page_table' has " + Twine(tableRows) +
                " rows, expected one for each of the " +
                Twine(arrays[1].size()) + " sequences");
  Expected<Ragged> ragged =
      Ragged::create(std::move(arrays[0]), std::move(arrays[1]),
                     std::move(arrays[2]), std::move(arrays[3]));
  if (!ragged)
    return fail("'" + name + "': " + toString(ragged.takeError()));
  return InterpreterValue(std::move(*ragged));
}

Expected<InterpreterValue> Reader::read(unsigned index) {
  std::string name = "arg" + std::to_string(index);
  Type type = entry.getArgumentTypes()[index];
  if (auto tensorType = dyn_cast<RankedTensorType>(type);
      tensorType && tensorType.getElementType().isIntOrIndexOrFloat()) {
    Expected<Tensor> tensor =
        readTensor(name, tensorType.getElementType(), tensorType.getShape());
    if (!tensor)
      return tensor.takeError();
    return InterpreterValue(std::move(*tensor));
  }
  if (auto weightType = dyn_cast<WeightType>(type))
    return readWeight(name, weightType);
  if (isa<RaggedType>(type))
    return readRagged(name);
  if (type.isIntOrIndexOrFloat())
    return readScalar(name, type);
  std::string text;
  raw_string_ostream(text) << type;
  return fail("argument " + Twine(index) + " of @" + entry.getName() +
              " has the type " + text + ", which no file can hold");
}

Error Reader::checkNothingLeft() {
  for (const TensorInfo &info : file->tensors())
    if (!used.contains(info.name))
      return fail("tensor '" + info.name + "' is not read, expected only the " +
                  Twine(entry.getNumArguments()) + " arguments of @" +
                  entry.getName());
  return Error::success();
}

Expected<SmallVector<InterpreterValue>>
readArguments(FunctionOpInterface entry, const std::string &path,
              const std::string &checkpoint) {
  Result<File> opened = File::open(path);
  if (!opened)
    return createStringError(Twine(opened.message()));
  Reader reader(entry, std::make_shared<File>(std::move(*opened)));

  std::optional<Parameters> parameters;
  if (!checkpoint.empty()) {
    Expected<Parameters> bound = Parameters::open(checkpoint);
    if (!bound)
      return bound.takeError();
    parameters = std::move(*bound);
  }
  SmallVector<InterpreterValue> arguments;
  for (unsigned index = 0; index < entry.getNumArguments(); ++index) {
    auto symbol =
        entry.getArgAttrOfType<FlatSymbolRefAttr>(index, kParameterAttr);
    if (parameters && symbol) {
      Expected<Weight> weight = parameters->bind(entry, symbol);
      if (!weight)
        return weight.takeError();
      arguments.push_back(std::move(*weight));
      continue;
    }
    Expected<InterpreterValue> argument = reader.read(index);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  if (Error error = reader.checkNothingLeft())
    return error;
  return arguments;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// How an element type is written; nothing for one that no file can hold.
static std::optional<ElementType> writtenType(Type type, bool wide) {
  if (isa<FloatType>(type))
    return wide ? ElementType::F64 : ElementType::F32;
  if (type.isIndex() || type.isInteger(64))
    return ElementType::I64;
  if (type.isInteger(32))
    return ElementType::I32;
  if (type.isInteger(16))
    return ElementType::I16;
  if (type.isInteger(8))
    return ElementType::I8;
  if (type.isInteger(1))
    return ElementType::Bool;
  return std::nullopt;
}

template <typename Stored>
static void append(std::vector<std::byte> &bytes, Stored element) {
  auto *from = reinterpret_cast<const std::byte *>(&element);
  bytes.insert(bytes.end(), from, from + sizeof element);
}

static void append(std::vector<std::byte> &bytes, ElementType type,
                   Scalar element) {
  switch (type) {
  case ElementType::F64:
    return append(bytes, element.f);
  case ElementType::F32:
    return append(bytes, static_cast<float>(element.f));
  case ElementType::I64:
    return append(bytes, element.i);
  case ElementType::I32:
    return append(bytes, static_cast<int32_t>(element.i));
  case ElementType::I16:
    return append(bytes, static_cast<int16_t>(element.i));
  default:
    return append(bytes, static_cast<int8_t>(element.i));
  }
}

Error writeResults(FunctionOpInterface entry,
                   ArrayRef<InterpreterValue> results, const std::string &path,
                   bool wide) {
  safetensors::Writer writer;
  std::vector<std::vector<std::byte>> contents(results.size());
  for (auto [index, result] : llvm::enumerate(results)) {
    Type type = entry.getResultTypes()[index];
    std::optional<ElementType> written =
        writtenType(getElementTypeOrSelf(type), wide);
    if (!written) {
      std::string text;
      raw_string_ostream(text) << type;
      return createStringError(Twine(path) + ": result " + Twine(index) +
                               " of @" + entry.getName() + " has the type " +
                               text + ", which no file can hold");
    }
    Tensor tensor;
    if (const auto *scalar = std::get_if<Scalar>(&result)) {
      tensor = Tensor({}, type);
      *tensor.overwrite() = *scalar;
    } else {
      tensor = std::get<Tensor>(result);
    }
    for (int64_t i = 0; i < tensor.elements(); ++i)
      append(contents[index], *written, tensor.data()[i]);
    writer.add("result" + std::to_string(index), *written,
               {tensor.shape().begin(), tensor.shape().end()},
               contents[index].data());
  }
  if (Status status = writer.write(path); status.failed())
    return createStringError(Twine(status.message()));
  return Error::success();
}

} // namespace mm01::reference
