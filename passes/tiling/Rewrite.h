//===- Rewrite.h - patterns and nothing else ------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_REWRITE_H
#define MM01_PASSES_TILING_REWRITE_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mm01 {

/// Rewrites by the patterns alone: what they do not match stays as it is, so
/// that a pass can be read by what its patterns say. Nothing is folded, merged
/// or simplified besides.
inline llvm::LogicalResult rewriteOnly(mlir::Operation *op,
                                       mlir::RewritePatternSet &&patterns) {
  mlir::GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  config.setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  return mlir::applyPatternsGreedily(op, std::move(patterns), config);
}

} // namespace mm01

#endif // MM01_PASSES_TILING_REWRITE_H
