//===- Equivalence.h - index arithmetic of two kernels, compared ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_FUSION_EQUIVALENCE_H
#define MM01_PASSES_FUSION_EQUIVALENCE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mm01 {

/// True where the two values are the same for workgroup i of `left` and
/// workgroup i of `right`, as far as their operations show: the same constants,
/// workgroup numbers and outer values go into the same pure operations.
bool areEquivalent(mlir::OpFoldResult a, mlir::OpFoldResult b,
                   mlir::scf::ForallOp left, mlir::scf::ForallOp right);

/// The same for all elements of two lists.
bool areEquivalent(llvm::ArrayRef<mlir::OpFoldResult> a,
                   llvm::ArrayRef<mlir::OpFoldResult> b,
                   mlir::scf::ForallOp left, mlir::scf::ForallOp right);

} // namespace mm01

#endif // MM01_PASSES_FUSION_EQUIVALENCE_H
