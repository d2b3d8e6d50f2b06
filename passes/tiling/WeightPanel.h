//===- WeightPanel.h - rows of a weight in a kernel -------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_WEIGHTPANEL_H
#define MM01_PASSES_TILING_WEIGHTPANEL_H

#include "passes/tiling/KernelBuilder.h"

namespace mm01 {

/// Rows of a weight in their storage type and, where that is int8, the scale of
/// each.
struct Panel {
  mlir::Value rows, scales;
};

/// A part of a weight.
inline Panel readPart(KernelBuilder &b, mlir::TypedValue<WeightType> weight,
                      mlir::Value part) {
  WeightType type = weight.getType();
  mlir::Value rows = WeightPartOp::create(b, type.getPartType(), weight, part);
  if (!type.isQuantized())
    return {rows, {}};
  return {rows, WeightScalesOp::create(b, type.getScalesType(), weight, part)};
}

} // namespace mm01

#endif // MM01_PASSES_TILING_WEIGHTPANEL_H
