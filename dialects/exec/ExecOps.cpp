//===- ExecOps.cpp - verifiers and canonical forms of the exec ops --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/exec/ExecDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mm01::exec;

#define GET_OP_CLASSES
#include "dialects/exec/ExecOps.cpp.inc"

//===----------------------------------------------------------------------===//
// exec.launch
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getKernelAttr());
  if (!kernel || !isKernel(kernel))
    return emitOpError("C1: ")
           << getKernelAttr() << " is no function with the attribute '"
           << kKernelAttr << "'";
  // Once the kernel is an LLVM function its arguments are a packed structure.
  if (kernel->getName().getDialectNamespace() == "llvm")
    return success();
  ArrayRef<Type> expected = kernel.getArgumentTypes().drop_front();
  if (!llvm::equal(expected, getCaptures().getTypes()))
    return emitOpError("C2: kernel ")
           << getKernelAttr() << " takes (" << expected << "), found ("
           << getCaptures().getTypes() << ")";
  return success();
}

LogicalResult LaunchOp::canonicalize(LaunchOp op, PatternRewriter &rewriter) {
  APInt grid;
  if (!matchPattern(op.getGrid(), m_ConstantInt(&grid)) || !grid.isZero())
    return rewriter.notifyMatchFailure(op, "the grid is not a constant 0");
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// exec.gemm
//===----------------------------------------------------------------------===//

LogicalResult GemmOp::verify() {
  for (Value operand : getOperands()) {
    auto type = cast<MemRefType>(operand.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)) ||
        strides.back() != 1)
      return emitOpError("C1: expected an inner stride of 1, found ") << type;
  }
  ArrayRef<int64_t> a = cast<MemRefType>(getA().getType()).getShape();
  ArrayRef<int64_t> b = cast<MemRefType>(getB().getType()).getShape();
  ArrayRef<int64_t> c = cast<MemRefType>(getC().getType()).getShape();
  if (!mm01::compatible(a[0], c[0]) || !mm01::compatible(b[0], c[1]) ||
      !mm01::compatible(a[1], b[1]))
    return emitOpError("C2: expected a[m, k], b[n, k] and c[m, n], found ")
           << getOperandTypes();
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// C1 and C2 of the ops that view memory.
static LogicalResult verifyView(Operation *op, MemRefType type, size_t sizes) {
  if (type.getNumDynamicDims() != sizes)
    return op->emitOpError("C1: ")
           << type << " has " << type.getNumDynamicDims()
           << " dynamic extents, found " << sizes << " sizes";
  if (!type.getLayout().isIdentity())
    return op->emitOpError("C2: expected no layout, found ") << type;
  return success();
}

LogicalResult ArenaOp::verify() {
  return verifyView(*this, cast<MemRefType>(getType()), getSizes().size());
}

LogicalResult ScratchOp::verify() {
  if (failed(verifyView(*this, cast<MemRefType>(getType()), getSizes().size())))
    return failure();
  int64_t offset = getOffsetAttr().getInt();
  if (offset < 0 || offset % 64 != 0)
    return emitOpError(
               "C3: expected an offset that is a multiple of 64, found ")
           << offset;
  return success();
}

LogicalResult ResultOp::verify() {
  return verifyView(*this, cast<MemRefType>(getType()), getSizes().size());
}

LogicalResult WeightPartOp::verify() {
  RankedTensorType part = getWeight().getType().getPartType();
  auto expected = MemRefType::get(part.getShape(), part.getElementType());
  if (getType() != expected)
    return emitOpError("C1: expected ") << expected << ", found " << getType();
  return success();
}

LogicalResult WeightScalesOp::verify() {
  mm01::WeightType weight = getWeight().getType();
  if (!weight.isQuantized())
    return emitOpError("C1: expected a weight of i8, found ") << weight;
  RankedTensorType scales = weight.getScalesType();
  auto expected = MemRefType::get(scales.getShape(), scales.getElementType());
  if (getType() != expected)
    return emitOpError("C2: expected ") << expected << ", found " << getType();
  return success();
}
