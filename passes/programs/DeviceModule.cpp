//===- DeviceModule.cpp - the module of a GPU's kernels -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/programs/DeviceModule.h"

using namespace mlir;

static constexpr llvm::StringLiteral kModule = "kernels";

gpu::GPUModuleOp mm01::getDeviceModule(ModuleOp module) {
  if (auto found = module.lookupSymbol<gpu::GPUModuleOp>(kModule))
    return found;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  return gpu::GPUModuleOp::create(builder, module.getLoc(), kModule);
}

SymbolRefAttr mm01::getDeviceSymbol(StringAttr kernel) {
  return SymbolRefAttr::get(kernel.getContext(), kModule,
                            FlatSymbolRefAttr::get(kernel));
}

MemRefType mm01::getBaseType(MemRefType type) {
  return MemRefType::get({}, type.getElementType());
}
