//===- GraphBuilder.cpp - writes ops of the graph phase -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "models/minimax01/text01/GraphBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mm01;
using namespace mm01::text01;

Value GraphBuilder::tokens(Value ragged) {
  return RaggedSizeOp::create(*this, ragged, RaggedExtent::tokens);
}

Value GraphBuilder::empty(Value rows, ArrayRef<int64_t> inner, Type element) {
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  llvm::append_range(shape, inner);
  return tensor::EmptyOp::create(*this, shape, element ? element : activation,
                                 ValueRange{rows});
}

Value GraphBuilder::linear(Value x, Value weight, Value out) {
  return LinearOp::create(*this, out.getType(), x, weight, out);
}

Value GraphBuilder::rmsNorm(Value x, Value weight, double eps, Value out) {
  return RmsNormOp::create(*this, out.getType(), x, weight, out,
                           getF64FloatAttr(eps));
}

/// [T, heads·width] <-> [T, heads, width]
static SmallVector<ReassociationIndices> headDimensions() {
  return {{0}, {1, 2}};
}

Value GraphBuilder::splitHeads(Value x, Value rows, int64_t heads) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t width = type.getDimSize(1) / heads;
  auto split = RankedTensorType::get({ShapedType::kDynamic, heads, width},
                                     type.getElementType());
  SmallVector<OpFoldResult> sizes = {rows, getIndexAttr(heads),
                                     getIndexAttr(width)};
  return tensor::ExpandShapeOp::create(*this, split, x, headDimensions(),
                                       sizes);
}

Value GraphBuilder::mergeHeads(Value x) {
  return tensor::CollapseShapeOp::create(*this, x, headDimensions());
}

Value GraphBuilder::features(Value x, Value rows, int64_t first,
                             int64_t width) {
  auto heads = cast<RankedTensorType>(x.getType()).getDimSize(1);
  SmallVector<OpFoldResult> offsets = {getIndexAttr(0), getIndexAttr(0),
                                       getIndexAttr(first)};
  SmallVector<OpFoldResult> sizes = {rows, getIndexAttr(heads),
                                     getIndexAttr(width)};
  SmallVector<OpFoldResult> strides(3, getIndexAttr(1));
  return tensor::ExtractSliceOp::create(*this, x, offsets, sizes, strides);
}

Value GraphBuilder::scalar(double value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}

Value GraphBuilder::onePlusExpMinus(Value x) {
  Value minus = arith::NegFOp::create(*this, x);
  Value exp = math::ExpOp::create(*this, minus);
  return arith::AddFOp::create(*this, exp, scalar(1.0));
}

Value GraphBuilder::update(Value out, ValueRange inputs, ScalarBody body) {
  auto type = cast<RankedTensorType>(out.getType());
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  bool narrow = type.getElementTypeBitWidth() < 32;
  auto widen = [&](Value x) -> Value {
    return narrow ? arith::ExtFOp::create(*this, getF32Type(), x) : x;
  };
  return linalg::GenericOp::create(
             *this, TypeRange{type}, inputs, ValueRange{out}, maps, parallel,
             [&](OpBuilder &inner, Location, ValueRange elements) {
               OpBuilder::InsertionGuard guard(*this);
               restoreInsertionPoint(inner.saveInsertionPoint());
               SmallVector<Value> wide(llvm::map_range(elements, widen));
               Value result = body(wide.back(), ArrayRef(wide).drop_back());
               if (narrow)
                 result = arith::TruncFOp::create(*this, type.getElementType(),
                                                  result);
               linalg::YieldOp::create(*this, result);
             })
      .getResult(0);
}

Value GraphBuilder::silu(Value x) {
  return update(x, {}, [&](Value out, ValueRange) -> Value {
    return arith::DivFOp::create(*this, out, onePlusExpMinus(out));
  });
}

Value GraphBuilder::siluTimes(Value gate, Value x) {
  return update(gate, x, [&](Value out, ValueRange in) -> Value {
    Value silu = arith::DivFOp::create(*this, out, onePlusExpMinus(out));
    return arith::MulFOp::create(*this, silu, in[0]);
  });
}

Value GraphBuilder::sigmoidTimes(Value gate, Value x) {
  return update(gate, x, [&](Value out, ValueRange in) -> Value {
    return arith::DivFOp::create(*this, in[0], onePlusExpMinus(out));
  });
}

Value GraphBuilder::residual(Value y, Value r, double alpha, double beta) {
  return update(y, r, [&](Value out, ValueRange in) -> Value {
    Value kept = arith::MulFOp::create(*this, in[0], scalar(alpha));
    Value added = arith::MulFOp::create(*this, out, scalar(beta));
    return arith::AddFOp::create(*this, kept, added);
  });
}

Value GraphBuilder::keepChosen(Value logits, Value routes, Value layer,
                               int64_t k) {
  auto type = cast<RankedTensorType>(logits.getType());
  Value tokens = tensor::DimOp::create(*this, routes, 1);
  auto column = RankedTensorType::get({ShapedType::kDynamic}, getI32Type());
  SmallVector<Value> choices;
  for (int64_t j = 0; j < k; ++j) {
    SmallVector<OpFoldResult> offsets = {layer, getIndexAttr(0),
                                         getIndexAttr(j)};
    SmallVector<OpFoldResult> sizes = {getIndexAttr(1), tokens,
                                       getIndexAttr(1)};
    SmallVector<OpFoldResult> strides(3, getIndexAttr(1));
    choices.push_back(tensor::ExtractSliceOp::create(*this, column, routes,
                                                     offsets, sizes, strides));
  }
  AffineMap both = getMultiDimIdentityMap(2);
  AffineMap token = AffineMap::get(2, 0, getAffineDimExpr(0));
  SmallVector<AffineMap> maps(k, token);
  maps.push_back(both);
  SmallVector<utils::IteratorType> parallel(2, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             *this, TypeRange{type}, choices, ValueRange{logits}, maps,
             parallel,
             [&](OpBuilder &inner, Location, ValueRange elements) {
               OpBuilder::InsertionGuard guard(*this);
               restoreInsertionPoint(inner.saveInsertionPoint());
               Value expert = arith::IndexCastOp::create(
                   *this, getI32Type(), linalg::IndexOp::create(*this, 1));
               Value result = scalar(-std::numeric_limits<double>::infinity());
               for (Value choice : elements.drop_back()) {
                 Value chosen = arith::CmpIOp::create(
                     *this, arith::CmpIPredicate::eq, choice, expert);
                 result = arith::SelectOp::create(*this, chosen,
                                                  elements.back(), result);
               }
               linalg::YieldOp::create(*this, result);
             })
      .getResult(0);
}
