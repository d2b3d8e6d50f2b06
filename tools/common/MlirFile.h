//===- MlirFile.h - reads a module from a file ------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_COMMON_MLIRFILE_H
#define MM01_TOOLS_COMMON_MLIRFILE_H

#include "frontend/safetensors/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace mm01 {

/// Parses and verifies a file of MLIR text. Fails with one line: the file, the
/// place in it, and what is wrong. Text that is nested deeper than any program
/// needs is refused, because the parser would run out of stack.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
readMlirFile(mlir::MLIRContext &context, const std::string &path);

/// The same of text in memory, whose file is the buffer's identifier.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
parseMlirText(mlir::MLIRContext &context,
              std::unique_ptr<llvm::MemoryBuffer> buffer);

} // namespace mm01

#endif // MM01_TOOLS_COMMON_MLIRFILE_H
