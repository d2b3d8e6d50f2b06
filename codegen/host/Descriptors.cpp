//===- Descriptors.cpp - memref descriptors outside of a conversion -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/Descriptors.h"
#include "dialects/exec/ExecDialect.h"

using namespace mlir;
using namespace mm01;

void mm01::addProgramTypes(LLVMTypeConverter &converter) {
  converter.addConversion([](RaggedType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  converter.addConversion([](exec::TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  converter.addConversion([](WeightType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
}

Value mm01::makeI64(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  builder.getI64IntegerAttr(value));
}

/// Changes the type of a value until the conversion makes both the same.
static Value castTo(OpBuilder &builder, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(builder, loc, type, value)
      .getResult(0);
}

/// The layout of a memref type; one that is not strided never gets here.
static std::pair<SmallVector<int64_t>, int64_t> getLayout(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  [[maybe_unused]] LogicalResult strided =
      type.getStridesAndOffset(strides, offset);
  return {strides, offset};
}

SmallVector<Value> mm01::flatten(OpBuilder &builder, Location loc,
                                 const LLVMTypeConverter &converter,
                                 Value value) {
  Value converted =
      castTo(builder, loc, converter.convertType(value.getType()), value);
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return {converted};
  MemRefDescriptor descriptor(converted);
  auto [strides, offset] = getLayout(type);
  SmallVector<Value> parts = {descriptor.alignedPtr(builder, loc)};
  if (ShapedType::isDynamic(offset))
    parts.push_back(descriptor.offset(builder, loc));
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      parts.push_back(descriptor.size(builder, loc, i));
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (ShapedType::isDynamic(strides[i]))
      parts.push_back(descriptor.stride(builder, loc, i));
  return parts;
}

SmallVector<Type> mm01::flatten(const LLVMTypeConverter &converter, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return {converter.convertType(type)};
  auto [strides, offset] = getLayout(memref);
  int64_t open = memref.getNumDynamicDims() + ShapedType::isDynamic(offset) +
                 llvm::count_if(strides, ShapedType::isDynamic);
  SmallVector<Type> types(1 + open, IntegerType::get(type.getContext(), 64));
  types[0] = LLVM::LLVMPointerType::get(type.getContext());
  return types;
}

Value mm01::unflatten(OpBuilder &builder, Location loc,
                      const LLVMTypeConverter &converter, Type type,
                      ValueRange parts) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return castTo(builder, loc, type, parts.front());
  auto [strides, offset] = getLayout(memref);
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, parts.front());
  descriptor.setAlignedPtr(builder, loc, parts.front());
  parts = parts.drop_front();
  auto next = [&](int64_t extent) -> Value {
    if (!ShapedType::isDynamic(extent))
      return makeI64(builder, loc, extent);
    Value part = parts.front();
    parts = parts.drop_front();
    return part;
  };
  descriptor.setOffset(builder, loc, next(offset));
  for (int64_t i = 0; i < memref.getRank(); ++i)
    descriptor.setSize(builder, loc, i, next(memref.getDimSize(i)));
  for (int64_t i = 0; i < memref.getRank(); ++i)
    descriptor.setStride(builder, loc, i, next(strides[i]));
  return castTo(builder, loc, type, descriptor);
}

Value mm01::makeDense(OpBuilder &builder, Location loc,
                      const LLVMTypeConverter &converter, MemRefType type,
                      Value pointer, ValueRange sizes) {
  SmallVector<Value> parts = {pointer}, strides;
  // Only strides that the type leaves open are parts; the innermost never is.
  auto [typeStrides, offset] = getLayout(type);
  Value stride = makeI64(builder, loc, 1);
  for (int64_t i = type.getRank(); i-- > 0;) {
    if (ShapedType::isDynamic(typeStrides[i]))
      strides.push_back(stride);
    stride = LLVM::MulOp::create(builder, loc, stride, sizes[i]);
  }
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      parts.push_back(sizes[i]);
  parts.append(strides.rbegin(), strides.rend());
  return unflatten(builder, loc, converter, type, parts);
}
