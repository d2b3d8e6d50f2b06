//===- Commands.h - the subcommands of mm01-run --------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_MM01_RUN_COMMANDS_H
#define MM01_TOOLS_MM01_RUN_COMMANDS_H

#include "frontend/safetensors/Status.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <initializer_list>
#include <string>

namespace mm01 {

/// What the chosen subcommand will do. Parsing only stores it; main runs it,
/// prints the message of an error as one line and exits with 1. Wrong usage is
/// a CLI::Error while parsing: one line and exit code 2. Results go to stdout
/// through stdio or std::cout; main reports a failed write.
using Action = std::function<Status()>;

/// Each adds one subcommand with its options to `app`, whose callback sets
/// `action`. One file a command.
void addInfoCommand(CLI::App &app, Action &action);
void addCallCommand(CLI::App &app, Action &action);
void addGenerateCommand(CLI::App &app, Action &action);
void addLogitsCommand(CLI::App &app, Action &action);
void addBenchCommand(CLI::App &app, Action &action);

/// Options that several commands have.
void addProgramOption(CLI::App &command, std::string &program);
/// --weights: a checkpoint's folder or file, or random:SEED.
CLI::Option *addWeightsOption(CLI::App &command, std::string &weights);
/// --threads, 1 … ThreadPool::maxThreads; the processors of this process when
/// it is not given.
void addThreadsOption(CLI::App &command, int &threads);

/// --graphs=on|off: whether a GPU does decode steps as graphs; on.
void addGraphsOption(CLI::App &command, bool &graphs);

/// --trace FILE.
void addTraceOption(CLI::App &command, std::string &file);

/// Fails if `output` is one of the files that a command reads, or a
/// checkpoint's in a folder that it reads: writing would destroy it.
Status checkOutput(const std::string &output,
                   std::initializer_list<std::string> inputs);

} // namespace mm01

#endif // MM01_TOOLS_MM01_RUN_COMMANDS_H
