//===- main.cpp - runs compiled programs ---------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the command line, runs the chosen command and turns what went wrong
// into one line and an exit code: 1 when the input is at fault, 2 for wrong
// usage.
//
//===----------------------------------------------------------------------===//

#include "tools/mm01-run/Commands.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <new>
#include <unistd.h>

using namespace mm01;

namespace {

constexpr int inputAtFault = 1;
constexpr int wrongUsage = 2;

int report(const Status &status, int code) {
  std::fprintf(stderr, "mm01-run: error: %s\n", status.message().c_str());
  return code;
}

/// A file opened later must not get the number of a closed standard stream:
/// results would be printed into it. Writing to the replacement of stdout
/// fails, as writing to a closed one would.
void occupyStandardStreams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0 &&
        ::open("/dev/null", descriptor == 2 ? O_WRONLY : O_RDONLY) < 0)
      return;
}

/// Flushes stdout; a full disk or a closed pipe is noticed only here.
Status flushResults() {
  errno = 0;
  std::cout.flush();
  bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) || !std::cout;
  if (!failed)
    return {};
  return Status::error("standard output: cannot write: ",
                       errno ? std::strerror(errno)
                             : "an earlier write failed");
}

Status run(const Action &action) {
  try {
    return action();
  } catch (const std::bad_alloc &) {
    return Status::error("out of memory");
  } catch (const std::exception &error) {
    return Status::error("internal error: ", error.what());
  }
}

int parseAndRun(int argc, char **argv) {
  CLI::App app("Runs programs that mm01-compile made.", "mm01-run");
  // At most one. Asking for one here would hide a misspelt command's name.
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", "mm01-run " MM01_VERSION);
  app.set_help_flag("-h,--help", "print this help and exit");
  Action action;
  addInfoCommand(app, action);
  addCallCommand(app, action);
  addGenerateCommand(app, action);
  addLogitsCommand(app, action);
  addBenchCommand(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Error &error) {
    if (error.get_exit_code() != 0)
      return report(Status::error(error.what(), " (see mm01-run --help)"),
                    wrongUsage);
    app.exit(error); // prints the help or the version
    action = [] { return Status(); };
  }
  if (!action)
    return report(Status::error("expected a command (see mm01-run --help)"),
                  wrongUsage);
  Status status = run(action);
  // A command that failed has printed nothing more than is already out.
  if (Status flushed = flushResults(); status.ok())
    status = flushed;
  return status.ok() ? 0 : report(status, inputAtFault);
}

} // namespace

int main(int argc, char **argv) {
  occupyStandardStreams();
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return parseAndRun(argc, argv);
  } catch (const std::exception &error) {
    return report(Status::error("internal error: ", error.what()),
                  inputAtFault);
  }
}
