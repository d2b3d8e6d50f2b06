//===- Extents.h - extents of arguments that must be equal ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_EXTENTS_H
#define MM01_CODEGEN_REFERENCE_EXTENTS_H

#include "codegen/reference/InterpreterValue.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Error.h"

namespace mm01::reference {

/// Refuses arguments, of the function's kinds and ranks, whose extents the
/// function needs to be equal and that are not: by the relations that
/// `--mm01-relate-extents` writes and in the words of the runtime.
llvm::Error checkExtents(mlir::FunctionOpInterface function,
                         llvm::ArrayRef<InterpreterValue> arguments);

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_EXTENTS_H
