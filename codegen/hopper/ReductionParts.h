//===- ReductionParts.h - one thread's part of a loop that reduces --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_REDUCTIONPARTS_H
#define MM01_CODEGEN_HOPPER_REDUCTIONPARTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mm01 {

/// The iterations of a loop that fall to thread `member` of `members`, with
/// other initial values:
///
///     scf.for %k = 0 to 6144 step 1 { memref.load %w[%n, %k] … }
///   ->
///     scf.for %c = 8 · member to 6144 step 8 · members {
///       vector.load %w[%n, %c] : vector<8xbf16>
///       … for each of %c, %c + 1, … %c + 7
///     }
///
/// Eight neighbours a thread where the loop reads along rows and their number
/// is a multiple; else one. What is read along rows is read 16 bytes at once
/// where they are known to lie at multiples of that.
mlir::scf::ForOp makePart(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop,
                          mlir::ValueRange initial, mlir::Value member,
                          int64_t members);

} // namespace mm01

#endif // MM01_CODEGEN_HOPPER_REDUCTIONPARTS_H
