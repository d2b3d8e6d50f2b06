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

/// SameTypes: several operands of one type, written once.
template <typename... Rest>
static ParseResult parseSameTypes(OpAsmParser &parser, Type &first,
                                  Rest &...rest) {
  if (parser.parseType(first))
    return failure();
  ((rest = first), ...);
  return success();
}

template <typename... Rest>
static void printSameTypes(OpAsmPrinter &printer, Operation *, Type first,
                           Rest...) {
  printer << first;
}

#define GET_OP_CLASSES
#include "dialects/mm01/Mm01Ops.cpp.inc"
