//===- TileLowering.cpp - shared by the patterns of the conversion --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/TileLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

TileTypeConverter::TileTypeConverter(MLIRContext *context) {
  addConversion([](Type type) { return type; });
  addConversion(
      [](RankedTensorType type,
         SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        if (!isa_and_nonnull<AccumulatorAttr>(type.getEncoding()))
          return failure();
        int64_t registers = registersOf(type);
        Type element = type.getElementType();
        if (element.isBF16() && type.getRank() == 2)
          types.append(registers / 2, VectorType::get({2}, element));
        else if (element.isInteger(8))
          types.append(registers / 2, IntegerType::get(type.getContext(), 32));
        else
          types.append(registers, element);
        return success();
      });
  Type address = IntegerType::get(context, 32);
  addConversion([=](BufferType) { return address; });
  addConversion([=](BarriersType) { return address; });
  addConversion([=](WordsType) { return address; });
  addConversion([](exec::TensorMapType type) {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  addConversion([](mm01::RaggedType type) {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  addConversion([](MemRefType type) {
    return LLVM::LLVMPointerType::get(type.getContext(),
                                      unsigned(NVVM::NVVMMemorySpace::Global));
  });
  auto cast = [](OpBuilder &builder, auto types, ValueRange inputs,
                 Location loc) {
    return UnrealizedConversionCastOp::create(builder, loc, types, inputs);
  };
  addSourceMaterialization(
      [=](OpBuilder &builder, Type type, ValueRange inputs, Location loc) {
        return cast(builder, type, inputs, loc).getResult(0);
      });
  addTargetMaterialization(
      [=](OpBuilder &builder, Type type, ValueRange inputs, Location loc) {
        return cast(builder, type, inputs, loc).getResult(0);
      });
}

int64_t mm01::registersOf(RankedTensorType type) {
  return type.getRank() == 1 ? FragmentLayout::rowRegisters
                             : FragmentLayout{type.getDimSize(1)}.registers();
}

SharedPlan::SharedPlan(KernelOp kernel) {
  auto place = [&](Operation *op, int64_t size, int64_t alignment) {
    bytes = llvm::alignTo(bytes, alignment);
    offsets[op] = bytes;
    bytes += size;
  };
  kernel.walk([&](AllocOp op) {
    BufferType type = op.getType();
    SharedLayout layout = type.getLayout();
    place(op, type.getVersions() * layout.bytes(), layout.alignment());
  });
  kernel.walk([&](BarrierOp op) { place(op, 8 * op.getType().getCount(), 8); });
  kernel.walk([&](WordsOp op) { place(op, 4 * op.getType().getCount(), 4); });
}

Value ThreadBuilder::i32(int64_t value) {
  return arith::ConstantIntOp::create(*this, value, 32);
}
Value ThreadBuilder::i64(int64_t value) {
  return arith::ConstantIntOp::create(*this, value, 64);
}
Value ThreadBuilder::add(Value a, Value b) {
  return createOrFold<arith::AddIOp>(a, b);
}
Value ThreadBuilder::mul(Value a, int64_t b) {
  return createOrFold<arith::MulIOp>(a, i32(b));
}
Value ThreadBuilder::div(Value a, int64_t b) {
  return createOrFold<arith::DivUIOp>(a, i32(b));
}
Value ThreadBuilder::rem(Value a, int64_t b) {
  return createOrFold<arith::RemUIOp>(a, i32(b));
}
Value ThreadBuilder::bitXor(Value a, Value b) {
  return createOrFold<arith::XOrIOp>(a, b);
}
Value ThreadBuilder::narrow(Value index) {
  return arith::IndexCastOp::create(*this, getI32Type(), index);
}
Value ThreadBuilder::thread() {
  return NVVM::ThreadIdXOp::create(*this, getI32Type());
}
Value ThreadBuilder::groupOf(int64_t rows) {
  int64_t groups = rows / FragmentLayout::rows;
  if (groups == 1)
    return i32(0);
  Value group = div(thread(), kGroupThreads);
  Value first = NVVM::ShflOp::create(*this, getI32Type(), i32(-1), group,
                                     i32(0), i32(31), NVVM::ShflKind::idx,
                                     /*return_value_and_is_valid=*/UnitAttr());
  return rem(first, groups);
}

Value ThreadBuilder::blockInCluster() {
  return NVVM::BlockInClusterIdXOp::create(*this, getI32Type());
}
Value ThreadBuilder::isZero(Value a) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, a, i32(0));
}

Value ThreadBuilder::word(Value flag) {
  return arith::ExtUIOp::create(*this, getI32Type(), flag);
}

Value ThreadBuilder::sharedBase() {
  auto shared = LLVM::LLVMPointerType::get(
      getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  Value base = LLVM::AddressOfOp::create(*this, shared, "shared");
  return LLVM::PtrToIntOp::create(*this, getI32Type(), base);
}

Value ThreadBuilder::element(Value base, Value index, int64_t bytes) {
  return add(base, mul(narrow(index), bytes));
}
