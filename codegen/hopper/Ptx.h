//===- Ptx.h - PTX of kernels for Hopper ----------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_PTX_H
#define MM01_CODEGEN_HOPPER_PTX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mm01 {

/// The chip that kernels are compiled for, as LLVM and ptxas name it.
inline constexpr llvm::StringLiteral kHopperChip = "sm_90a";

/// Optimises a module and writes it as PTX. It has one kernel; `kernel` is what
/// errors call it. Refuses, by name, functions that a GPU does not have and
/// that the LLVM back end would not survive (exp, log, sin and the like, calls
/// of functions without a body): they must be legalised before. Loops are
/// unrolled, or left as they are, which needs fewer registers.
llvm::Expected<std::string> emitPtx(llvm::Module &module,
                                    llvm::StringRef kernel, bool unroll);

} // namespace mm01

#endif // MM01_CODEGEN_HOPPER_PTX_H
