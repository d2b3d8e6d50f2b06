//===- Program.h - writes a compiled program --------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOST_PROGRAM_H
#define MM01_CODEGEN_HOST_PROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mm01 {

struct ProgramOptions {
  /// Path of the shared object.
  std::string output;
  /// x86-64, x86-64-v2, x86-64-v3, x86-64-v4, or native: the level of this
  /// machine.
  std::string mcpu = "native";
  /// Folder for kernels/NAME.ll and kernels/NAME.s; empty: none are written.
  std::string dumpDir;
};

/// Writes the program of a module in the host phase. The file appears whole or
/// not at all, and its bytes depend on the module and the level alone. The
/// module's context gets the translations of the LLVM and builtin dialects.
/// Errors are one line: an unknown level, a file that cannot be written.
llvm::Error emitProgram(mlir::ModuleOp module, const ProgramOptions &options);

/// Writes kernels/NAME.mlir for each kernel of a module in the kernels phase.
llvm::Error dumpKernels(mlir::ModuleOp module, llvm::StringRef dumpDir);

} // namespace mm01

#endif // MM01_CODEGEN_HOST_PROGRAM_H
