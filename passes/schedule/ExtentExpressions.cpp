//===- ExtentExpressions.cpp - sizes as functions of arguments -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/ExtentExpressions.h"
#include "dialects/exec/ExecDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mm01;

AffineExpr ExtentExpressions::getSymbol(Value argument, int64_t extent) {
  auto block = dyn_cast<BlockArgument>(argument);
  if (!block || block.getOwner() != &function.getBody().front())
    return {};
  int64_t number = block.getArgNumber();
  MLIRContext *context = function.getContext();
  for (unsigned i = 0; i < size(); ++i)
    if (symbolArguments[i] == number && symbolExtents[i] == extent)
      return getAffineSymbolExpr(i, context);
  symbolArguments.push_back(number);
  symbolExtents.push_back(extent);
  return getAffineSymbolExpr(size() - 1, context);
}

AffineExpr ExtentExpressions::get(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  AffineExpr expression = compute(value);
  known[value] = expression;
  return expression;
}

AffineExpr ExtentExpressions::getFolded(OpFoldResult value) {
  if (auto constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, function.getContext());
  return get(cast<Value>(value));
}

AffineExpr ExtentExpressions::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return getAffineConstantExpr(constant.getSExtValue(),
                                 function.getContext());
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getType().isIndex() ? getSymbol(value, 0) : AffineExpr();
  if (auto size = dyn_cast<RaggedSizeOp>(op);
      size && size.getExtent() != RaggedExtent::several)
    return getSymbol(size.getRagged(), static_cast<int64_t>(size.getExtent()));
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> dimension = dim.getConstantIndex();
    return dimension ? getDimension(dim.getSource(), *dimension) : AffineExpr();
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return op->getOperand(0).getDefiningOp() ? get(op->getOperand(0))
                                             : AffineExpr();
  SmallVector<AffineExpr> operands;
  for (Value operand : op->getOperands()) {
    AffineExpr expression = get(operand);
    if (!expression)
      return {};
    operands.push_back(expression);
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    ArrayRef<AffineExpr> all = operands;
    return map.getResult(0).replaceDimsAndSymbols(
        all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
  }
  if (isa<arith::AddIOp>(op))
    return operands[0] + operands[1];
  if (isa<arith::SubIOp>(op))
    return operands[0] - operands[1];
  if (isa<arith::MulIOp>(op))
    return operands[0] * operands[1];
  // Affine division is by something positive; by a symbol it could be by zero.
  if (op->getNumOperands() != 2 || !isa<AffineConstantExpr>(operands[1]) ||
      cast<AffineConstantExpr>(operands[1]).getValue() <= 0)
    return {};
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    return operands[0].floorDiv(operands[1]);
  if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
    return operands[0].ceilDiv(operands[1]);
  if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    return operands[0] % operands[1];
  return {};
}

AffineExpr ExtentExpressions::getDimension(Value buffer, int64_t dimension) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dimension))
    return getAffineConstantExpr(type.getDimSize(dimension),
                                 function.getContext());
  Operation *op = buffer.getDefiningOp();
  if (!op)
    return getSymbol(buffer, dimension);
  unsigned position = type.getDynamicDimIndex(dimension);
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return get(alloc.getDynamicSizes()[position]);
  if (auto result = dyn_cast<exec::ResultOp>(op))
    return get(result.getSizes()[position]);
  if (isa<memref::CastOp>(op))
    return getDimension(op->getOperand(0), dimension);
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    return getFolded(expand.getMixedOutputShape()[dimension]);
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    AffineExpr product = getAffineConstantExpr(1, function.getContext());
    for (int64_t part : collapse.getReassociationIndices()[dimension]) {
      AffineExpr extent = getDimension(collapse.getSrc(), part);
      if (!extent)
        return {};
      product = product * extent;
    }
    return product;
  }
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    int64_t kept = 0;
    for (auto [i, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped[i] && kept++ == dimension)
        return getFolded(size);
  }
  return {};
}

AffineExpr ExtentExpressions::getOfCallee(func::CallOp call, int64_t argument,
                                          int64_t extent) {
  Value operand = call.getOperand(argument);
  if (isa<MemRefType>(operand.getType()))
    return getDimension(operand, extent);
  if (isa<RaggedType>(operand.getType()))
    return getSymbol(operand, extent);
  return get(operand);
}

SmallVector<Value> ExtentExpressions::materialize(OpBuilder &builder,
                                                  Location loc) {
  SmallVector<Value> values;
  for (auto [number, extent] : llvm::zip(symbolArguments, symbolExtents)) {
    Value argument = function.getArgument(number);
    if (isa<MemRefType>(argument.getType()))
      values.push_back(memref::DimOp::create(builder, loc, argument, extent));
    else if (isa<RaggedType>(argument.getType()))
      values.push_back(RaggedSizeOp::create(builder, loc,
                                            builder.getIndexType(), argument,
                                            static_cast<RaggedExtent>(extent)));
    else
      values.push_back(argument);
  }
  return values;
}
