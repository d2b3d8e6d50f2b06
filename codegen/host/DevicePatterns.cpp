//===- DevicePatterns.cpp - launches on a GPU as LLVM ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pattern an op; what a launch passes lies on the stack of its function.
//
// Before: exec.launch_device @k grid(%x, %y, %z) (%buffer, %n, %map)
// After:  values = {pointer, n}; parameters = {&values[0], &values[1], map}
//         context->launch_device(context, &k, {x, y, z}, parameters, 3)
//
// Tested by test/codegen/host/convert-device-ops.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/AbiFields.h"
#include "codegen/host/Descriptors.h"
#include "codegen/host/ExecPatterns.h"
#include "dialects/exec/ExecLibraryOps.h"
#include "runtime/abi/program.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

#include <cstddef>

using namespace mlir;
using namespace mm01;

namespace {

/// Memory on the stack of the function around an op, taken once a call.
Value makeSlot(OpBuilder &builder, Operation *op, int64_t bytes,
               unsigned alignment) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = op->getParentOfType<FunctionOpInterface>();
  builder.setInsertionPointToStart(&function.getFunctionBody().front());
  Location loc = op->getLoc();
  return LLVM::AllocaOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
      builder.getI8Type(), makeI64(builder, loc, bytes), alignment);
}

/// Stores values of 8 bytes one behind the other in memory on the stack.
Value makeArray(OpBuilder &builder, Operation *op, ValueRange values) {
  Value array =
      makeSlot(builder, op, std::max<int64_t>(values.size(), 1) * 8, 8);
  for (auto [i, value] : llvm::enumerate(values))
    LLVM::StoreOp::create(builder, op->getLoc(), value,
                          offsetPointer(builder, op->getLoc(), array, i * 8));
  return array;
}

/// Calls a function of the context that returns nothing.
void callContext(OpBuilder &builder, Location loc, Value context,
                 int64_t offset, ValueRange arguments) {
  SmallVector<Value> operands = {loadPointer(builder, loc, context, offset),
                                 context};
  llvm::append_range(operands, arguments);
  SmallVector<Type> types =
      llvm::to_vector(ValueRange(operands).drop_front().getTypes());
  LLVM::CallOp::create(
      builder, loc,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  types),
      operands);
}

struct ConvertLaunchDevice : ConvertOpToLLVMPattern<exec::LaunchDeviceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(exec::LaunchDeviceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value context = getInterface(op, 0);
    if (!context)
      return rewriter.notifyMatchFailure(op, kNoInterface);
    auto record = dyn_cast<FlatSymbolRefAttr>(op.getKernelAttr());
    if (!record)
      return rewriter.notifyMatchFailure(
          op, "its kernel is not serialised, expected "
              "mm01-serialize-kernels before");
    SmallVector<Value> parameters;
    for (auto [capture, value] :
         llvm::zip_equal(op.getCaptures(), adaptor.getCaptures()))
      parameters.push_back(makeParameter(rewriter, op, capture, value));
    Value kernel = LLVM::AddressOfOp::create(rewriter, loc, context.getType(),
                                             record.getValue());
    Value grid =
        makeArray(rewriter, op,
                  {adaptor.getGridX(), adaptor.getGridY(), adaptor.getGridZ()});
    callContext(rewriter, loc, context, offsetof(mm01_context, launch_device),
                {kernel, grid, makeArray(rewriter, op, parameters),
                 makeI64(rewriter, loc, parameters.size())});
    rewriter.eraseOp(op);
    return success();
  }

  /// The pointer to what the kernel gets of a capture.
  Value makeParameter(ConversionPatternRewriter &rewriter, Operation *op,
                      Value capture, Value value) const {
    Location loc = op->getLoc();
    Type type = capture.getType();
    if (isa<exec::TensorMapType>(type))
      return value;
    if (auto memref = dyn_cast<MemRefType>(type))
      value = MemRefDescriptor(value).bufferPtr(rewriter, loc,
                                                *getTypeConverter(), memref);
    else if (isa<RaggedType>(type))
      value = loadPointer(rewriter, loc, value, offsetof(mm01_ragged, device));
    else if (isa<WeightType>(type))
      value = loadPointer(rewriter, loc, value, 0);
    return makeArray(rewriter, op, value);
  }
};

/// The number of an element type in a tensor map.
int64_t getMapElement(Type type) {
  if (type.isF32())
    return MM01_ELEMENT_F32;
  if (type.isF16())
    return MM01_ELEMENT_F16;
  if (type.isBF16())
    return MM01_ELEMENT_BF16;
  return type.isInteger(8) ? MM01_ELEMENT_I8 : MM01_ELEMENT_I32;
}

