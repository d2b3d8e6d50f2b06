//===- Compile.h - takes a module through the phases ------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_MM01COMPILE_COMPILE_H
#define MM01_TOOLS_MM01COMPILE_COMPILE_H

#include "frontend/safetensors/Status.h"
#include "tools/mm01-compile/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace mm01 {

/// Runs the phases of a target up to `last`, each with its verify pass. With a
/// dump folder, writes the module after each to NN-PHASE.mlir there. Shows the
/// phase in work on standard error if that is a terminal.
Status runPhases(mlir::ModuleOp module, const std::string &target, Phase last,
                 const std::string &dumpDir);

/// Writes the module to a file, or to standard output if `path` is empty.
Status printModule(mlir::ModuleOp module, const std::string &path);

/// Fails if a file cannot be made at `path`, before long work for it, or if it
/// is the input. A program takes the place of what is there, so that must be a
/// file; a module is written into it.
Status checkOutput(const std::string &path, const std::string &input,
                   bool isProgram);

} // namespace mm01

#endif // MM01_TOOLS_MM01COMPILE_COMPILE_H
