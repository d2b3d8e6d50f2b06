//===- VectorBody.h - scalar arithmetic, written on vectors -----*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_X86_VECTORBODY_H
#define MM01_CODEGEN_X86_VECTORBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mm01 {

/// Whether `op` is arithmetic that vectors have, too.
bool isElementwise(mlir::Operation &op);

/// Clones such an op for vectors of the shape of `vector`. `lanes` has those of
/// its operands, or gets them, the same scalar in all lanes, and of its
/// results.
void cloneOnVectors(mlir::ImplicitLocOpBuilder &b, mlir::Operation &op,
                    mlir::IRMapping &lanes, mlir::VectorType vector);

/// Whether `op` computes each element of its one result, a buffer of static
/// shape, with arithmetic that vectors have, too: from the elements at the same
/// place of buffers with contiguous rows, from those of its row's place of
/// buffers without the last dimension, and from scalars, all of float32.
bool hasVectorBody(mlir::linalg::LinalgOp op);

/// The elements of such an op's result at the place `at` and those that follow
/// in the row, as a vector. Loads what it needs, and stores nothing.
mlir::Value computeVector(mlir::ImplicitLocOpBuilder &b,
                          mlir::linalg::LinalgOp op, mlir::ValueRange at,
                          mlir::VectorType vector);

} // namespace mm01

#endif // MM01_CODEGEN_X86_VECTORBODY_H
