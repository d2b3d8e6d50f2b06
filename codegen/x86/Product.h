//===- Product.h - products of matrices in memory -------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_X86_PRODUCT_H
#define MM01_CODEGEN_X86_PRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mm01 {

/// How the second operand of a product lies.
enum class Second { Plain, Transposed };

/// c[m, n] += a[m, k] * b[k, n], or * b[n, k] where b is transposed, of
/// matrices of float32 in memory whose rows are contiguous. Of anything else it
/// fails and tells the rewriter why.
llvm::LogicalResult matchProduct(mlir::linalg::LinalgOp op, Second second,
                                 mlir::PatternRewriter &rewriter);

} // namespace mm01

#endif // MM01_CODEGEN_X86_PRODUCT_H
