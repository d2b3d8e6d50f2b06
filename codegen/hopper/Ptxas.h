//===- Ptxas.h - machine code from PTX ------------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_PTXAS_H
#define MM01_CODEGEN_HOPPER_PTXAS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace mm01 {

/// The path of NVIDIA's assembler: of $CUDA_HOME, of $PATH, or of the Python
/// package of the compiler, in a virtual environment, the user's packages or
/// the system's. Nothing where there is none.
std::optional<std::string> findPtxas();

/// Machine code (a cubin) of a kernel's PTX, by the assembler at `ptxas`.
/// Fails, naming the kernel, where the assembler does, and where its report
/// says that the kernel is not what was meant (see checkReport).
llvm::Expected<std::string> assemble(llvm::StringRef ptxas, llvm::StringRef ptx,
                                     llvm::StringRef kernel);

/// Refuses what the assembler accepts and a good kernel must not have: spilled
/// registers, local memory, and the notes C75xx, by which it says that it has
/// put matrix products one after another or ignored a register budget. `report`
/// is what `ptxas -v` prints.
llvm::Error checkReport(llvm::StringRef report, llvm::StringRef kernel);

} // namespace mm01

#endif // MM01_CODEGEN_HOPPER_PTXAS_H
