//===- Target.h - machine code for an x86 level -----------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_X86_TARGET_H
#define MM01_CODEGEN_X86_TARGET_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace mm01 {

/// A target machine for Linux on a level.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(llvm::StringRef level);

/// Sets the module's target and optimises it at level 3.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// The object file, or the assembly, of an optimised module.
llvm::Expected<llvm::SmallString<0>> emitCode(llvm::Module &module,
                                              llvm::TargetMachine &machine,
                                              llvm::CodeGenFileType type);

} // namespace mm01

#endif // MM01_CODEGEN_X86_TARGET_H
