//===- KnownAlignment.cpp - by how much a view is aligned -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tested by test/codegen/hopper/distribute-threads-columns.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/KnownAlignment.h"

#include "dialects/exec/ExecDialect.h"
#include "runtime/abi/program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mm01;

/// Greater ones are of no use, and would overflow.
static constexpr int64_t kMost = 64;

/// That of a product or a sum of numbers with these divisors.
static int64_t multiply(int64_t x, int64_t y) { return std::min(x * y, kMost); }
static int64_t add(int64_t x, int64_t y) { return std::min(x, y); }

static int64_t ofConstant(int64_t number) {
  return number == 0 ? kMost : std::min(number & -number, kMost);
}

static int64_t ofResult(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return ofConstant(*constant);
  return getDivisor(cast<Value>(number));
}

int64_t mm01::getDivisor(Value number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return ofConstant(*constant);
  Operation *op = number.getDefiningOp();
  if (!op)
    return 1;
  if (isa<arith::MulIOp>(op))
    return multiply(getDivisor(op->getOperand(0)),
                    getDivisor(op->getOperand(1)));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return add(getDivisor(op->getOperand(0)), getDivisor(op->getOperand(1)));
  return 1;
}

/// The divisors of a buffer's strides.
static SmallVector<int64_t> ofStrides(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto cast = buffer.getDefiningOp<memref::ReinterpretCastOp>();
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return SmallVector<int64_t>(type.getRank(), 1);
  for (auto [i, stride] : llvm::enumerate(strides))
    stride = !ShapedType::isDynamic(stride) ? ofConstant(stride)
             : cast ? ofResult(cast.getMixedStrides()[i])
                    : 1;
  return strides;
}

int64_t mm01::getOffsetDivisor(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  if (!op) // an argument, which is the first element of its memory
    return cast<MemRefType>(buffer.getType()).getRank() == 0 ? kMost : 1;
  if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op))
    return add(getOffsetDivisor(cast.getSource()),
               ofResult(cast.getMixedOffsets().front()));
  if (auto scratch = dyn_cast<exec::ScratchOp>(op))
    return scratch.getOffset() % MM01_ALIGNMENT == 0 ? kMost : 1;
  auto view = dyn_cast<memref::SubViewOp>(op);
  if (!view)
    return 1;
  int64_t known = getOffsetDivisor(view.getSource());
  for (auto [offset, stride] :
       llvm::zip_equal(view.getMixedOffsets(), ofStrides(view.getSource())))
    known = add(known, multiply(ofResult(offset), stride));
  return known;
}
