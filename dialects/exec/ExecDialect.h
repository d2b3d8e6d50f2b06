//===- ExecDialect.h - the exec dialect, its attributes and ops -*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one header to include for the dialect. See Exec*.td for what each op and
// attribute means, README.md for why they are what they are.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_EXEC_EXECDIALECT_H
#define MM01_DIALECTS_EXEC_EXECDIALECT_H

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/exec/ExecDialect.h.inc"

#include "dialects/exec/ExecEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/exec/ExecAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/exec/ExecTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/exec/ExecOps.h.inc"

namespace mm01::exec {

/// Attributes of functions, see the dialect's description.
inline constexpr llvm::StringLiteral kKernelAttr = "exec.kernel";
inline constexpr llvm::StringLiteral kScratchBytesAttr = "exec.scratch_bytes";
inline constexpr llvm::StringLiteral kDynamicSharedBytesAttr =
    "exec.dynamic_shared_bytes";
inline constexpr llvm::StringLiteral kResultsAttr = "exec.results";
inline constexpr llvm::StringLiteral kFrameAttr = "exec.frame";

/// The attribute of launches, see #exec.sequences.
inline constexpr llvm::StringLiteral kSequencesAttr = "exec.sequences";

/// The ragged batch that an operation takes, where it takes exactly one.
mlir::Value getRagged(mlir::Operation *op);

/// Attributes of a module: the manifest of the program, as JSON, and its
/// target, "cpu" where absent or "sm_90a".
inline constexpr llvm::StringLiteral kManifestAttr = "exec.manifest";
inline constexpr llvm::StringLiteral kTargetAttr = "exec.target";

/// True for a function that exec.launch or exec.launch_device may name.
inline bool isKernel(mlir::Operation *op) {
  mlir::Operation *parent = op->getParentOp();
  return op->hasAttr(kKernelAttr) ||
         (parent && parent->getName().getStringRef() == "gpu.module");
}

} // namespace mm01::exec

#endif // MM01_DIALECTS_EXEC_EXECDIALECT_H
