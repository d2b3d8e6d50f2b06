//===- Workgroups.h - numbers of workgroups and indices of loops ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_SCHEDULE_WORKGROUPS_H
#define MM01_PASSES_SCHEDULE_WORKGROUPS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringRef.h"

namespace mm01 {

/// What a kernel is called, on its scf.forall.
inline constexpr llvm::StringLiteral kKernelName = "mm01.kernel";

/// The product of a loop's extents, of which there is one at least.
mlir::Value countWorkgroups(mlir::OpBuilder &builder, mlir::Location loc,
                            llvm::ArrayRef<mlir::Value> extents);

/// The indices of a loop from the workgroup's number; the last varies fastest.
/// The first extent is not used.
llvm::SmallVector<mlir::Value>
unpackWorkgroup(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Value workgroup, llvm::ArrayRef<mlir::Value> extents);

} // namespace mm01

#endif // MM01_PASSES_SCHEDULE_WORKGROUPS_H
