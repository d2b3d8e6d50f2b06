//===- LightningKernels.h - the kernel of lightning attention ---*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_LIGHTNINGKERNELS_H
#define MM01_PASSES_TILING_LIGHTNINGKERNELS_H

#include "passes/tiling/KernelBuilder.h"
#include "passes/tiling/LightningAttributes.h"

namespace mm01 {

/// What kernels before this one made, where its parts are not in it.
struct LightningParts {
  mlir::Value q, k, v, out; // [H, T, d]
  Values decays;            // [H, n], n as in LightningDecays::tableSizes
};

/// The sequences that the kernel goes through: none where mm01.skip_single
/// leaves it nothing.
mlir::Value lightningSequences(KernelBuilder &b, LightningAttentionOp op);

/// First token and number of tokens of sequence n; with mm01.skip_single a
/// sequence of one token counts as one of none.
std::pair<mlir::Value, mlir::Value>
lightningTokens(KernelBuilder &b, LightningAttentionOp op, mlir::Value n);

/// The slope of head h in float64, and exp(-s) - 1 in float32.
std::pair<mlir::Value, mlir::Value>
lightningSlope(KernelBuilder &b, LightningAttentionOp op, mlir::Value h);

/// Writes the kernel of an op on float32 states with a static head size, which
/// reads its operands, or `parts`. Returns out, or that of the parts, and the
/// state.
mlir::ValueRange writeLightningKernel(KernelBuilder &b, LightningAttentionOp op,
                                      const LightningPlan &plan,
                                      const LightningParts *parts = nullptr);

} // namespace mm01

#endif // MM01_PASSES_TILING_LIGHTNINGKERNELS_H
