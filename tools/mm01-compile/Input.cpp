//===- Input.cpp - reads what is to be compiled ---------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/mm01-compile/Input.h"

#include "dialects/mm01/Mm01Dialect.h"
#include "frontend/config/ReadConfig.h"
#include "frontend/safetensors/Checkpoint.h"
#include "models/minimax01/presets/Presets.h"
#include "models/minimax01/text01/Text01.h"
#include "tools/common/MlirFile.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mm01;
using mm01::safetensors::Checkpoint;

using Module = OwningOpRef<ModuleOp>;

static void warn(StringRef line) {
  llvm::errs() << "mm01-compile: warning: " << line << "\n";
}

static Result<Module> build(MLIRContext &context,
                            llvm::Expected<ModelConfig> config,
                            const Checkpoint *checkpoint,
                            const CompileOptions &options) {
  if (!config)
    return Status::error(llvm::toString(config.takeError()));
  text01::Text01Options model;
  model.maxTokens = options.maxTokens.value_or(model.maxTokens);
  if (options.target != "cpu")
    model.activation = safetensors::ElementType::BF16;
  model.givenRoutes = options.givenRoutes;
  model.maxSequences = options.maxSequences.value_or(model.maxSequences);
  return text01::buildText01(context, *config, checkpoint, model);
}

static Result<Module> loadCheckpoint(MLIRContext &context,
                                     const CompileOptions &options) {
  auto config = readConfig(options.input, options.assignments, warn);
  if (!config)
    return Status::error(llvm::toString(config.takeError()));
  Result<Checkpoint> checkpoint = Checkpoint::open(options.input);
  MM01_RETURN_IF_FAILED(checkpoint);
  return build(context, std::move(config), &*checkpoint, options);
}

/// Sets a limit that the command line names or the module lacks.
static void setLimit(ModuleOp module, StringRef name,
                     std::optional<int64_t> value, int64_t otherwise) {
  if (value || !module->hasAttr(name))
    module->setAttr(name, Builder(module.getContext())
                              .getI64IntegerAttr(value.value_or(otherwise)));
}

static bool hasEntry(ModuleOp module) {
  return llvm::any_of(module.getOps<FunctionOpInterface>(),
                      [](FunctionOpInterface f) { return f.isPublic(); });
}

static Result<Module> loadMlir(MLIRContext &context,
                               const CompileOptions &options) {
  if (!options.assignments.empty())
    return Status::error("--set ", options.assignments.front(),
                         ": a .mlir file has no configuration, expected a "
                         "preset, a checkpoint folder or a config.json");
  if (options.givenRoutes)
    return Status::error(
        "--given-routes: a .mlir file has its entries already, "
        "expected a preset, a checkpoint folder or a "
        "config.json");
  Result<Module> module = readMlirFile(context, options.input);
  MM01_RETURN_IF_FAILED(module);
  if (!hasEntry(**module))
    return Status::error(options.input, ": no public function, expected an "
                                        "entry at least");
  text01::Text01Options defaults;
  setLimit(**module, kMaxTokensAttr, options.maxTokens, defaults.maxTokens);
  setLimit(**module, kMaxSequencesAttr, options.maxSequences,
           defaults.maxSequences);
  return module;
}

Result<Module> mm01::loadInput(MLIRContext &context,
                               const CompileOptions &options) {
  StringRef input = options.input;
  if (isPreset(input) && llvm::sys::fs::exists(input))
    warn((input + ": taken as the preset; what is here is ./" + input).str());
  if (isPreset(input))
    return build(context, readPreset(input, options.assignments, warn), nullptr,
                 options);
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(input, status))
    return Status::error(options.input, ": ", error.message(),
                         ", expected a file, a folder or one of the presets ",
                         llvm::join(presetNames(), ", "));
  if (llvm::sys::fs::is_directory(status))
    return loadCheckpoint(context, options);
  if (input.ends_with(".mlir"))
    return loadMlir(context, options);
  if (input.ends_with(".json"))
    return build(context, readConfig(input, options.assignments, warn), nullptr,
                 options);
  return Status::error(options.input,
                       ": expected a checkpoint folder, a file that ends in "
                       ".json or .mlir, or one of the presets ",
                       llvm::join(presetNames(), ", "));
}
