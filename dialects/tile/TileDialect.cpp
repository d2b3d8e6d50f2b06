//===- TileDialect.cpp - types and registration of the tile dialect -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tile/TileDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mm01::tile;

//===----------------------------------------------------------------------===//
// !tile.buffer
//===----------------------------------------------------------------------===//

/// `4x64x128xbf16`, as in a tensor type of static extents.
static ParseResult parseTileShape(AsmParser &parser,
                                  SmallVector<int64_t> &shape, Type &element) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
                 parser.parseType(element));
}

static void printTileShape(AsmPrinter &printer, ArrayRef<int64_t> shape,
                           Type element) {
  printer.printDimensionList(shape);
  printer << 'x' << element;
}

#include "dialects/tile/TileDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/TileAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/TileOps.cpp.inc"
      >();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 int64_t swizzle) {
  if (shape.size() != 2 && shape.size() != 3)
    return emitError()
           << "a buffer has rows and columns, and a ring the number "
              "of its tiles before them; found "
           << shape.size() << " extents";
  if (!elementType.isBF16() && !elementType.isSignlessInteger(8))
    return emitError() << "a buffer holds bf16 or i8, found " << elementType;
  if (llvm::any_of(shape, [](int64_t extent) { return extent <= 0; }))
    return emitError() << "the extents of a buffer are positive";
  if (shape[shape.size() - 2] % 8 != 0)
    return emitError() << "a buffer's rows come in blocks of 8, found "
                       << shape[shape.size() - 2];
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return emitError() << "a swizzle has 32, 64 or 128 bytes, found "
                       << swizzle;
  return success();
}

BufferType BufferType::getTile() const {
  return get(getContext(), getShape().take_back(2), getElementType(),
             getSwizzle());
}

BufferType BufferType::getRing(int64_t versions) const {
  return get(getContext(), {versions, getRows(), getColumns()},
             getElementType(), getSwizzle());
}

BufferType BufferType::withSwizzle(int64_t bytes) const {
  return get(getContext(), getShape(), getElementType(), bytes);
}

SharedLayout BufferType::getLayout() const {
  return {getRows(), getColumns(),
          int64_t(getElementType().getIntOrFloatBitWidth() / 8), getSwizzle()};
}
