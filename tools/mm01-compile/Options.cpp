//===- Options.cpp - the command line of mm01-compile ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/mm01-compile/Options.h"

#include "passes/fusion/Switch.h"
#include "passes/tile/Chips.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using namespace mm01;

namespace {

/// The options, made after LLVM's own are dropped: they neither belong into
/// the help nor change what is compiled.
struct CommandLine {
  cl::OptionCategory category{"Options"};
  cl::opt<std::string> input{
      cl::Positional, cl::cat(category),
      cl::desc(
          "INPUT (a preset, a checkpoint folder, a config.json, or a .mlir "
          "file of phase graph)")};
  cl::opt<std::string> output{"o", cl::cat(category), cl::value_desc("FILE"),
                              cl::desc("the program to write")};
  cl::opt<std::string> target{"target", cl::cat(category),
                              cl::value_desc("TARGET"), cl::init("cpu"),
                              cl::desc("cpu (default) or sm_90a")};
  cl::opt<std::string> chip{
      "chip", cl::cat(category), cl::value_desc("CHIP"),
      cl::desc("the GPU by whose figures a program for sm_90a is made: h20, "
               "h100, h200 (default) or h800; it runs on all of them")};
  cl::opt<std::string> mode{"mode", cl::cat(category), cl::value_desc("MODE"),
                            cl::init("inference"),
                            cl::desc("inference (default) or train")};
  cl::opt<std::string> mcpu{
      "mcpu", cl::cat(category), cl::value_desc("NAME"), cl::init("native"),
      cl::desc(
          "native (default: this machine), a level such as x86-64-v3, or a "
          "CPU that LLVM knows")};
  cl::opt<std::string> quantize{
      "quantize", cl::cat(category), cl::value_desc("KIND"), cl::init("none"),
      cl::desc("none (default), int8 or int8-experts")};
  cl::opt<std::string> fusion{
      "fusion", cl::cat(category), cl::value_desc("WHICH"),
      cl::desc("on (default), off, or the fusions to run, separated by commas: "
               "attention, rows, twins, consumers, launches")};
  cl::opt<bool> givenRoutes{
      "given-routes", cl::cat(category),
      cl::desc("make a program that is told the experts of each token, for "
               "mm01-run logits --replay-routes")};
  cl::opt<std::string> maxTokens{
      "max-tokens", cl::cat(category), cl::value_desc("N"),
      cl::desc("most tokens of one call (default 8192)")};
  cl::opt<std::string> maxSequences{
      "max-sequences", cl::cat(category), cl::value_desc("N"),
      cl::desc("most sequences of one call (default 256)")};
  cl::list<std::string> assignments{
      "set", cl::cat(category), cl::value_desc("KEY=VALUE"),
      cl::desc("replace a key of the model's configuration; may be repeated")};
  cl::opt<std::string> compileTo{
      "compile-to", cl::cat(category), cl::value_desc("PHASE"),
      cl::desc("stop after a phase and print the module: graph, grad, spmd, "
               "tiled, scheduled, kernels or host")};
  cl::opt<std::string> dumpDir{
      "dump-dir", cl::cat(category), cl::value_desc("DIR"),
      cl::desc(
          "write the module after each phase, and each kernel, to a folder")};
  cl::opt<bool> listPresets{"list-presets", cl::cat(category),
                            cl::desc("list the presets and exit")};
};

/// "'x': expected one of a, b"
std::string expectedOneOf(const Twine &option, StringRef found,
                          ArrayRef<StringRef> names) {
  return (option + " '" + found + "': expected " + join(names, ", ")).str();
}

/// Reads a count from 1 to `most`; the runtime's arrays are int32.
bool readCount(const cl::opt<std::string> &option, int64_t most,
               std::optional<int64_t> &count, std::string &error) {
  if (option.getNumOccurrences() == 0)
    return true;
  int64_t value = 0;
  if (StringRef(option.getValue()).getAsInteger(10, value) || value < 1 ||
      value > most) {
    error = ("--" + option.ArgStr + " '" + option.getValue() +
             "': expected a whole number from 1 to " + Twine(most))
                .str();
    return false;
  }
  count = value;
  return true;
}

bool isOneOf(const cl::opt<std::string> &option, ArrayRef<StringRef> names,
             std::string &error) {
  if (is_contained(names, option.getValue()))
    return true;
  error = expectedOneOf("--" + option.ArgStr, option.getValue(), names);
  return false;
}

/// A chip is one of the target's.
bool readChip(const cl::opt<std::string> &option, CompileOptions &options,
              std::string &error) {
  if (option.getNumOccurrences() == 0)
    return true;
  options.chip = option;
  if (!findChip(options.chip))
    error = "--chip '" + options.chip + "': expected " + chipNames();
  else if (options.target != "sm_90a")
    error = "--chip '" + options.chip +
            "': expected it with --target=sm_90a, "
            "found target " +
            options.target;
  return error.empty();
}

bool readPhase(const cl::opt<std::string> &option, CompileOptions &options,
               std::string &error) {
  if (option.getNumOccurrences() == 0)
    return true;
  StringRef name = option.getValue();
  options.compileTo = parsePhase(name);
  if (options.compileTo)
    return true;
  error = ("--compile-to '" + name + "': expected ").str();
  interleave(
      allPhases(),
      [&](Phase phase) {
        error +=
            (phaseName(phase) + " (" + phaseDescription(phase) + ")").str();
      },
      [&] { error += ", "; });
  return false;
}

/// Reads "on", "off" or names of fusions.
bool readFusion(const cl::opt<std::string> &option, CompileOptions &options,
                std::string &error) {
  if (option.getNumOccurrences() == 0)
    return true;
  StringRef text = option.getValue();
  std::vector<std::string> &names = options.fusion.emplace();
  if (text == "off")
    return true;
  SmallVector<StringRef> words(std::begin(kFusions), std::end(kFusions));
  if (text != "on") {
    words.clear();
    text.split(words, ',');
  }
  for (StringRef word : words) {
    if (!is_contained(kFusions, word)) {
      error = ("--fusion '" + word + "': expected on, off, or some of " +
               join(ArrayRef(kFusions), ","))
                  .str();
      return false;
    }
    names.push_back(word.str());
  }
  return true;
}

/// What the parser alone can't check. False: `error` says what is wrong.
bool readOptions(const CommandLine &line, CompileOptions &options,
                 std::string &error) {
  options.input = line.input;
  options.output = line.output;
  options.dumpDir = line.dumpDir;
  options.mcpu = line.mcpu;
  options.target = line.target;
  options.mode = line.mode;
  options.quantize = line.quantize;
  options.assignments.assign(line.assignments.begin(), line.assignments.end());
  options.givenRoutes = line.givenRoutes;
  options.listPresets = line.listPresets;
  constexpr int64_t mostTokens = int64_t(1) << 24, mostSequences = 1 << 16;
  if (!isOneOf(line.target, {"cpu", "sm_90a"}, error) ||
      !readChip(line.chip, options, error) ||
      !isOneOf(line.mode, {"inference", "train"}, error) ||
      !isOneOf(line.quantize, {"none", "int8", "int8-experts"}, error) ||
      !readCount(line.maxTokens, mostTokens, options.maxTokens, error) ||
      !readCount(line.maxSequences, mostSequences, options.maxSequences,
                 error) ||
      !readFusion(line.fusion, options, error) ||
      !readPhase(line.compileTo, options, error))
    return false;
  if (line.dumpDir.getNumOccurrences() > 0 && options.dumpDir.empty()) {
    error = "--dump-dir '': expected the name of a folder";
    return false;
  }
  for (StringRef assignment : options.assignments)
    if (assignment.find('=') == StringRef::npos ||
        assignment.starts_with("=")) {
      error = ("--set '" + assignment + "': expected KEY=VALUE").str();
      return false;
    }
  if (options.listPresets)
    return true;
  if (options.input.empty())
    error =
        "no INPUT: expected a preset, a checkpoint folder, a config.json or "
        "a .mlir file";
  else if (options.output.empty() && !options.compileTo)
    error = "no output: expected -o FILE";
  return error.empty();
}

/// Keeps what is written to standard error while it lives: some complaints of
/// the parser go there however it is called, without "error:" and more than
/// one at a time.
class ErrorCapture {
public:
  ErrorCapture() : saved(dup(2)), file(memfd_create("errors", MFD_CLOEXEC)) {
    if (file >= 0)
      dup2(file, 2);
  }
  ~ErrorCapture() {
    dup2(saved, 2);
    close(saved);
    close(file);
  }

