//===- Mm01OpSupport.cpp - helpers that verifiers of the mm01 ops share ---===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01OpSupport.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

bool mm01::compatibleShapes(ShapedType a, ShapedType b) {
  return a.getRank() == b.getRank() &&
         llvm::all_of(llvm::zip(a.getShape(), b.getShape()), [](auto extents) {
           return compatible(std::get<0>(extents), std::get<1>(extents));
         });
}

bool mm01::haveOneShape(ValueRange values) {
  // Compatibility is not transitive: ? goes with 2 and with 3.
  for (auto [index, first] : llvm::enumerate(values))
    for (Value second : values.drop_front(index + 1))
      if (!compatibleShapes(cast<ShapedType>(first.getType()),
                            cast<ShapedType>(second.getType())))
        return false;
  return true;
}

bool mm01::haveOneElementType(ValueRange values) {
  return llvm::all_equal(llvm::map_range(values, [](Value value) {
    return cast<ShapedType>(value.getType()).getElementType();
  }));
}

LogicalResult mm01::require(Operation *op, bool condition, StringRef label,
                            const Twine &message) {
  if (condition)
    return success();
  return op->emitOpError() << label << ": " << message;
}

std::string mm01::toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}
