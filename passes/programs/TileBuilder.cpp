//===- TileBuilder.cpp - writes tile programs -----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mm01;

/// `type` with another element type: a tile stays a tile.
static Type withElement(Type type, Type element) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? Type(tile.clone(element)) : element;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value TileBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value TileBuilder::f32(double value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(float(value)));
}

Value TileBuilder::constant(Type type, double value) {
  TypedAttr attr = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, Attribute(attr));
  return arith::ConstantOp::create(*this, attr);
}

Value TileBuilder::constant(Type type, int64_t value) {
  TypedAttr attr = IntegerAttr::get(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, Attribute(attr));
  return arith::ConstantOp::create(*this, attr);
}

Value TileBuilder::add(Value a, Value b) {
  return arith::AddIOp::create(*this, a, b);
}
Value TileBuilder::sub(Value a, Value b) {
  return arith::SubIOp::create(*this, a, b);
}
Value TileBuilder::mul(Value a, Value b) {
  return arith::MulIOp::create(*this, a, b);
}
Value TileBuilder::minimum(Value a, Value b) {
  return arith::MinSIOp::create(*this, a, b);
}
Value TileBuilder::maximum(Value a, Value b) {
  return arith::MaxSIOp::create(*this, a, b);
}
Value TileBuilder::divide(Value a, int64_t b) {
  return arith::DivUIOp::create(*this, a, index(b));
}
Value TileBuilder::ceilDivide(Value a, int64_t b) {
  return divide(add(a, index(b - 1)), b);
}
Value TileBuilder::compare(arith::CmpIPredicate how, Value a, Value b) {
  return arith::CmpIOp::create(*this, how, a, b);
}
Value TileBuilder::both(Value a, Value b) {
  return arith::AndIOp::create(*this, a, b);
}
Value TileBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(*this, condition, a, b);
}
Value TileBuilder::toI32(Value index) {
  return arith::IndexCastOp::create(*this, getI32Type(), index);
}
Value TileBuilder::toFloat(Value value) {
  if (value.getType().isIndex())
    value = toI32(value);
  return arith::SIToFPOp::create(
      *this, withElement(value.getType(), getF32Type()), value);
}

Value TileBuilder::addf(Value a, Value b) {
  return arith::AddFOp::create(*this, a, b);
}
Value TileBuilder::subf(Value a, Value b) {
  return arith::SubFOp::create(*this, a, b);
}
Value TileBuilder::mulf(Value a, Value b) {
  return arith::MulFOp::create(*this, a, b);
}
Value TileBuilder::negf(Value a) { return arith::NegFOp::create(*this, a); }
Value TileBuilder::fma(Value a, Value b, Value c) {
  return math::FmaOp::create(*this, a, b, c);
}
Value TileBuilder::exp2(Value a) { return math::Exp2Op::create(*this, a); }
Value TileBuilder::expm1(Value a) { return math::ExpM1Op::create(*this, a); }
Value TileBuilder::toBf16(Value tile) {
  return arith::TruncFOp::create(
      *this, withElement(tile.getType(), getBF16Type()), tile);
}
Value TileBuilder::toF32(Value tile) {
  return arith::ExtFOp::create(*this, withElement(tile.getType(), getF32Type()),
                               tile);
}

