//===- Info.cpp - mm01-run info ------------------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Program.h"
#include "tools/mm01-run/Commands.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <map>

using namespace mm01;

namespace {

struct Options {
  std::string program;
  bool json = false;
};

/// 1234567 as "1,234,567".
std::string thousands(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(digits.begin() + at, ',');
  return digits;
}

std::string typeText(const std::vector<int64_t> &shape, ElementType type) {
  return concat(shapeText(shape), ' ', elementName(type));
}

void printArguments(const EntrySpec &entry) {
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const ArgumentSpec &argument = entry.arguments[i];
    if (argument.kind == ArgumentKind::Weight)
      continue;
    std::cout << "    argument " << i << ": ";
    if (!argument.role.empty())
      std::cout << argument.role << ' ';
    if (argument.kind == ArgumentKind::Ragged)
      std::cout << "ragged\n";
    else if (argument.kind == ArgumentKind::Scalar)
      std::cout << elementName(argument.type) << '\n';
    else
      std::cout << typeText(argument.shape, argument.type) << '\n';
  }
  int64_t weights = std::ranges::count(entry.arguments, ArgumentKind::Weight,
                                       &ArgumentSpec::kind);
  if (weights)
    std::cout << "    weights: " << thousands(weights) << '\n';
}

void printResults(const EntrySpec &entry) {
  for (size_t i = 0; i < entry.results.size(); ++i) {
    const ResultSpec &result = entry.results[i];
    std::cout << "    result " << i << ": ";
    if (!result.role.empty())
      std::cout << result.role << ' ';
    if (result.kind == ResultKind::Tied)
      std::cout << "in argument " << result.argument << '\n';
    else
      std::cout << typeText(result.shape, result.type) << '\n';
  }
}

/// How many elements of the parameters have each type in memory, and the type
/// in the checkpoint that int8 ones are made of.
void printParameters(const Manifest &manifest) {
  std::cout << "parameters: " << thousands(manifest.parameterCount) << '\n';
  std::map<std::string, int64_t> counts;
  for (const ParameterSpec &parameter : manifest.parameters) {
    std::string type(elementName(parameter.type));
    if (parameter.isQuantized())
      type += concat(" of ", elementName(parameter.stored));
    counts[type] += parameter.partCount() * parameter.partBytes() /
                    elementBytes(parameter.type);
  }
  for (const auto &[type, count] : counts)
    std::cout << "  " << type << ": " << thousands(count) << '\n';
}

void print(const Manifest &manifest) {
  std::cout << "target: " << manifest.target;
  if (!manifest.chip.empty())
    std::cout << "\nchip: " << manifest.chip;
  std::cout << "\nisa: " << manifest.isa << "\nmode: " << manifest.mode
            << "\ncompiler: " << manifest.compiler
            << "\nlimits: " << thousands(manifest.maxTokens) << " tokens, "
            << thousands(manifest.maxSequences) << " sequences\n";
  printParameters(manifest);
  if (!manifest.model.empty()) {
    std::cout << "configuration:\n";
    const auto model = nlohmann::json::parse(manifest.model);
    for (const auto &[key, value] : model.items())
      std::cout << "  " << key << ": " << value.dump() << '\n';
  }
  std::cout << "entries:\n";
  for (const EntrySpec &entry : manifest.entries) {
    if (entry.isHelper)
      continue;
    std::cout << "  " << entry.name << '\n';
    printArguments(entry);
    printResults(entry);
  }
}

Status run(const Options &options) {
  Result<Manifest> manifest = Program::readManifest(options.program);
  MM01_RETURN_IF_FAILED(manifest);
  if (options.json)
    std::cout << manifest->text << '\n';
  else
    print(*manifest);
  return {};
}

} // namespace

void mm01::addInfoCommand(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand(
      "info", "Prints what a program is, without loading it.");
  auto options = std::make_shared<Options>();
  addProgramOption(*command, options->program);
  command->add_flag("--json", options->json, "print the manifest as it is");
  command->callback(
      [options, &action] { action = [options] { return run(*options); }; });
}
