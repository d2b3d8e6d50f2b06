//===- Patterns.h - the conversions of mm01 ops to kernels -*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_PATTERNS_H
#define MM01_PASSES_TILING_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mm01 {

// Each file of this folder that is named after a group of ops fills one.
void populateDenseKernelPatterns(mlir::RewritePatternSet &patterns);
void populateLinearKernelPatterns(mlir::RewritePatternSet &patterns);
void populateRotaryKernelPatterns(mlir::RewritePatternSet &patterns);
void populateLightningKernelPatterns(mlir::RewritePatternSet &patterns);
void populateSoftmaxKernelPatterns(mlir::RewritePatternSet &patterns);
void populateMoeKernelPatterns(mlir::RewritePatternSet &patterns);
void populateSampleKernelPatterns(mlir::RewritePatternSet &patterns);
void populateLinalgKernelPatterns(mlir::RewritePatternSet &patterns);
/// mm01.head becomes a kernel that gathers rows, and a linear map of them.
void populateHeadPatterns(mlir::RewritePatternSet &patterns);
/// mm01.linear and mm01.grouped_linear as a GPU does them.
void populateDeviceLinearPatterns(mlir::RewritePatternSet &patterns);
/// mm01.dispatch as a GPU does it.
void populateDeviceDispatchPatterns(mlir::RewritePatternSet &patterns);
/// mm01.rotary as a GPU does it.
void populateDeviceRotaryPatterns(mlir::RewritePatternSet &patterns);

} // namespace mm01

#endif // MM01_PASSES_TILING_PATTERNS_H
