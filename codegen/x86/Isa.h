//===- Isa.h - what a module's level of x86 has -----------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_X86_ISA_H
#define MM01_CODEGEN_X86_ISA_H

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace mm01 {

/// The module's `mm01.isa`, "x86-64-v3" where it has none.
inline llvm::StringRef isaOf(mlir::ModuleOp module) {
  auto isa = module->getAttrOfType<mlir::StringAttr>(kIsaAttr);
  return isa ? isa.getValue() : "x86-64-v3";
}

/// float32 numbers in a vector register.
inline int64_t lanesOf(llvm::StringRef isa) {
  return isa == "x86-64-v4" ? 16 : isa == "x86-64-v3" ? 8 : 4;
}

} // namespace mm01

#endif // MM01_CODEGEN_X86_ISA_H
