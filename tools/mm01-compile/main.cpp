//===- main.cpp - compiles a model to a program ---------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Reads the input, takes its module through the phases and links the program.
// What goes wrong becomes one line and an exit code: 1 when the input is at
// fault, 2 for wrong usage.
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/Ptxas.h"
#include "codegen/host/Program.h"
#include "codegen/x86/Level.h"
#include "dialects/exec/ExecDialect.h"
#include "models/minimax01/presets/Presets.h"
#include "passes/fusion/Switch.h"
#include "passes/tile/Chips.h"
#include "tools/common/Dialects.h"
#include "tools/mm01-compile/Compile.h"
#include "tools/mm01-compile/Input.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <fcntl.h>

using namespace mm01;

namespace {

constexpr int inputAtFault = 1;
constexpr int wrongUsage = 2;

int report(const std::string &line, int code) {
  llvm::errs() << "mm01-compile: error: " << line << "\n";
  return code;
}

Status listPresets() {
  for (llvm::StringRef name : presetNames())
    llvm::outs() << name << "\n";
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return {};
  std::string why = llvm::outs().error().message();
  llvm::outs().clear_error();
  return Status::error("standard output: cannot write: ", why);
}

/// What the command line knows and this build has not.
Status checkBuilt(const CompileOptions &options) {
  auto refuse = [](const char *option, const std::string &value,
                   const char *built) {
    return Status::error(option, "=", value,
                         " is not built into this mm01-compile, expected ",
                         built);
  };
  if (options.mode != "inference")
    return refuse("--mode", options.mode, "inference");
  return {};
}

Status compile(const CompileOptions &options) {
  MM01_RETURN_IF_FAILED(checkBuilt(options));
  llvm::Expected<std::string> isa = levelOfCpu(options.mcpu);
  if (!isa)
    return Status::error(llvm::toString(isa.takeError()));
  MM01_RETURN_IF_FAILED(
      checkOutput(options.output, options.input, !options.compileTo));

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = loadInput(context, options);
  MM01_RETURN_IF_FAILED(module);
  mlir::Builder builder(&context);
  (**module)->setAttr(kIsaAttr, builder.getStringAttr(*isa));
  if (options.target != "cpu")
    (**module)->setAttr(exec::kTargetAttr,
                        builder.getStringAttr(options.target));
  if (!options.chip.empty())
    (**module)->setAttr(kChipAttr, builder.getStringAttr(options.chip));
  // A .mlir file may say itself what is quantised.
  if (options.quantize != "none")
    (**module)->setAttr(kQuantizeAttr, builder.getStringAttr(options.quantize));
  if (options.fusion)
    (**module)->setAttr(
        kFusionAttr, builder.getStrArrayAttr(llvm::SmallVector<llvm::StringRef>(
                         options.fusion->begin(), options.fusion->end())));

  Phase last = options.compileTo.value_or(Phase::Host);
  MM01_RETURN_IF_FAILED(
      runPhases(**module, options.target, last, options.dumpDir));
  if (options.compileTo)
    return printModule(**module, options.output);
  if (options.target != "cpu" && !findPtxas())
    llvm::errs() << "mm01-compile: warning: no ptxas in $CUDA_HOME, $PATH or "
                    "Python's packages: the program holds PTX alone, which the "
                    "driver compiles when it is first run\n";
  if (llvm::Error error =
          emitProgram(**module, {options.output, *isa, options.dumpDir}))
    return Status::error(llvm::toString(std::move(error)));
  return {};
}

} // namespace

/// A file opened later must not get the number of a closed standard stream.
/// Writing to the replacement of stdout fails, as writing to a closed one
/// would.
static void occupyStandardStreams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0 &&
        ::open("/dev/null", descriptor == 2 ? O_WRONLY : O_RDONLY) < 0)
      return;
}

int main(int argc, char **argv) {
  occupyStandardStreams();
  std::signal(SIGPIPE, SIG_IGN);
  std::string error;
  auto options = parseCommandLine(argc, argv, error);
  if (!options)
    return report(error + " (see mm01-compile --help)", wrongUsage);
  Status status = options->listPresets ? listPresets() : compile(*options);
  return status.ok() ? 0 : report(status.message(), inputAtFault);
}
