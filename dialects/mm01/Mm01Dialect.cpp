//===- Mm01Dialect.cpp - types and attributes of the mm01 dialect ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01Dialect.h"
#include "dialects/mm01/Mm01Extents.h"
#include "dialects/mm01/Mm01LibraryOps.h"
#include "dialects/mm01/Mm01SamplingOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mm01;

#include "dialects/mm01/Mm01Dialect.cpp.inc"
#include "dialects/mm01/Mm01Enums.cpp.inc"
#include "dialects/mm01/Mm01Interfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/mm01/Mm01Attributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/mm01/Mm01Types.cpp.inc"

void Mm01Dialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/mm01/Mm01Types.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/mm01/Mm01Attributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/mm01/Mm01Ops.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/mm01/Mm01LibraryOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/mm01/Mm01SamplingOps.cpp.inc"
      >();
}

std::optional<int64_t> mm01::countExtents(Type type) {
  if (isa<RaggedType>(type))
    return static_cast<int64_t>(RaggedExtent::pages) + 1;
  if (isa<IndexType>(type))
    return 1;
  if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
    return shaped.getRank();
  return std::nullopt;
}

/// `mm01.extents` has a name, a number or nothing for each extent.
static LogicalResult verifyExtentsAttribute(Operation *op, Attribute value,
                                            Type type) {
  const std::optional<int64_t> count = countExtents(type);
  auto extents = dyn_cast<ArrayAttr>(value);
  if (!extents || !count || static_cast<int64_t>(extents.size()) != *count)
    return op->emitError("'mm01.extents' must be an array with an element for "
                         "each extent of ")
           << type;
  for (Attribute extent : extents) {
    auto number = dyn_cast<IntegerAttr>(extent);
    const bool isNumber = number && number.getType().isSignlessInteger(64) &&
                          !number.getValue().isNegative();
    if (!isNumber && !isa<StringAttr, UnitAttr>(extent))
      return op->emitError("'mm01.extents' must hold strings, numbers of i64 "
                           "from 0, and unit, found ")
             << extent;
  }
  return success();
}

/// `mm01.cache_uses` is what Mm01Extents.h says; `function` has the arguments.
static LogicalResult verifyCacheUsesAttribute(FunctionOpInterface function,
                                              Attribute uses, Type type) {
  auto isArgument = [&](Attribute attr, auto isKind) {
    auto number = dyn_cast_or_null<IntegerAttr>(attr);
    return number && number.getValue().ult(function.getNumArguments()) &&
           isKind(function.getArgumentTypes()[number.getInt()]);
  };
  auto isUse = [&](Attribute attr) {
    auto use = dyn_cast<DictionaryAttr>(attr);
    auto rows = use ? use.getAs<StringAttr>("rows") : nullptr;
    if (!rows || (rows != "slots" && rows != "pages") ||
        !isArgument(use.get("batch"), llvm::IsaPred<RaggedType>))
      return false;
    auto layers = use.getAs<IntegerAttr>("layers");
    Attribute layer = use.get("layer");
    return (!layer || isArgument(layer, llvm::IsaPred<IndexType>)) &&
           use.size() == size_t(2 + !!layers + !!layer);
  };
  auto array = dyn_cast<ArrayAttr>(uses);
  auto shaped = dyn_cast_or_null<ShapedType>(type);
  if (array && shaped && shaped.hasRank() && shaped.getRank() == 5 &&
      llvm::all_of(array, isUse))
    return success();
  return function.emitError("'mm01.cache_uses' must be an array of {batch, "
                            "rows} and layer or layers, on a tensor of "
                            "five dimensions, found ")
         << uses;
}

/// `mm01.role` is a string; `mm01.parameter` names an mm01.parameter whose type
/// is that of the argument.
static LogicalResult verifyValueAttribute(Operation *op, NamedAttribute attr,
                                          Type type) {
  if (attr.getName() == kRoleAttr) {
    if (!isa<StringAttr>(attr.getValue()))
      return op->emitError("'mm01.role' must be a string");
    return success();
  }
  if (attr.getName() == kExtentsAttr)
    return verifyExtentsAttribute(op, attr.getValue(), type);
  if (attr.getName() == kCacheUsesAttr)
    return verifyCacheUsesAttribute(cast<FunctionOpInterface>(op),
                                    attr.getValue(), type);
  if (attr.getName() != kParameterAttr)
    return op->emitError("unknown attribute '")
           << attr.getName().getValue()
           << "', expected 'mm01.role', 'mm01.parameter', "
              "'mm01.extents' or 'mm01.cache_uses'";
  auto symbol = dyn_cast<FlatSymbolRefAttr>(attr.getValue());
  if (!symbol)
    return op->emitError("'mm01.parameter' must be a symbol such as @name");
  auto parameter =
      SymbolTable::lookupNearestSymbolFrom<ParameterOp>(op, symbol);
  if (!parameter)
    return op->emitError("no mm01.parameter is named ") << symbol;
  if (parameter.getType() != type)
    return op->emitError("the argument bound to ")
           << symbol << " has type " << type << ", expected "
           << parameter.getType();
  return success();
}

