//===- ExecLibraryOps.cpp - ops that a device's library does --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/exec/ExecLibraryOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mm01::exec;

#define GET_OP_CLASSES
#include "dialects/exec/ExecLibraryOps.cpp.inc"

LogicalResult GemmDeviceOp::verify() {
  auto typeOf = [](Value operand) {
    return cast<MemRefType>(operand.getType());
  };
  for (Value operand : getOperands()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(typeOf(operand).getStridesAndOffset(strides, offset)) ||
        strides.back() != 1)
      return emitOpError("C1: expected an inner stride of 1, found ")
             << operand.getType();
  }
  MemRefType a = typeOf(getA()), b = typeOf(getB()), c = typeOf(getC());
  if (!mm01::compatible(a.getDimSize(0), c.getDimSize(0)) ||
      !mm01::compatible(b.getDimSize(0), c.getDimSize(1)) ||
      !mm01::compatible(a.getDimSize(1), b.getDimSize(1)))
    return emitOpError("C2: expected a[m, k], b[n, k] and c[m, n], found ")
           << getOperandTypes();
  Type element = a.getElementType();
  if (b.getElementType() != element ||
      (c.getElementType() != element && !c.getElementType().isF32()))
    return emitOpError("C3: expected a and b of one type, and c of it or f32, "
                       "found ")
           << getOperandTypes();
  int64_t above = getAboveAttr().getInt();
  if (above < 0)
    return emitOpError("C4: expected above not to be negative, found ")
           << above;
  return success();
}
