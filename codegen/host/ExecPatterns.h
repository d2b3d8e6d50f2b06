//===- ExecPatterns.h - exec and mm01 ops as LLVM ---------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOST_EXECPATTERNS_H
#define MM01_CODEGEN_HOST_EXECPATTERNS_H

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace mm01 {

/// Patterns that convert exec.arena, scratch, result, weight_part,
/// weight_scales and gemm, and mm01.ragged_size and ragged_get, to the LLVM
/// dialect.
void populateExecPatterns(const mlir::LLVMTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

} // namespace mm01

#endif // MM01_CODEGEN_HOST_EXECPATTERNS_H
