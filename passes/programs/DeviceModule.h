//===- DeviceModule.h - the module of a GPU's kernels -----------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_DEVICEMODULE_H
#define MM01_PASSES_PROGRAMS_DEVICEMODULE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mm01 {

/// The `gpu.module @kernels` of a module, made where there is none.
mlir::gpu::GPUModuleOp getDeviceModule(mlir::ModuleOp module);

/// The name by which a launch knows a kernel of that module.
mlir::SymbolRefAttr getDeviceSymbol(mlir::StringAttr kernel);

/// The type of a buffer's first element: a memref of no dimensions.
mlir::MemRefType getBaseType(mlir::MemRefType type);

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_DEVICEMODULE_H
