//===- Mm01Dialect.h - the mm01 dialect, its types, attributes and ops ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The one header to include for the dialect. See Mm01*.td for what each op
// means.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_MM01_MM01DIALECT_H
#define MM01_DIALECTS_MM01_MM01DIALECT_H

#include "dialects/mm01/Mm01Collectives.h"
#include "dialects/mm01/Mm01Cost.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/mm01/Mm01Enums.h.inc"

#include "dialects/mm01/Mm01Dialect.h.inc"
#include "dialects/mm01/Mm01Interfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/mm01/Mm01Attributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/mm01/Mm01Types.h.inc"

#define GET_OP_CLASSES
#include "dialects/mm01/Mm01Ops.h.inc"

namespace mm01 {

/// Argument and result attributes of entry functions (see the dialect's
/// description): the name by which the runtime knows a value, and the
/// parameter that a weight argument is bound to.
inline constexpr llvm::StringLiteral kRoleAttr = "mm01.role";
inline constexpr llvm::StringLiteral kParameterAttr = "mm01.parameter";

/// Attributes of the module, from which the manifest is made: the resolved
/// configuration (a string of JSON; absent for a program made from plain MLIR),
/// the number of parameters (i64), the limits T and N of a call (i64), and the
/// glob patterns of checkpoint tensors that are no parameters (strings).
inline constexpr llvm::StringLiteral kModelAttr = "mm01.model";
inline constexpr llvm::StringLiteral kParameterCountAttr =
    "mm01.parameter_count";
inline constexpr llvm::StringLiteral kMaxTokensAttr = "mm01.max_tokens";
inline constexpr llvm::StringLiteral kMaxSequencesAttr = "mm01.max_sequences";
inline constexpr llvm::StringLiteral kIgnoredTensorsAttr =
    "mm01.ignored_tensors";

/// Which weights are to be int8, a string: "int8" for all that
/// mm01-quantize-weights covers, "int8-experts" for those of experts alone. An
/// attribute, not an option of the pass, so that a dump replays.
inline constexpr llvm::StringLiteral kQuantizeAttr = "mm01.quantize";

/// The level of x86 that the program may use, a string such as
/// "x86-64-v3"; code generation and the manifest read it.
inline constexpr llvm::StringLiteral kIsaAttr = "mm01.isa";

/// True where the extents agree or one of them is dynamic.
inline bool compatible(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) ||
         mlir::ShapedType::isDynamic(b);
}

} // namespace mm01

#endif // MM01_DIALECTS_MM01_MM01DIALECT_H
