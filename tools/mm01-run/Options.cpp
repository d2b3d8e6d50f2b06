//===- Options.cpp - options that several commands have ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/ThreadPool.h"
#include "tools/mm01-run/Commands.h"

using namespace mm01;

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
