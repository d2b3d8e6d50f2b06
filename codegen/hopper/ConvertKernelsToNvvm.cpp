//===- ConvertKernelsToNvvm.cpp - convert kernels to NVVM -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: gpu.module @kernels {
//           func.func @k(%x: memref<f32>, %n: index) {
//             %t = gpu.thread_id x;  %s = exec.scratch at 0 () : memref<8xf32>
// After:  gpu.module @kernels {
//           llvm.mlir.global external @shared() {addr_space = 3}
//           llvm.func @k(%x: !llvm.ptr, %n: i64) attributes {nvvm.kernel,
//               nvvm.reqntid = array<i32: 256>} {
//             %t = nvvm.read.ptx.sreg.tid.x;  %s = address of @shared + 0
//
// Requires distributed kernels without loops. Tested by
// test/codegen/hopper/convert-kernels-to-nvvm.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/BlockReduction.h"
#include "codegen/hopper/Passes.h"
#include "codegen/host/Descriptors.h"
#include "codegen/host/ExecPatterns.h"
#include "dialects/exec/ExecDialect.h"
#include "runtime/abi/program.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mm01 {
#define GEN_PASS_DEF_CONVERTKERNELSTONVVMPASS
#include "codegen/hopper/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// The global that is a block's dynamic shared memory.
static constexpr llvm::StringLiteral kShared = "shared";
static constexpr unsigned kSharedSpace = 3;

namespace {

/// exec.scratch at 64   ==>   address of @shared + 64
struct ConvertScratch : ConvertOpToLLVMPattern<exec::ScratchOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(exec::ScratchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    auto generic = LLVM::LLVMPointerType::get(rewriter.getContext());
    auto shared =
        LLVM::LLVMPointerType::get(rewriter.getContext(), kSharedSpace);
    Value base = LLVM::AddressOfOp::create(rewriter, loc, shared, kShared);
    Value place = LLVM::GEPOp::create(
        rewriter, loc, shared, rewriter.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(op.getOffset())});
    Value pointer =
        LLVM::AddrSpaceCastOp::create(rewriter, loc, generic, place);
    rewriter.replaceOp(
        op, makeDense(rewriter, loc, *getTypeConverter(), type, pointer,
                      getAllSizes(rewriter, loc, type, adaptor.getSizes())));
    return success();
  }
};

/// exec.weight_part %w[%e]   ==>   weight + %e · bytes of a part
struct ConvertWeightPart : ConvertOpToLLVMPattern<exec::WeightPartOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(exec::WeightPartOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    auto part = LLVM::LLVMArrayType::get(
        getTypeConverter()->convertType(type.getElementType()),
        type.getNumElements());
    Value pointer = LLVM::GEPOp::create(
        rewriter, loc, adaptor.getWeight().getType(), part, adaptor.getWeight(),
        ArrayRef<LLVM::GEPArg>{adaptor.getPart()});
    rewriter.replaceOp(op, makeDense(rewriter, loc, *getTypeConverter(), type,
                                     pointer,
                                     getAllSizes(rewriter, loc, type, {})));
    return success();
  }
};

/// exec.weight_scales %w[%e]   ==>   weight + bytes of all parts, rounded up
///                                   + %e · bytes of a part's scales
struct ConvertWeightScales : ConvertOpToLLVMPattern<exec::WeightScalesOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(exec::WeightScalesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    Type pointer = adaptor.getWeight().getType();
    WeightType weight = op.getWeight().getType();
    uint64_t place = llvm::alignTo(weight.getNumElements(), MM01_ALIGNMENT);
    Value behind =
        LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                 rewriter.getI64IntegerAttr(place));
    Value first = LLVM::GEPOp::create(rewriter, loc, pointer,
                                      rewriter.getI8Type(), adaptor.getWeight(),
                                      ArrayRef<LLVM::GEPArg>{behind});
    auto part =
        LLVM::LLVMArrayType::get(rewriter.getF32Type(), type.getNumElements());
    Value scales =
        LLVM::GEPOp::create(rewriter, loc, pointer, part, first,
                            ArrayRef<LLVM::GEPArg>{adaptor.getPart()});
    rewriter.replaceOp(op,
                       makeDense(rewriter, loc, *getTypeConverter(), type,
                                 scales, getAllSizes(rewriter, loc, type, {})));
    return success();
  }
};

struct ConvertKernelsToNvvmPass
    : mm01::impl::ConvertKernelsToNvvmPassBase<ConvertKernelsToNvvmPass> {
  using Base::Base;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
    if (functions.empty())
      return;
    OpBuilder builder(&getContext());
    for (func::FuncOp kernel : functions) {
      kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      builder.getUnitAttr());
      kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      builder.getDenseI32ArrayAttr({kBlockThreads}));
      describePointers(kernel);
    }
    declareShared(module);

    // Shuffles of 64 bits become two of 32.
    RewritePatternSet shuffles(&getContext());
    populateGpuShufflePatterns(shuffles);
    if (failed(applyPatternsGreedily(module, std::move(shuffles))))
      return signalPassFailure();

    LowerToLLVMOptions options(&getContext());
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(&getContext(), options);
    addProgramTypes(converter);
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvertScratch, ConvertWeightPart, ConvertWeightScales>(
        converter);
    populateRaggedPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    SymbolTableCollection symbols;
    populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    // Before calls of a library that is not there.
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false,
                                         /*benefit=*/10);
    LLVMConversionTarget target(getContext());
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }

  /// Says what LLVM must know of pointers to load and store several elements at
  /// once: what a kernel writes is reached by one argument alone, as
  /// bufferization has shown, and the runtime aligns memory.
  static void describePointers(func::FuncOp kernel) {
    Builder builder(kernel.getContext());
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      if (!isa<MemRefType, RaggedType, WeightType>(type))
        continue;
      kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
      kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(MM01_ALIGNMENT));
    }
  }

  static void declareShared(gpu::GPUModuleOp module) {
    if (module.lookupSymbol(kShared))
      return;
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    constexpr uint64_t alignment = 1024; // of the widest swizzle
    LLVM::GlobalOp::create(builder, module.getLoc(),
                           LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External,
                           kShared, Attribute(), alignment, kSharedSpace);
  }
};

} // namespace
