//===- Dump.h - kernels for people to read --------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_DUMP_H
#define MM01_CODEGEN_HOPPER_DUMP_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mm01 {

/// Writes what there is of each kernel of a GPU to the folder kernels/ below
/// `folder`: NAME.mlir and NAME.ll of a module in the kernels phase, NAME.ptx
/// and NAME.cubin of one in the host phase.
llvm::Error dumpDeviceKernels(mlir::ModuleOp module, llvm::StringRef folder);

} // namespace mm01

#endif // MM01_CODEGEN_HOPPER_DUMP_H
