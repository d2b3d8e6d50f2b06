//===- Translate.cpp - kernels as modules of LLVM -------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/Translate.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

SmallVector<LLVM::LLVMFuncOp> mm01::getDeviceKernels(gpu::GPUModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) &&
        !function.isExternal())
      kernels.push_back(function);
  return kernels;
}

std::string mm01::getDeviceName(LLVM::LLVMFuncOp kernel) {
  std::string name = kernel.getSymName().str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  if (llvm::isDigit(name.front()))
    name.insert(name.begin(), '_');
  return name;
}

llvm::Expected<SmallVector<std::unique_ptr<llvm::Module>>>
mm01::translateKernels(gpu::GPUModuleOp module, llvm::LLVMContext &context) {
  MLIRContext &mlir = *module.getContext();
  registerBuiltinDialectTranslation(mlir);
  registerGPUDialectTranslation(mlir);
  registerLLVMDialectTranslation(mlir);
  registerNVVMDialectTranslation(mlir);
  auto whole = translateModuleToLLVMIR(module, context, "mm01");
  if (!whole)
    return llvm::createStringError("gpu.module @" + module.getName() +
                                   " cannot be translated to LLVM IR, expected "
                                   "one in the kernels phase");
  whole->setSourceFileName("mm01");
  SmallVector<LLVM::LLVMFuncOp> kernels = getDeviceKernels(module);
  SmallVector<std::unique_ptr<llvm::Module>> modules;
  for (LLVM::LLVMFuncOp kernel : kernels) {
    llvm::ValueToValueMapTy map;
    const llvm::Function *wanted = whole->getFunction(kernel.getSymName());
    auto part =
        llvm::CloneModule(*whole, map, [&](const llvm::GlobalValue *value) {
          auto *function = dyn_cast<llvm::Function>(value);
          return value == wanted || !function ||
                 function->getCallingConv() != llvm::CallingConv::PTX_Kernel;
        });
    SmallVector<llvm::GlobalValue *> values;
    for (llvm::GlobalValue &value : part->global_values())
      values.push_back(&value);
    for (llvm::GlobalValue *value : values) {
      if (value->isDeclaration()) {
        if (value->use_empty())
          value->eraseFromParent();
      } else if (value->getName() != kernel.getSymName() &&
                 !value->getName().starts_with("llvm.")) {
        value->setLinkage(llvm::GlobalValue::InternalLinkage);
      }
    }
    part->getFunction(kernel.getSymName())->setName(getDeviceName(kernel));
    modules.push_back(std::move(part));
  }
  return modules;
}
