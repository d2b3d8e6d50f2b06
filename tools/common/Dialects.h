//===- Dialects.h - every dialect that a tool may read ----------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_COMMON_DIALECTS_H
#define MM01_TOOLS_COMMON_DIALECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mm01 {

/// Registers the dialects of the project and of MLIR, with the interfaces that
/// the passes of the phases need of them.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace mm01

#endif // MM01_TOOLS_COMMON_DIALECTS_H