/// exec.tensor_map   ==>   context->encode_tensor_map(context, &map, encoded)
struct ConvertTensorMap : ConvertOpToLLVMPattern<exec::TensorMapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(exec::TensorMapOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value context = getInterface(op, 0);
    if (!context)
      return rewriter.notifyMatchFailure(op, kNoInterface);
    auto type = cast<MemRefType>(op.getSource().getType());
    MemRefDescriptor source(adaptor.getSource());
    Value address = source.bufferPtr(rewriter, loc, *getTypeConverter(), type);
    if (Value displacement = adaptor.getDisplacement())
      address = LLVM::GEPOp::create(rewriter, loc, address.getType(),
                                    type.getElementType(), address,
                                    ArrayRef<LLVM::GEPArg>{displacement});
    SmallVector<Value> extents(adaptor.getExtents());
    SmallVector<Value> strides(adaptor.getStrides());
    if (extents.empty()) {
      for (int64_t i = 0; i < type.getRank(); ++i)
        extents.push_back(source.size(rewriter, loc, i));
      for (int64_t i = 0; i + 1 < type.getRank(); ++i)
        strides.push_back(source.stride(rewriter, loc, i));
    }
    SmallVector<Value> box;
    for (int64_t extent : op.getBox())
      box.push_back(makeI64(rewriter, loc, extent));

    Value map = makeSlot(rewriter, op, sizeof(mm01_tensor_map),
                         alignof(mm01_tensor_map));
    auto set = [&](int64_t offset, Value value) {
      LLVM::StoreOp::create(rewriter, loc, value,
                            offsetPointer(rewriter, loc, map, offset));
    };
    set(offsetof(mm01_tensor_map, address), address);
    set(offsetof(mm01_tensor_map, element),
        makeI64(rewriter, loc, getMapElement(type.getElementType())));
    set(offsetof(mm01_tensor_map, rank),
        makeI64(rewriter, loc, extents.size()));
    set(offsetof(mm01_tensor_map, extents), makeArray(rewriter, op, extents));
    set(offsetof(mm01_tensor_map, strides), makeArray(rewriter, op, strides));
    set(offsetof(mm01_tensor_map, box), makeArray(rewriter, op, box));
    set(offsetof(mm01_tensor_map, swizzle),
        makeI64(rewriter, loc, op.getSwizzle()));
    Value encoded = makeSlot(rewriter, op, MM01_TENSOR_MAP_BYTES,
                             MM01_TENSOR_MAP_ALIGNMENT);
    callContext(rewriter, loc, context,
                offsetof(mm01_context, encode_tensor_map), {map, encoded});
    rewriter.replaceOp(op, encoded);
    return success();
  }
};

/// exec.gemm_device %a, %b, %c above 16
///   ==>
/// context->gemm_device(context, {rows > 16 ? rows : 0, …, a, lda, …})
struct ConvertGemmDevice : ConvertOpToLLVMPattern<exec::GemmDeviceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(exec::GemmDeviceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value context = getInterface(op, 0);
    if (!context)
      return rewriter.notifyMatchFailure(op, kNoInterface);
    Value product = makeSlot(rewriter, op, sizeof(mm01_device_product),
                             alignof(mm01_device_product));
    auto set = [&](int64_t offset, Value value) {
      LLVM::StoreOp::create(rewriter, loc, value,
                            offsetPointer(rewriter, loc, product, offset));
    };
    auto setMatrix = [&](Value memref, Value converted, int64_t address,
                         int64_t leading) {
      MemRefDescriptor matrix(converted);
      set(address, matrix.bufferPtr(rewriter, loc, *getTypeConverter(),
                                    cast<MemRefType>(memref.getType())));
      set(leading, matrix.stride(rewriter, loc, 0));
    };
    auto element = [&](Value memref) {
      return makeI64(
          rewriter, loc,
          getMapElement(cast<MemRefType>(memref.getType()).getElementType()));
    };
    MemRefDescriptor a(adaptor.getA()), b(adaptor.getB());
    Value rows = a.size(rewriter, loc, 0);
    Value many = LLVM::ICmpOp::create(
        rewriter, loc, LLVM::ICmpPredicate::sgt, rows,
        makeI64(rewriter, loc, op.getAboveAttr().getInt()));
    rows = LLVM::SelectOp::create(rewriter, loc, many, rows,
                                  makeI64(rewriter, loc, 0));
    set(offsetof(mm01_device_product, rows), rows);
    set(offsetof(mm01_device_product, columns), b.size(rewriter, loc, 0));
    set(offsetof(mm01_device_product, depth), a.size(rewriter, loc, 1));
    set(offsetof(mm01_device_product, element), element(op.getA()));
    set(offsetof(mm01_device_product, element_c), element(op.getC()));
    setMatrix(op.getA(), adaptor.getA(), offsetof(mm01_device_product, a),
              offsetof(mm01_device_product, lda));
    setMatrix(op.getB(), adaptor.getB(), offsetof(mm01_device_product, b),
              offsetof(mm01_device_product, ldb));
    setMatrix(op.getC(), adaptor.getC(), offsetof(mm01_device_product, c),
              offsetof(mm01_device_product, ldc));
    callContext(rewriter, loc, context, offsetof(mm01_context, gemm_device),
                product);
    rewriter.eraseOp(op);
    return success();
  }
};

/// exec.concurrent { A }, { B }
///   ==>
/// context->fork(context); A; context->next_branch(context); B;
/// context->join(context)
struct ConvertConcurrent : ConvertOpToLLVMPattern<exec::ConcurrentOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(exec::ConcurrentOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value context = getInterface(op, 0);
    if (!context)
      return rewriter.notifyMatchFailure(op, kNoInterface);
    auto call = [&](int64_t function) {
      callContext(rewriter, op.getLoc(), context, function, {});
    };
    for (Region &branch : op.getBranches()) {
      call(&branch == &op.getBranches().front()
               ? offsetof(mm01_context, fork)
               : offsetof(mm01_context, next_branch));
      rewriter.inlineBlockBefore(&branch.front(), op);
    }
    call(offsetof(mm01_context, join));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mm01::populateDevicePatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<ConvertLaunchDevice, ConvertTensorMap, ConvertGemmDevice,
               ConvertConcurrent>(converter);
}
