//===- mm01-interpret.cpp - runs an MLIR file in float64 ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference interpreter as a command: an entry of an MLIR file, arguments
// and results in safetensors files (docs/contract.md, "Arguments in files").
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Arguments.h"
#include "codegen/reference/Extents.h"
#include "codegen/reference/Interpreter.h"
#include "dialects/exec/ExecDialect.h"
#include "tools/common/MlirFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/InitAllDialects.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;
using namespace mlir;
using namespace mm01;

static cl::OptionCategory category("mm01-interpret options");

static cl::opt<std::string> file(cl::Positional, cl::desc("FILE.mlir"),
                                 cl::cat(category));
static cl::opt<std::string> entry("entry", cl::value_desc("F"),
                                  cl::desc("the function to run"),
                                  cl::cat(category));
static cl::opt<std::string> in("in", cl::value_desc("ARGS.safetensors"),
                               cl::desc("its arguments: arg0, arg1, …"),
                               cl::cat(category));
static cl::opt<std::string>
    out("out", cl::value_desc("RESULTS.safetensors"),
        cl::desc("where to write its results: result0, result1, …"),
        cl::cat(category));
static cl::opt<std::string>
    weights("weights", cl::value_desc("CHECKPOINT"),
            cl::desc("a file or folder that parameters are bound to"),
            cl::cat(category));
static cl::opt<bool>
    roundStorage("round-storage",
                 cl::desc("round each tensor to its element type"),
                 cl::cat(category));
static cl::opt<bool>
    reverseForall("reverse-forall",
                  cl::desc("run parallel iterations from last to first"),
                  cl::cat(category));
static cl::opt<bool> f64Results("f64-results",
                                cl::desc("write floats as F64, not F32"),
                                cl::cat(category));

static cl::opt<std::string>
    recordRoutes("record-routes", cl::value_desc("FILE"),
                 cl::desc("write the experts that each mm01.route chooses"),
                 cl::cat(category));
static cl::opt<std::string> replayRoutes(
    "replay-routes", cl::value_desc("FILE"),
    cl::desc("take the experts of such a file instead of choosing"),
    cl::cat(category));

namespace {

constexpr int inputAtFault = 1;
constexpr int wrongUsage = 2;

/// One line, whatever the message holds.
int report(StringRef message, int code) {
  std::string line = message.trim().str();
  std::replace_if(
      line.begin(), line.end(),
      [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  errs() << "mm01-interpret: error: " << line << "\n";
  return code;
}

/// What is written must not replace what it is made from, a file of a
/// checkpoint's folder included, nor the other output.
Error checkOutputs() {
  for (StringRef output : {out.getValue(), recordRoutes.getValue()})
    for (StringRef input : {file.getValue(), in.getValue(), weights.getValue(),
                            replayRoutes.getValue()}) {
      SmallString<128> read = input;
      if (sys::fs::is_directory(read))
        sys::path::append(read, sys::path::filename(output));
      if (!input.empty() && !output.empty() &&
          sys::fs::equivalent(output, read))
        return createStringError(output +
                                 ": is read by this command, expected another "
                                 "file to write to");
    }
  if (out.getValue() == recordRoutes.getValue() ||
      (!recordRoutes.empty() && sys::fs::equivalent(out, recordRoutes)))
    return createStringError(Twine(out) +
                             ": is written by --out and --record-routes, "
                             "expected a file for each");
  return Error::success();
}

Error run(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function)
    return createStringError(Twine(file) + ": no function @" + entry +
                             ", expected the one that --entry names");
  auto arguments = reference::readArguments(function, in, weights);
  if (!arguments)
    return arguments.takeError();
  // Ops refuse what does not fit, too, but a file's arguments are best named by
  // their numbers.
  if (Error error = reference::checkExtents(function, *arguments))
    return error;
  reference::Routes recorded, replayed;
  reference::Options options{roundStorage, reverseForall};
  if (!recordRoutes.empty())
    options.recordRoutes = &recorded;
  if (!replayRoutes.empty()) {
    auto routes = reference::readRoutes(*module.getContext(), replayRoutes);
    if (!routes)
      return routes.takeError();
    replayed = std::move(*routes);
    options.replayRoutes = &replayed;
  }
  auto results =
      reference::interpret(module, entry, std::move(*arguments), options);
  if (!results)
    return results.takeError();
  if (!recordRoutes.empty())
    if (Error error = reference::writeRoutes(recorded, recordRoutes))
      return error;
  return reference::writeResults(function, *results, out, f64Results);
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  std::string usage;
  raw_string_ostream usageStream(usage);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Runs a program on tensors in float64, op by op.\n",
          &usageStream))
    return report(StringRef(usage).split('\n').first.split(": ").second,
                  wrongUsage);
  for (auto [value, name] : {std::pair(&file, "FILE.mlir"),
                             {&entry, "--entry F"},
                             {&in, "--in ARGS.safetensors"},
                             {&out, "--out RESULTS.safetensors"}})
    if (value->empty())
      return report(
          Twine("expected " + Twine(name) + " (see mm01-interpret --help)")
              .str(),
          wrongUsage);

  // All of upstream, so that an op without a reference is refused by its name.
  DialectRegistry registry;
  registerAllDialects(registry);
  // Of what a program for a GPU is made of, attributes alone: its loops say
  // which sequences they are for.
  registry.insert<exec::ExecDialect>();
  reference::registerReferenceModels(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  if (Error error = checkOutputs())
    return report(toString(std::move(error)), inputAtFault);
  Result<OwningOpRef<ModuleOp>> module = readMlirFile(context, file);
  if (!module)
    return report(module.message(), inputAtFault);
  if (Error error = run(**module))
    return report(toString(std::move(error)), inputAtFault);
  return 0;
}
