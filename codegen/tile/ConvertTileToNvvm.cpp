//===- ConvertTileToNvvm.cpp - tile programs as programs of one thread ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Makes each kernel an LLVM function and rewrites its tile operations by what a
// thread of it does; the patterns are in *Patterns.cpp, the types that values
// of a tile program become in TileLowering.h.
//
// Before: tile.kernel @k(%n: index) attributes {tile.threads = 128 : i64} {
//           tile.proxy_fence
//           tile.return }
// After:  llvm.func @k(%n: i64) attributes {nvvm.kernel, …} {
//           llvm.inline_asm … "fence.proxy.async.shared::cta;"
//           llvm.return }
//
// Requires layouts, explicit barriers and dispatched roles.
// Test: test/codegen/tile/convert-tile-to-nvvm*.mlir
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/Passes.h"
#include "codegen/tile/TileLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mm01 {
#define GEN_PASS_DEF_CONVERTTILETONVVMPASS
#include "codegen/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

struct Return : OpConversionPattern<ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReturnOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

/// The LLVM function of a kernel, with its body moved there.
LLVM::LLVMFuncOp makeFunction(KernelOp kernel, int64_t sharedBytes) {
  OpBuilder builder(kernel);
  MLIRContext *context = kernel.getContext();
  Location loc = kernel.getLoc();
  TileTypeConverter converter(context);
  Block &entry = kernel.getBody().front();
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  builder.setInsertionPointToStart(&entry);
  for (BlockArgument argument : entry.getArguments()) {
    Type type = argument.getType();
    Type passed = isa<IndexType>(type) ? builder.getI64Type()
                                       : converter.convertType(type);
    types.push_back(passed);
    attributes.push_back(builder.getDictionaryAttr({}));
    if (isa<exec::TensorMapType>(type))
      attributes.back() = builder.getDictionaryAttr(
          {builder.getNamedAttr(LLVM::LLVMDialect::getByValAttrName(),
                                TypeAttr::get(LLVM::LLVMArrayType::get(
                                    builder.getI8Type(), 128))),
           builder.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                                builder.getI64IntegerAttr(64)),
           builder.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(),
                                builder.getUnitAttr())});
    if (passed == type)
      continue;
    argument.setType(passed);
    Operation *back =
        isa<IndexType>(type)
            ? arith::IndexCastOp::create(builder, loc, type, argument)
                  .getOperation()
            : UnrealizedConversionCastOp::create(builder, loc, type,
                                                 ValueRange(argument));
    argument.replaceAllUsesExcept(back->getResult(0), back);
  }
  builder.setInsertionPoint(kernel);
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, kernel.getName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
  function.getBody().takeBody(kernel.getBody());
  function.setAllArgAttrs(attributes);

  int64_t cluster = kernel.getCluster();
  int32_t threads = kernel->getAttrOfType<IntegerAttr>("tile.threads").getInt();
  auto dimensions = [&](int32_t x) {
    return builder.getDenseI32ArrayAttr({x, 1, 1});
  };
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    dimensions(threads));
  // No more blocks at a time than the roles' registers are for: with one, a
  // role may take those of a whole multiprocessor.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(kernel.getResident()));
  // With denormals an exponential takes three more instructions.
  function.setDenormalFpMathF32("preserve-sign,preserve-sign");
  if (cluster > 1)
    function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                      dimensions(cluster));
  function->setAttr(exec::kDynamicSharedBytesAttr,
                    builder.getI64IntegerAttr(sharedBytes));
  function->setAttr("tile.cluster", builder.getI64IntegerAttr(cluster));
  kernel.erase();
  return function;
}

struct ConvertTileToNvvmPass
    : mm01::impl::ConvertTileToNvvmPassBase<ConvertTileToNvvmPass> {
  using Base::Base;

  void runOnOperation() override {
    declareShared();
    for (KernelOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<KernelOp>()))
      if (failed(convert(kernel)))
        return signalPassFailure();
  }

private:
  /// The symbol of the shared memory of which each launch says the size.
  void declareShared() {
    gpu::GPUModuleOp module = getOperation();
    if (module.getOps<KernelOp>().empty() || module.lookupSymbol("shared"))
      return;
    auto b = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(
        b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0),
        /*isConstant=*/false, LLVM::Linkage::External, "shared", Attribute(),
        /*alignment=*/1024, unsigned(NVVM::NVVMMemorySpace::Shared));
  }

  static LogicalResult checkLayouts(KernelOp kernel) {
    if (!kernel->hasAttr("tile.threads"))
      return kernel.emitOpError("expected 'tile.threads', which "
                                "--mm01-dispatch-roles writes");
    WalkResult result = kernel.walk([](Operation *op) {
      for (Type type : op->getResultTypes()) {
        auto buffer = dyn_cast<BufferType>(type);
        auto tensor = dyn_cast<RankedTensorType>(type);
        if (buffer && buffer.getSwizzle() == 0)
          return op->emitOpError("has a buffer without a swizzle: ") << buffer,
                 WalkResult::interrupt();
        if (tensor && !tensor.getEncoding())
          return op->emitOpError("has a tensor without a layout: ") << tensor,
                 WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult convert(KernelOp kernel) {
    if (failed(checkLayouts(kernel)))
      return failure();
    MLIRContext *context = &getContext();
    SharedPlan plan(kernel);
    LLVM::LLVMFuncOp function = makeFunction(kernel, plan.bytes);
    TileTypeConverter converter(context);
    RewritePatternSet patterns(context);
    patterns.add<Return>(converter, context);
    populateFragmentPatterns(converter, patterns);
    populateGlobalPatterns(converter, patterns);
    populateItemPatterns(converter, plan, patterns);
    populateMmaPatterns(converter, patterns);
    populateRowPatterns(converter, patterns);
    populateSharedPatterns(converter, plan, patterns);
    populateSyncPatterns(converter, plan, patterns);

    ConversionTarget target(*context);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.addIllegalDialect<TileDialect, tensor::TensorDialect>();
    target.addIllegalOp<memref::LoadOp, memref::ReinterpretCastOp, RaggedGetOp,
                        RaggedSizeOp, gpu::BlockIdOp, gpu::ThreadIdOp,
                        gpu::ClusterIdOp, gpu::ClusterBlockIdOp,
                        gpu::GridDimOp>();
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect,
                           vector::VectorDialect>();
    target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect>(
        [&](Operation *op) { return converter.isLegal(op); });
    if (failed(applyPartialConversion(function, target, std::move(patterns))))
      return failure();
    function->removeAttr("tile.cluster");
    return success();
  }
};

} // namespace
