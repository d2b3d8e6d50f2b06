//===- Mm01OpSupport.h - helpers that verifiers of the mm01 ops share -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_MM01_MM01OPSUPPORT_H
#define MM01_DIALECTS_MM01_MM01OPSUPPORT_H

#include "dialects/mm01/Mm01Dialect.h"

namespace mm01 {

/// True where ranks are equal and all extents compatible.
bool compatibleShapes(mlir::ShapedType a, mlir::ShapedType b);

/// True where the shapes of all values are compatible with each other.
bool haveOneShape(mlir::ValueRange values);

/// True where all values are shaped and have one element type.
bool haveOneElementType(mlir::ValueRange values);

/// Fails with `label: <message>` when `condition` does not hold. The label is
/// the one under which the op's description lists the constraint.
mlir::LogicalResult require(mlir::Operation *op, bool condition,
                            llvm::StringRef label, const llvm::Twine &message);

/// The process group of that name, or an error at `op` that it breaks C1.
mlir::FailureOr<ProcessGroupOp>
lookUpGroup(mlir::Operation *op, mlir::FlatSymbolRefAttr name,
            mlir::SymbolTableCollection &symbols);

/// The text of a type, for messages.
std::string toString(mlir::Type type);

} // namespace mm01

#endif // MM01_DIALECTS_MM01_MM01OPSUPPORT_H
