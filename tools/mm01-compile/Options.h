//===- Options.h - the command line of mm01-compile -------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_MM01COMPILE_OPTIONS_H
#define MM01_TOOLS_MM01COMPILE_OPTIONS_H

#include "passes/pipelines/Phase.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mm01 {

struct CompileOptions {
  std::string input;
  std::string output;  // empty: standard output, for compileTo alone
  std::string dumpDir; // empty: none
  std::string mcpu = "native";
  std::string target = "cpu";
  std::string chip; // empty: as the input says
  std::string mode = "inference";
  std::string quantize = "none";
  std::optional<int64_t> maxTokens;               // T of a call, at most
  std::optional<int64_t> maxSequences;            // N of a call, at most
  std::optional<Phase> compileTo;                 // nothing: a whole program
  std::vector<std::string> assignments;           // KEY=VALUE of --set
  std::optional<std::vector<std::string>> fusion; // nothing: as the input says
  bool givenRoutes = false; // forward takes the experts of each token
  bool listPresets = false;
};

/// Parses the command line. Prints help or version and exits 0 where asked
/// for; fails with one line for wrong usage.
std::optional<CompileOptions> parseCommandLine(int argc, char **argv,
                                               std::string &error);

} // namespace mm01

#endif // MM01_TOOLS_MM01COMPILE_OPTIONS_H
