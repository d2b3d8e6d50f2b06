//===- Bench.cpp - mm01-run bench -----------------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/mm01-run/Bench.h"

#include "runtime/session/Forward.h"
#include "tools/mm01-run/Commands.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

using namespace mm01;

Result<Settings> Settings::parse(const std::vector<std::string> &words) {
  Settings settings;
  for (const std::string &word : words) {
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    if (equals == std::string::npos || name.empty())
      return Status::error("--set ", word, ": expected NAME=VALUE");
    if (!settings.values.emplace(name, word.substr(equals + 1)).second)
      return Status::error("--set ", name, " is given twice");
  }
  return settings;
}

Result<int64_t> Settings::integer(const std::string &name,
                                  std::optional<int64_t> fallback, int64_t low,
                                  int64_t high) {
  known.insert(name);
  auto it = values.find(name);
  if (it == values.end()) {
    if (fallback)
      return *fallback;
    return Status::error(name, " is not given, expected --set ", name, "=", low,
                         "…", high);
  }
  const std::string &text = it->second;
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low ||
      value > high)
    return Status::error("--set ", name, "=", text,
                         ": expected a whole number from ", low, " to ", high);
  return value;
}

Result<double> Settings::number(const std::string &name, double fallback) {
  known.insert(name);
  auto it = values.find(name);
  if (it == values.end())
    return fallback;
  const std::string &text = it->second;
  double value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !std::isfinite(value))
    return Status::error("--set ", name, "=", text, ": expected a number");
  return value;
}

Status Settings::checkAllKnown() const {
  for (const auto &[name, value] : values)
    if (!known.contains(name)) {
      std::string names;
      for (const std::string &other : known)
        names += (names.empty() ? "" : ", ") + other;
      return Status::error("--set ", name, "=", value,
                           ": no such setting, expected one of ", names);
    }
  return Status();
}

Result<Repetition> Repetition::read(Settings &settings) {
  Result<int64_t> iterations = settings.integer("iterations", 10, 1, 1000000);
  MM01_RETURN_IF_FAILED(iterations);
  Result<int64_t> warmup = settings.integer("warmup", 2, 0, 1000000);
  MM01_RETURN_IF_FAILED(warmup);
  return Repetition{*iterations, *warmup};
}

Result<std::vector<double>>
Repetition::measure(Device &device, const std::function<Status()> &prepare,
                    const std::function<Status()> &body) {
  struct Marks {
    size_t begin, end;
  };
  std::vector<Marks> marks;
  Progress progress("bench");
  for (int64_t i = 0; i < warmup + iterations; ++i) {
    MM01_RETURN_IF_FAILED(prepare());
    Result<size_t> begin = device.mark();
    MM01_RETURN_IF_FAILED(begin);
    MM01_RETURN_IF_FAILED(body());
    Result<size_t> end = device.mark();
    MM01_RETURN_IF_FAILED(end);
    if (i >= warmup)
      marks.push_back({*begin, *end});
    progress.show(i + 1, warmup + iterations);
  }
  std::vector<double> seconds;
  for (const Marks &mark : marks) {
    Result<double> elapsed = device.secondsBetween(mark.begin, mark.end);
    MM01_RETURN_IF_FAILED(elapsed);
    seconds.push_back(*elapsed);
  }
  return seconds;
}

namespace {

struct BenchFlags {
  std::string program;
  std::string entry;
  std::string weights = "random:0";
  std::vector<std::string> settings;
  int threads = 0;
  bool graphs = true;
  std::string trace;
  bool json = false;
};

/// "threads=2", or "multiprocessors=132" on a GPU.
std::pair<std::string, int> workersOf(const Device &device) {
  return {device.name() == "cpu" ? "threads" : "multiprocessors",
          device.workers()};
}

void report(const BenchFlags &flags, const Model &model,
            const BenchResult &result) {
  auto [workers, count] = workersOf(model.device());
  std::vector<double> sorted = result.seconds;
  std::sort(sorted.begin(), sorted.end());
  size_t middle = sorted.size() / 2;
  double median = sorted.size() % 2 ? sorted[middle]
                                    : (sorted[middle - 1] + sorted[middle]) / 2;
  double rate = median > 0 ? result.tokens / median : 0;
  if (flags.json) {
    nlohmann::ordered_json json = {{"entry", flags.entry}};
    for (const auto &[name, value] : result.sizes)
      json[name] = value;
    json["iterations"] = result.repetition.iterations;
    json["warmup"] = result.repetition.warmup;
    json[workers] = count;
    json["weight_bytes"] = model.weightMemory();
    json["seconds"] = {
        {"median", median}, {"min", sorted.front()}, {"max", sorted.back()}};
    if (result.tokens > 0)
      json["tokens_per_second"] = rate;
    std::printf("%s\n", json.dump().c_str());
    return;
  }
  std::string line = flags.entry + ":";
  for (const auto &[name, value] : result.sizes)
    line += " " + name + "=" + std::to_string(value);
  std::printf("%s %s=%d iterations=%lld\n", line.c_str(), workers.c_str(),
              count, static_cast<long long>(result.repetition.iterations));
  std::printf("median %.3f ms, min %.3f ms, max %.3f ms\n", median * 1e3,
              sorted.front() * 1e3, sorted.back() * 1e3);
  if (result.tokens > 0)
    std::printf("%.1f tokens/s\n", rate);
}

Status runBench(const BenchFlags &flags, Settings settings) {
  Result<Tracing> tracing =
      Tracing::create(flags.trace, {flags.program, flags.weights});
  MM01_RETURN_IF_FAILED(tracing);
  Result<std::unique_ptr<Model>> model =
      Model::open(flags.program, flags.weights, flags.threads);
  MM01_RETURN_IF_FAILED(model);
  const Manifest &manifest = (*model)->program().manifest();
  Result<size_t> entry = manifest.findEntry(flags.entry);
  if (entry.failed())
    return Status::error(flags.program, ": ", entry.message());
  MM01_RETURN_IF_FAILED(tracing->start((*model)->device()));
  Result<BenchResult> result =
      looksLikeForward(manifest.entries[*entry])
          ? benchForward(**model, flags.entry, flags.graphs, settings)
          : benchEntry(**model, *entry, flags.graphs, settings);
  MM01_RETURN_IF_FAILED(result);
  MM01_RETURN_IF_FAILED(tracing->finish((*model)->device()));
  report(flags, **model, *result);
  return Status();
}

} // namespace

void mm01::addBenchCommand(CLI::App &app, Action &action) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App *command = app.add_subcommand("bench", "time an entry");
  addProgramOption(*command, flags->program);
  command->add_option("--entry", flags->entry, "the entry to call")->required();
  addWeightsOption(*command, flags->weights)->capture_default_str();
  command
      ->add_option("--set", flags->settings,
                   "NAME=VALUE: iterations, warmup; tokens (of each sequence), "
                   "sequences, singles (further ones of one token), past; for "
                   "an entry that is no model, "
                   "repeat (calls of an iteration), arg0.dim0, … for each "
                   "dynamic extent and arg0, … for "
                   "scalars; may be repeated")
      ->allow_extra_args(false);
  addThreadsOption(*command, flags->threads);
  addGraphsOption(*command, flags->graphs);
  addTraceOption(*command, flags->trace);
  command->add_flag("--json", flags->json, "print JSON");
  command->callback([=, &action] {
    Result<Settings> settings = Settings::parse(flags->settings);
    if (settings.failed())
      throw CLI::ValidationError(settings.message());
    action = [flags, settings = *settings] {
      return runBench(*flags, settings);
    };
  });
}
