//===- InlinePtx.h - instructions that NVVM has no op for -------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_TILE_INLINEPTX_H
#define MM01_CODEGEN_TILE_INLINEPTX_H

#include "mlir/IR/Builders.h"

#include <string>

namespace mm01 {

/// One inline PTX statement. `$0`, `$1`, … in the text are first the results,
/// then the tied values; after as many more numbers as there are tied values,
/// which stand for the same registers, come the inputs.
struct InlinePtx {
  std::string text;
  /// Types of results that are written only.
  llvm::SmallVector<mlir::Type> results;
  /// Values that are read and written: each is a result in the register of the
  /// operand, so nothing that uses the result can move before the statement,
  /// and nothing that makes the operand behind it.
  llvm::SmallVector<mlir::Value> tied;
  llvm::SmallVector<mlir::Value> inputs;

  /// Emits it and returns the results, then the new values of the tied ones.
  llvm::SmallVector<mlir::Value> emit(mlir::OpBuilder &builder,
                                      mlir::Location loc) const;
};

/// `$first, $first+1, …`, `count` of them, as PTX lists registers in braces.
std::string ptxOperands(int64_t first, int64_t count);

} // namespace mm01

#endif // MM01_CODEGEN_TILE_INLINEPTX_H
