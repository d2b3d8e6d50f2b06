//===- FusedKernels.h - what fusion asks of kernels on tensors ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_FUSION_FUSEDKERNELS_H
#define MM01_PASSES_FUSION_FUSEDKERNELS_H

#include "passes/tiling/KernelBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mm01 {

/// The kernel candidate that makes the value; null where none does.
mlir::scf::ForallOp kernelOf(mlir::Value value);

/// What a workgroup writes of a result; null where that is not one slice of
/// the result's rank in steps of 1.
mlir::tensor::ParallelInsertSliceOp insertionOf(mlir::OpResult result);

/// True where all uses of the results of `op` but those by `but` come after
/// `op2`, which is in the block of `op`: it could be in the place of `op2`.
bool canSinkTo(mlir::Operation *op, mlir::Operation *op2,
               mlir::Operation *but = nullptr);

/// A kernel with the grid of `kernel`, other outputs and nothing in it, at the
/// rewriter's insertion point.
mlir::scf::ForallOp makeKernel(mlir::RewriterBase &rewriter,
                               mlir::scf::ForallOp kernel,
                               mlir::ValueRange outs, llvm::StringRef name);

/// Moves the body of a kernel to the end of another one with as many
/// workgroups; `outs` stand for its own outputs.
void moveBody(mlir::RewriterBase &rewriter, mlir::scf::ForallOp from,
              mlir::scf::ForallOp to, mlir::ValueRange outs);

/// Erases what uses a result of `op` to no end: asking an op for its loops
/// leaves extents behind that nobody wants.
void eraseDeadUsers(mlir::RewriterBase &rewriter, mlir::Operation *op);

/// "linear+generic_divf".
std::string fusedName(llvm::StringRef first, llvm::StringRef second);

} // namespace mm01

#endif // MM01_PASSES_FUSION_FUSEDKERNELS_H
