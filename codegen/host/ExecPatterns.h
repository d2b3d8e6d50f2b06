//===- ExecPatterns.h - exec and mm01 ops as LLVM ---------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOST_EXECPATTERNS_H
#define MM01_CODEGEN_HOST_EXECPATTERNS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace mm01 {

/// The context of the call (0), or another pointer of the interface of the
/// function around an op; null where that has none.
mlir::Value getInterface(mlir::Operation *op, unsigned number);

/// All extents of a type, as i64, given those it leaves open.
llvm::SmallVector<mlir::Value> getAllSizes(mlir::OpBuilder &builder,
                                           mlir::Location loc,
                                           mlir::MemRefType type,
                                           mlir::ValueRange open);

/// Why a pattern refuses an op without interface.
inline constexpr llvm::StringLiteral kNoInterface =
    "function around it does not take what the program interface gives, "
    "expected mm01-pack-launches before";

/// Patterns that convert exec.arena, scratch, result, weight_part,
/// weight_scales and gemm, and mm01.ragged_size and ragged_get, to the LLVM
/// dialect.
void populateExecPatterns(const mlir::LLVMTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

/// Patterns that convert mm01.ragged_size and ragged_get alone, on the host or
/// in a kernel of a GPU.
void populateRaggedPatterns(const mlir::LLVMTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);

/// Patterns that convert exec.launch_device of serialised kernels and
/// exec.tensor_map to the LLVM dialect.
void populateDevicePatterns(const mlir::LLVMTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);

} // namespace mm01

#endif // MM01_CODEGEN_HOST_EXECPATTERNS_H
