//===- Mm01Ops.cpp - generated definitions of the mm01 ops ------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mm01;

/// SameTypes: the types of operands that share one, written once. Folding a
/// tensor.cast into one operand can make them differ in what is static: they
/// are then written as a list in parentheses.
template <typename... Types>
static ParseResult parseSameTypes(OpAsmParser &parser, Types &...types) {
  if (failed(parser.parseOptionalLParen())) {
    Type type;
    if (parser.parseType(type))
      return failure();
    ((types = type), ...);
    return success();
  }
  bool first = true;
  auto parseNext = [&](Type &type) -> ParseResult {
    if (!first && parser.parseComma())
      return failure();
    first = false;
    return parser.parseType(type);
  };
  if ((failed(parseNext(types)) || ...))
    return failure();
  return parser.parseRParen();
}

template <typename... Types>
static void printSameTypes(OpAsmPrinter &printer, Operation *,
                           Types... operandTypes) {
  SmallVector<Type> types = {operandTypes...};
  if (llvm::all_equal(types)) {
    printer << types.front();
    return;
  }
  printer << "(";
  llvm::interleaveComma(types, printer);
  printer << ")";
}

/// MeshAxes: `<tp = 2, cp = 4>`.
static ParseResult parseMeshAxes(OpAsmParser &parser, ArrayAttr &axes,
                                 DenseI64ArrayAttr &extents) {
  SmallVector<Attribute> names;
  SmallVector<int64_t> sizes;
  auto parseAxis = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parser.parseInteger(sizes.emplace_back()))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseAxis))
    return failure();
  axes = parser.getBuilder().getArrayAttr(names);
  extents = parser.getBuilder().getDenseI64ArrayAttr(sizes);
  return success();
}

static void printMeshAxes(OpAsmPrinter &printer, Operation *, ArrayAttr axes,
                          DenseI64ArrayAttr extents) {
  printer << "<";
  llvm::interleaveComma(
      llvm::zip(axes.getAsRange<StringAttr>(), extents.asArrayRef()), printer,
      [&](auto axis) {
        printer.printKeywordOrString(std::get<0>(axis).getValue());
        printer << " = " << std::get<1>(axis);
      });
  printer << ">";
}

#define GET_OP_CLASSES
#include "dialects/mm01/Mm01Ops.cpp.inc"
