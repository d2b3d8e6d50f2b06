//===- Arguments.h - arguments and results in files -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_ARGUMENTS_H
#define MM01_CODEGEN_REFERENCE_ARGUMENTS_H

#include "codegen/reference/InterpreterValue.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Error.h"

namespace mm01::reference {

/// Reads the arguments of `entry` from the safetensors file `path` as
/// docs/contract.md, "Arguments in files", says. A float argument may be stored
/// as any float type and is widened exactly; an integer one as any integer type
/// that holds its numbers. Weights must be stored in their own type, and stay
/// in the mapped file; an int8 one is made of floats of any storage type.
///
/// With a `checkpoint` (a file, folder or index; empty for none), weights that
/// carry `mm01.parameter` come from it by the parameter's sources, and the file
/// must not have them.
///
/// Fails, in one line, for what is missing, is left over, or does not fit.
llvm::Expected<llvm::SmallVector<InterpreterValue>>
readArguments(mlir::FunctionOpInterface entry, const std::string &path,
              const std::string &checkpoint);

/// Writes `result<i>`: floats as F32, or F64 with `wide`; integers in their own
/// type, index as I64.
llvm::Error writeResults(mlir::FunctionOpInterface entry,
                         llvm::ArrayRef<InterpreterValue> results,
                         const std::string &path, bool wide);

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_ARGUMENTS_H
