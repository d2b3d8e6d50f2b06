//===- Dump.cpp - kernels for people to read ------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/Dump.h"
#include "codegen/hopper/SerializeKernels.h"
#include "codegen/hopper/Translate.h"
#include "codegen/host/Link.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mm01;

/// Writes kernels/NAME.mlir and .ll of a gpu.module.
static llvm::Error dumpCode(gpu::GPUModuleOp module, const Twine &folder) {
  llvm::LLVMContext context;
  auto parts = translateKernels(module, context);
  if (!parts)
    return parts.takeError();
  for (auto [kernel, part] :
       llvm::zip_equal(getDeviceKernels(module), *parts)) {
    std::string stem = (folder + "/" + getDeviceName(kernel)).str();
    std::string mlir, ll;
    llvm::raw_string_ostream(mlir) << kernel << "\n";
    llvm::raw_string_ostream(ll) << *part;
    if (llvm::Error error = writeAtomically(stem + ".mlir", mlir))
      return error;
    if (llvm::Error error = writeAtomically(stem + ".ll", ll))
      return error;
  }
  return llvm::Error::success();
}

/// Writes kernels/NAME.ptx and .cubin of what serialising has left.
static llvm::Error dumpImages(ModuleOp module, const Twine &folder) {
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto bytes = dyn_cast_or_null<StringAttr>(global.getValueOrNull());
    std::optional<std::string> file = getImageFile(global.getSymName());
    if (!bytes || !file)
      continue;
    StringRef content = bytes.getValue();
    if (StringRef(*file).ends_with(".ptx"))
      content = content.drop_back(); // the zero at its end
    if (llvm::Error error =
            writeAtomically((folder + "/" + *file).str(), content))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error mm01::dumpDeviceKernels(ModuleOp module, StringRef dump) {
  std::string folder = (dump + "/kernels").str();
  if (std::error_code error = llvm::sys::fs::create_directories(
          folder, true, llvm::sys::fs::all_all))
    return llvm::createStringError(error, "cannot make the folder " + folder +
                                              ": " + error.message());
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    if (llvm::Error error = dumpCode(kernels, folder))
      return error;
  return dumpImages(module, folder);
}