LogicalResult Mm01Dialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitError("mm01 argument attributes belong on functions");
  return verifyValueAttribute(op, attr, function.getArgumentTypes()[argument]);
}

LogicalResult Mm01Dialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                       unsigned result,
                                                       NamedAttribute attr) {
  if (attr.getName() != kRoleAttr)
    return op->emitError("a result takes no '")
           << attr.getName().getValue() << "', expected 'mm01.role'";
  return verifyValueAttribute(op, attr, Type());
}

/// Extents are positive, and their product and its bytes fit 64 bits, so that
/// nobody after this has to think of overflow.
static LogicalResult verifyExtents(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape, StringRef what) {
  constexpr int64_t limit = std::numeric_limits<int64_t>::max() / 8;
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent <= 0)
      return emitError() << "the extents of " << what << " must be positive";
    if (llvm::MulOverflow(count, extent, count) || count > limit)
      return emitError() << what << " has more than 2^60 elements";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// !mm01.weight
//===----------------------------------------------------------------------===//

Type WeightType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseGreater())
    return {};
  return parser.getChecked<WeightType>(parser.getContext(), shape, element);
}

void WeightType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t extent : getShape())
    printer << extent << "x";
  printer << getElementType() << ">";
}

LogicalResult WeightType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type element) {
  if (shape.empty() || shape.size() > 3)
    return emitError() << "a weight has one to three dimensions, found "
                       << shape.size();
  if (failed(verifyExtents(emitError, shape, "a weight")))
    return failure();
  if (!element.isF32() && !element.isF16() && !element.isBF16() &&
      !element.isSignlessInteger(8))
    return emitError() << "a weight is stored as f32, f16, bf16 or i8, found "
                       << element;
  return success();
}

RankedTensorType WeightType::getPartType() const {
  ArrayRef<int64_t> shape = getShape();
  return RankedTensorType::get(shape.size() == 3 ? shape.drop_front() : shape,
                               getElementType());
}

RankedTensorType WeightType::getScalesType() const {
  ArrayRef<int64_t> shape = getShape();
  int64_t rows = shape.size() == 1 ? 1 : shape[shape.size() - 2];
  return RankedTensorType::get(rows, Float32Type::get(getContext()));
}

int64_t WeightType::getNumElements() const {
  return ShapedType::getNumElements(getShape());
}

//===----------------------------------------------------------------------===//
// #mm01.source
//===----------------------------------------------------------------------===//

/// `4x96x64`: extents without an element type. `4x0` would lex as hexadecimal,
/// but an extent is never 0.
static ParseResult parseExtents(AsmParser &parser,
                                SmallVectorImpl<int64_t> &shape) {
  return parser.parseDimensionList(shape, /*allowDynamic=*/false,
                                   /*withTrailingX=*/false);
}

Attribute SourceAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SmallVector<int64_t> shape;
  int64_t first = 0, stride = 0;
  if (parser.parseLess() || parser.parseString(&name) || parser.parseColon() ||
      parseExtents(parser, shape))
    return {};
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("rows") || parser.parseInteger(first) ||
        parser.parseKeyword("stride") || parser.parseInteger(stride))
      return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SourceAttr>(parser.getContext(), name, shape, first,
                                       stride);
}

LogicalResult SourceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef tensor, ArrayRef<int64_t> shape,
                                 int64_t firstRow, int64_t rowStride) {
  if (tensor.empty() || tensor.count("{}") > 1)
    return emitError() << "a source names a tensor, with at most one {}";
  if (shape.empty())
    return emitError() << "a source has at least one dimension";
  if (firstRow < 0 || rowStride < 0)
    return emitError() << "the rows of a source must not be negative";
  if (tensor.contains("{}") && (firstRow || rowStride))
    return emitError() << "a source with {} is whole tensors, without rows";
  return verifyExtents(emitError, shape, "a source");
}

void SourceAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printString(getTensor());
  printer << " : ";
  llvm::interleave(getShape(), printer.getStream(), "x");
  if (getFirstRow() || getRowStride())
    printer << ", rows " << getFirstRow() << " stride " << getRowStride();
  printer << ">";
}
