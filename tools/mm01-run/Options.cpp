//===- Options.cpp - options that several commands have ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/ThreadPool.h"
#include "tools/mm01-run/Commands.h"

#include <filesystem>

using namespace mm01;
namespace fs = std::filesystem;

void mm01::addProgramOption(CLI::App &command, std::string &program) {
  command.add_option("program", program, "the compiled program")
      ->required()
      ->option_text("NAME.so");
}

void mm01::addThreadsOption(CLI::App &command, int &threads) {
  threads = ThreadPool::defaultThreads();
  command
      .add_option("--threads", threads,
                  "threads to compute with; without it, one for each processor "
                  "that the process may use")
      ->check(CLI::Range(1, ThreadPool::maxThreads))
      ->option_text("N");
}

void mm01::addGraphsOption(CLI::App &command, bool &graphs) {
  graphs = true;
  command
      .add_option_function<std::string>(
          "--graphs",
          [&graphs](const std::string &text) { graphs = text == "on"; },
          "on a GPU, do decode steps as CUDA graphs; results are the same "
          "without")
      ->check(CLI::IsMember({"on", "off"}))
      ->option_text("on|off [on]");
}

void mm01::addTraceOption(CLI::App &command, std::string &file) {
  command
      .add_option("--trace", file,
                  "write when each kernel and copy ran, for Perfetto or "
                  "Chrome's tracing; without graphs")
      ->check([](const std::string &name) {
        return name.empty() ? "expected the name of a file" : "";
      })
      ->option_text("FILE");
}

/// Whether the name is one that files of a checkpoint have.
static bool isCheckpointFile(const std::string &name) {
  return name.starts_with("model") &&
         (name.ends_with(".safetensors") || name.ends_with(".index.json"));
}

Status mm01::checkOutput(const std::string &output,
                         std::initializer_list<std::string> inputs) {
  std::error_code ignored; // a name of no file is none of another
  for (const std::string &input : inputs) {
    fs::path other = input;
    if (fs::is_directory(input, ignored)) {
      fs::path name = fs::path(output).filename();
      if (!isCheckpointFile(name.string()))
        continue;
      other /= name;
    }
    if (fs::equivalent(output, other, ignored))
      return Status::error(output, ": is read by this command, expected "
                                   "another file to write to");
  }
  return Status();
}
