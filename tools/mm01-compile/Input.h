//===- Input.h - reads what is to be compiled -------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_MM01COMPILE_INPUT_H
#define MM01_TOOLS_MM01COMPILE_INPUT_H

#include "frontend/safetensors/Status.h"
#include "tools/mm01-compile/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mm01 {

/// The module, before phase graph, of options.input:
///
///   the name of a preset     its model
///   a folder                 the model of the config.json in it, with the
///                            element types of the checkpoint beside it
///   FILE.json                the model of a config.json
///   FILE.mlir                a module; its public functions are the entries
///
/// The module carries the limits of a call. Fails with one line.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
loadInput(mlir::MLIRContext &context, const CompileOptions &options);

} // namespace mm01

#endif // MM01_TOOLS_MM01COMPILE_INPUT_H