  std::string text() const {
    std::string text(4096, '\0');
    ssize_t bytes = pread(file, text.data(), text.size(), 0);
    text.resize(bytes > 0 ? bytes : 0);
    return text;
  }

private:
  int saved, file;
};

/// The first complaint of the parser; it names the culprit.
std::string firstComplaint(StringRef text) {
  StringRef first = text.trim().split('\n').first;
  first.consume_front("mm01-compile: ");
  return first.split("  Try: ").first.str();
}

/// The parser's complaint about the command line, or nothing.
std::string parse(int argc, char **argv) {
  ErrorCapture capture;
  bool parsed = cl::ParseCommandLineOptions(
      argc, argv, "compiles a MiniMax-01 model to a program for mm01-run\n",
      &errs());
  return parsed ? "" : firstComplaint(capture.text());
}

} // namespace

std::optional<CompileOptions> mm01::parseCommandLine(int argc, char **argv,
                                                     std::string &error) {
  cl::ResetCommandLineParser();
  CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  cl::SetVersionPrinter(
      [](raw_ostream &os) { os << "mm01-compile " MM01_VERSION "\n"; });
  CompileOptions options;
  error = parse(argc, argv);
  bool read = error.empty() && readOptions(line, options, error);
  // The options die here, and the linker registers its own of the same names.
  cl::ResetCommandLineParser();
  return read ? std::optional(options) : std::nullopt;
}
