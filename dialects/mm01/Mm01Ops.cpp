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

#define GET_OP_CLASSES
#include "dialects/mm01/Mm01Ops.cpp.inc"
