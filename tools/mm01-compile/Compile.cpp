//===- Compile.cpp - takes a module through the phases --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/mm01-compile/Compile.h"

#include "codegen/hopper/Dump.h"
#include "codegen/host/Link.h"
#include "codegen/host/Program.h"
#include "passes/schedule/PrintMemoryPlan.h"
#include "tools/common/Diagnostics.h"
#include "tools/common/TargetPhases.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mm01;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// One line on a terminal that says which phase is at work; nothing elsewhere.
class Progress {
public:
  explicit Progress(Phase last)
      : shown(llvm::sys::Process::StandardErrIsDisplayed()), last(last) {}
  ~Progress() { clear(); }

  void show(Phase phase) {
    if (!shown)
      return;
    clear();
    llvm::errs() << "[" << number(phase) << "/" << number(last) << "] "
                 << phaseName(phase);
  }

private:
  static int number(Phase phase) { return static_cast<int>(phase) + 1; }

  void clear() {
    if (shown)
      llvm::errs() << "\r\x1b[K";
  }

  bool shown;
  Phase last;
};

} // namespace

/// "03-spmd.mlir"
static std::string dumpName(Phase phase) {
  std::string name;
  llvm::raw_string_ostream(name)
      << llvm::format("%02d-", static_cast<int>(phase) + 1) << phaseName(phase)
      << ".mlir";
  return name;
}

static Status dump(ModuleOp module, Phase phase, const std::string &folder) {
  if (folder.empty())
    return {};
  if (std::error_code error = fs::create_directories(folder, true, fs::all_all))
    return Status::error(folder, ": cannot make the folder: ", error.message());
  llvm::SmallString<128> file(folder);
  path::append(file, dumpName(phase));
  return printModule(module, file.str().str());
}

/// "memory-plan.txt" beside the phases.
static Status dumpMemoryPlan(ModuleOp module, const std::string &folder) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printMemoryPlan(module, stream);
  llvm::SmallString<128> file(folder);
  path::append(file, "memory-plan.txt");
  if (llvm::Error error = writeAtomically(file, text))
    return Status::error(llvm::toString(std::move(error)));
  return {};
}

static Status runPhase(ModuleOp module, Phase phase,
                       const PhasePasses &passes) {
  FirstError errors(*module.getContext());
  PassManager manager(module.getContext());
  addPhase(manager, phase, passes);
  return succeeded(manager.run(module)) ? Status() : errors.status();
}

/// Writes what there is of each kernel after a phase.
static llvm::Error dumpKernelsOf(ModuleOp module, Phase phase,
                                 const std::string &folder) {
  if (folder.empty() || phase < Phase::Kernels)
    return llvm::Error::success();
  if (phase == Phase::Kernels)
    if (llvm::Error error = dumpKernels(module, folder))
      return error;
  return dumpDeviceKernels(module, folder);
}

Status mm01::runPhases(ModuleOp module, const std::string &target, Phase last,
                       const std::string &dumpDir) {
  const PhasePasses passes =
      target == "cpu" ? cpuPhasePasses() : hopperPhasePasses();
  Progress progress(last);
  for (Phase phase : allPhases()) {
    if (phase > last)
      break;
    progress.show(phase);
    MM01_RETURN_IF_FAILED(runPhase(module, phase, passes));
    MM01_RETURN_IF_FAILED(dump(module, phase, dumpDir));
    if (phase == Phase::Scheduled && !dumpDir.empty())
      MM01_RETURN_IF_FAILED(dumpMemoryPlan(module, dumpDir));
    if (llvm::Error error = dumpKernelsOf(module, phase, dumpDir))
      return Status::error(llvm::toString(std::move(error)));
  }
  return {};
}

static Status printTo(llvm::raw_fd_ostream &stream, ModuleOp module,
                      StringRef name) {
  module.print(stream);
  stream << "\n"; // as mm01-opt ends a module
  stream.flush();
  if (!stream.has_error())
    return {};
  std::string why = stream.error().message();
  stream.clear_error();
  return Status::error(name.str(), ": cannot write: ", why);
}

Status mm01::printModule(ModuleOp module, const std::string &file) {
  if (file.empty())
    return printTo(llvm::outs(), module, "standard output");
  std::error_code error;
  llvm::raw_fd_ostream stream(file, error);
  if (error)
    return Status::error(file, ": cannot write: ", error.message());
  Status status = printTo(stream, module, file);
  // Half a module is worse than none. A device stays.
  if (status.failed() && fs::is_regular_file(file))
    fs::remove(file);
  return status;
}

Status mm01::checkOutput(const std::string &file, const std::string &input,
                         bool isProgram) {
  if (file.empty())
    return {};
  if (fs::equivalent(file, input))
    return Status::error(file, ": is the input, expected another file to write "
                               "to");
  llvm::SmallString<128> part(input);
  path::append(part, path::filename(file));
  StringRef kind = path::extension(part);
  if ((kind == ".safetensors" || kind == ".json") && fs::equivalent(file, part))
    return Status::error(file, ": is a file of the checkpoint that is read, "
                               "expected another one to write to");
  if (fs::is_directory(file))
    return Status::error(file, ": is a folder, expected the name of a file");
  if (isProgram && fs::exists(file) && !fs::is_regular_file(file))
    return Status::error(file, ": is a device or a pipe, which a program would "
                               "replace, expected the name of a file");
  StringRef folder = path::parent_path(file);
  if (folder.empty())
    folder = ".";
  if (!fs::is_directory(folder))
    return Status::error(folder.str(), ": is no folder, expected one to write ",
                         path::filename(file).str(), " into");
  if (std::error_code error = fs::access(folder, fs::AccessMode::Write))
    return Status::error(folder.str(), ": cannot write: ", error.message());
  return {};
}
