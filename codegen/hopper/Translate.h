//===- Translate.h - kernels as modules of LLVM ---------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_TRANSLATE_H
#define MM01_CODEGEN_HOPPER_TRANSLATE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace mm01 {

/// The kernels of a module of the kernels phase: functions of the LLVM dialect
/// with `nvvm.kernel` and a body.
llvm::SmallVector<mlir::LLVM::LLVMFuncOp>
getDeviceKernels(mlir::gpu::GPUModuleOp module);

/// A kernel's name as PTX and files may have it.
std::string getDeviceName(mlir::LLVM::LLVMFuncOp kernel);

/// A module of LLVM for each kernel, in the order of getDeviceKernels, with
/// that kernel under its device name, and what it uses.
llvm::Expected<llvm::SmallVector<std::unique_ptr<llvm::Module>>>
translateKernels(mlir::gpu::GPUModuleOp module, llvm::LLVMContext &context);

} // namespace mm01

#endif // MM01_CODEGEN_HOPPER_TRANSLATE_H
