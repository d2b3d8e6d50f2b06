//===- Program.cpp - writes a compiled program ----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/host/Program.h"
#include "codegen/host/Link.h"
#include "codegen/x86/Level.h"
#include "codegen/x86/Target.h"
#include "dialects/exec/ExecDialect.h"
#include "runtime/abi/program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace mlir;
using namespace mm01;

/// A kernel's name as that of a file: one of an input file may hold anything.
static std::string fileName(StringRef kernel, StringRef suffix) {
  std::string name = (kernel + suffix).str();
  for (char &c : name)
    if (!llvm::isAlnum(c) && c != '.')
      c = '_';
  return name;
}

/// A folder for kernels below the dump folder.
static llvm::Expected<llvm::SmallString<128>> makeKernelFolder(StringRef dump) {
  llvm::SmallString<128> folder = dump;
  llvm::sys::path::append(folder, "kernels");
  if (std::error_code error = llvm::sys::fs::create_directories(
          folder, true, llvm::sys::fs::all_all))
    return llvm::createStringError(error, "cannot make the folder " +
                                              Twine(folder) + ": " +
                                              error.message());
  return folder;
}

llvm::Error mm01::dumpKernels(ModuleOp module, StringRef dumpDir) {
  auto folder = makeKernelFolder(dumpDir);
  if (!folder)
    return folder.takeError();
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!exec::isKernel(kernel))
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << kernel << "\n";
    llvm::SmallString<128> path = *folder;
    llvm::sys::path::append(path, fileName(kernel.getSymName(), ".mlir"));
    if (llvm::Error error = writeAtomically(path, text))
      return error;
  }
  return llvm::Error::success();
}

/// The manifest of the module with the level that the program needs.
static llvm::Expected<std::string> makeManifest(ModuleOp module,
                                                StringRef level) {
  auto text = module->getAttrOfType<StringAttr>(exec::kManifestAttr);
  if (!text)
    return llvm::createStringError(
        "module has no manifest, expected one in the host phase");
  auto manifest = llvm::json::parse(text.getValue());
  if (!manifest)
    return manifest.takeError();
  (*manifest->getAsObject())["isa"] = level;
  std::string result;
  llvm::raw_string_ostream(result) << *manifest;
  return result;
}

/// Puts bytes into a section of their own, which the linker keeps.
static void addSection(llvm::Module &module, StringRef section, StringRef bytes,
                       uint64_t alignment) {
  auto *data = llvm::ConstantDataArray::getString(module.getContext(), bytes,
                                                  /*AddNull=*/false);
  auto *global =
      new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::InternalLinkage, data,
                               section.drop_front() + ".bytes");
  global->setSection(section);
  global->setAlignment(llvm::Align(alignment));
  llvm::appendToUsed(module, {global});
}

/// Writes kernels/NAME.ll and .s of each kernel: what a launch names.
static llvm::Error dumpCode(const llvm::Module &module,
                            llvm::TargetMachine &machine, StringRef dumpDir) {
  auto folder = makeKernelFolder(dumpDir);
  if (!folder)
    return folder.takeError();
  for (const llvm::Function &function : module) {
    if (function.isDeclaration() || !function.hasFnAttribute("mm01-kernel"))
      continue;
    llvm::ValueToValueMapTy map;
    auto part =
        llvm::CloneModule(module, map, [&](const llvm::GlobalValue *value) {
          auto *variable = dyn_cast<llvm::GlobalVariable>(value);
          return value == &function ||
                 (variable && !variable->hasSection() &&
                  !variable->getName().starts_with("llvm."));
        });
    for (llvm::GlobalVariable &variable :
         llvm::make_early_inc_range(part->globals()))
      if (variable.use_empty() || variable.getName().starts_with("llvm."))
        variable.eraseFromParent();
    part->getFunction(function.getName())
        ->setLinkage(llvm::GlobalValue::ExternalLinkage);
    std::string text;
    llvm::raw_string_ostream(text) << *part;
    llvm::SmallString<128> path = *folder;
    llvm::sys::path::append(path, fileName(function.getName(), ""));
    if (llvm::Error error = writeAtomically((path + ".ll").str(), text))
      return error;
    auto assembly =
        emitCode(*part, machine, llvm::CodeGenFileType::AssemblyFile);
    if (!assembly)
      return assembly.takeError();
    if (llvm::Error error = writeAtomically((path + ".s").str(), *assembly))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error mm01::emitProgram(ModuleOp module, const ProgramOptions &options) {
  auto level = levelOfCpu(options.mcpu);
  if (!level)
    return level.takeError();
  auto machine = createTargetMachine(*level);
  if (!machine)
    return machine.takeError();
  auto manifest = makeManifest(module, *level);
  if (!manifest)
    return manifest.takeError();

  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  llvm::LLVMContext context;
  auto code = translateModuleToLLVMIR(module, context, "mm01");
  if (!code)
    return llvm::createStringError("module cannot be translated to LLVM IR, "
                                   "expected one in the host phase");
  code->setSourceFileName("mm01");
  addSection(*code, MM01_MANIFEST_SECTION, *manifest, 1);
  addSection(*code, MM01_SEAL_SECTION, std::string(sizeof(mm01_seal), '\1'),
             alignof(mm01_seal));
  optimize(*code, **machine);
  if (!options.dumpDir.empty())
    if (llvm::Error error = dumpCode(*code, **machine, options.dumpDir))
      return error;

  auto object = emitCode(*code, **machine, llvm::CodeGenFileType::ObjectFile);
  if (!object)
    return object.takeError();
  auto file = linkShared(*object);
  if (!file)
    return file.takeError();
  if (llvm::Error error = seal(*file))
    return error;
  return writeAtomically(options.output, StringRef(file->data(), file->size()));
}
