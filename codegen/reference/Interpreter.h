//===- Interpreter.h - runs programs on tensors in float64 ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle of every lowering: what a program on tensors computes, by the
// definition of each op and without rounding.
//
//   DialectRegistry registry;
//   reference::registerReferenceModels(registry);
//   …
//   Expected<SmallVector<InterpreterValue>> results =
//       reference::interpret(module, "forward", std::move(arguments));
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_INTERPRETER_H
#define MM01_CODEGEN_REFERENCE_INTERPRETER_H

#include "codegen/reference/InterpreterValue.h"
#include "codegen/reference/Routes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mm01::reference {

/// How the interpreter computes.
struct Options {
  /// Round the floats of each op's tensor results to their element type, where
  /// a compiled program stores them. Without it everything is float64.
  bool roundStorage = false;

  /// Run the iterations of scf.forall from the last to the first. They must not
  /// depend on each other; a result that changes shows that they do.
  bool reverseForall = false;

  /// Where each mm01.route adds the experts that it chooses; null: nowhere.
  Routes *recordRoutes = nullptr;

  /// The experts that each mm01.route takes, in order, instead of choosing; the
  /// shares are still those of its logits. Null: it chooses.
  const Routes *replayRoutes = nullptr;
};

/// Registers the dialects that have reference implementations, and these.
void registerReferenceModels(mlir::DialectRegistry &registry);

/// Runs the function `entry`. The arguments must be of the kinds, extents and
/// element types of its signature. Fails with one line that begins with a
/// location: for an entry that is not there, arguments that do not fit, an op
/// without a reference implementation, and whatever an op refuses, such as a
/// token id out of range.
///
/// A caller that wants caches to be updated without a copy gives up its own
/// copies of them: the arguments are moved in.
llvm::Expected<llvm::SmallVector<InterpreterValue>>
interpret(mlir::ModuleOp module, llvm::StringRef entry,
          llvm::SmallVector<InterpreterValue> arguments,
          const Options &options = {});

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_INTERPRETER_H
