//===- ConvertToLlvm.cpp - convert the whole program to LLVM --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All conversions in one, so that no cast between types of two dialects is left
// and ragged batches and weights pass through calls and branches as pointers.
//
// Before: %a = exec.arena at %offset (%n) : memref<?xf32>
// After:  %arena = llvm.load of the context's field
//         %pointer = llvm.getelementptr %arena[%offset], and a descriptor of it
//
// Requires mm01-pack-launches, and loops and affine maps lowered. Tested by
// test/codegen/host/convert-to-llvm.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/Descriptors.h"
#include "codegen/host/ExecPatterns.h"
#include "codegen/host/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mm01 {
#define GEN_PASS_DEF_CONVERTTOLLVMPASS
#include "codegen/host/Passes.h.inc"
} // namespace mm01

using namespace mlir;

namespace {

struct ConvertToLlvmPass
    : mm01::impl::ConvertToLlvmPassBase<ConvertToLlvmPass> {
  using Base::Base;

  void runOnOperation() override {
    LLVMTypeConverter converter(&getContext());
    mm01::addProgramTypes(converter);
    for (auto function : getOperation().getOps<func::FuncOp>())
      function->setAttr(
          "llvm.linkage",
          LLVM::LinkageAttr::get(&getContext(), LLVM::Linkage::Internal));
    SymbolTableCollection symbols;
    RewritePatternSet patterns(&getContext());
    mm01::populateExecPatterns(converter, patterns);
    mm01::populateDevicePatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    // What LLVM has an instruction for goes before what libm has a function
    // for.
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false,
                                         /*benefit=*/2);
    populateMathToLibmConversionPatterns(patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