Value TileBuilder::widenBytes(Value tile) {
  return arith::SIToFPOp::create(
      *this, withElement(tile.getType(), getBF16Type()), tile);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

RankedTensorType TileBuilder::tile(int64_t rows, int64_t columns, Type type) {
  return RankedTensorType::get({rows, columns}, type);
}
Value TileBuilder::splat(Value scalar, int64_t rows, int64_t columns) {
  return tensor::SplatOp::create(*this, scalar,
                                 tile(rows, columns, scalar.getType()));
}
Value TileBuilder::iota(int64_t dimension, int64_t rows, int64_t columns) {
  return tile::IotaOp::create(*this, tile(rows, columns, getI32Type()),
                              dimension);
}

Value TileBuilder::broadcast(Value rows, int64_t columns) {
  auto type = cast<RankedTensorType>(rows.getType());
  return tile::BroadcastOp::create(
      *this, tile(type.getDimSize(0), columns, type.getElementType()), rows);
}

Value TileBuilder::alloc(int64_t rows, int64_t columns, Type type) {
  return tile::AllocOp::create(
      *this, tile::BufferType::get(getContext(), {rows, columns},
                                   type ? type : Type(getBF16Type()), 0));
}

Value TileBuilder::mma(Value a, bool transposeA, Value b, bool transposeB,
                       Value accumulator) {
  auto extent = [](Value operand, bool columns) {
    if (auto buffer = dyn_cast<tile::BufferType>(operand.getType()))
      return columns ? buffer.getColumns() : buffer.getRows();
    return cast<RankedTensorType>(operand.getType()).getDimSize(columns);
  };
  return tile::MmaOp::create(
      *this, tile(extent(a, transposeA), extent(b, !transposeB), getF32Type()),
      a, b, accumulator, transposeA, transposeB);
}

Value TileBuilder::read(Value buffer, bool transposed) {
  auto type = cast<tile::BufferType>(buffer.getType());
  int64_t rows = type.getRows(), columns = type.getColumns();
  if (transposed)
    std::swap(rows, columns);
  return tile::ReadOp::create(*this, tile(rows, columns, type.getElementType()),
                              buffer, transposed);
}

void TileBuilder::write(Value tile, Value buffer, bool transposed) {
  tile::WriteOp::create(*this, tile, buffer, transposed);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

TileBuilder::Values TileBuilder::loop(Value count, ValueRange init,
                                      LoopBody body) {
  auto made =
      scf::ForOp::create(*this, index(0), count, index(1), init,
                         [](OpBuilder &, Location, Value, ValueRange) {});
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(made.getBody());
  scf::YieldOp::create(*this,
                       body(made.getInductionVar(), made.getRegionIterArgs()));
  return made.getResults();
}

TileBuilder::Values TileBuilder::branch(Value condition, Branch then,
                                        Branch otherwise) {
  auto write = [&](Branch body) {
    return [this, body](OpBuilder &nested, Location) {
      OpBuilder::InsertionGuard guard(*this);
      setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
      scf::YieldOp::create(*this, body());
    };
  };
  return scf::IfOp::create(*this, condition, write(then), write(otherwise))
      .getResults();
}

Value TileBuilder::raggedSize(Value ragged, RaggedExtent extent) {
  return RaggedSizeOp::create(*this, getIndexType(), ragged, extent);
}

Value TileBuilder::raggedGet(Value ragged, RaggedField field, Value index) {
  return RaggedGetOp::create(*this, getIndexType(), ragged, field, index);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TileBuilder::Layout TileBuilder::layoutOf(Value buffer) {
  auto all = memref::ExtractStridedMetadataOp::create(*this, buffer);
  return {Values(all.getSizes()), Values(all.getStrides())};
}

Value TileBuilder::raggedMap(Value buffer, int64_t rows, int64_t columns) {
  auto [extents, strides] = layoutOf(buffer);
  Value back = index(rows);
  Value displacement = mul(sub(index(0), back), strides[0]);
  Values view = {extents[1], add(extents[0], back), back, extents[2]};
  Values steps = {strides[1], strides[0], strides[0]};
  return exec::TensorMapOp::create(
      *this, exec::TensorMapType::get(getContext()), buffer, displacement, view,
      steps, getDenseI64ArrayAttr({1, 1, rows, columns}), getI64IntegerAttr(0));
}

tile::ProgramOp TileBuilder::program(StringRef name, ValueRange grid,
                                     int64_t cluster, ValueRange ins,
                                     ValueRange outs, ProgramBody body,
                                     int64_t resident) {
  auto made = tile::ProgramOp::create(
      *this, outs.getTypes(), getStringAttr(name), grid[0], grid[1], grid[2],
      ins, outs, getI64IntegerAttr(cluster), getI64IntegerAttr(resident));
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (ValueRange operands : {ins, outs})
    for (Value operand : operands) {
      types.push_back(tile::ProgramOp::getArgumentType(operand.getType()));
      locations.push_back(operand.getLoc());
    }
  OpBuilder::InsertionGuard guard(*this);
  Block *block = createBlock(&made.getBody(), {}, types, locations);
  ValueRange arguments = block->getArguments();
  body(arguments.take_front(ins.size()), arguments.drop_front(ins.size()));
  tile::ReturnOp::create(*this);
  return made;
}
