//===- Bufferize.cpp - turn tensors into buffers --------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One-shot bufferization of functions and calls, as upstream has it, but for
// the bodies of tile programs: their tensors are registers.
//
// Before: %y = tile.program "p" grid(…) ins() outs(%x : tensor<4xf32>) {
//              … %t = tensor.splat %v : tensor<64x64xf32> … }
// After:  tile.program "p" grid(…) ins() outs(%x : memref<4xf32>) {
//              … %t = tensor.splat %v : tensor<64x64xf32> … }
//
// Requires the tiled phase. Tested by test/passes/programs/bufferize.mlir.
//
//===----------------------------------------------------------------------===//

#include "dialects/tile/TileDialect.h"
#include "passes/programs/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mm01 {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "passes/programs/Passes.h.inc"
} // namespace mm01

using namespace mlir;

namespace {

struct BufferizePass : mm01::impl::BufferizePassBase<BufferizePass> {
  using Base::Base;

  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    // Layouts of arguments stay the identity: the caller has dense tensors.
    options.setFunctionBoundaryTypeConversion(
        bufferization::LayoutMapOption::IdentityLayoutMap);
    options.opFilter.denyOperation([](Operation *op) {
      return op->getParentOfType<mm01::tile::ProgramOp>() != nullptr;
    });
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotModuleBufferize(getOperation(), options,
                                                        state)))
      signalPassFailure();
  }
};

} // namespace
