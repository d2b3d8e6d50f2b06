//===- Bench.h - what the two kinds of benchmark share --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_MM01_RUN_BENCH_H
#define MM01_TOOLS_MM01_RUN_BENCH_H

#include "tools/mm01-run/Model.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mm01 {

/// The `--set NAME=VALUE` of a command line. Whoever reads a name makes it
/// known; a name that nobody reads is an error.
class Settings {
public:
  /// Each of `words` is NAME=VALUE; refuses a name given twice.
  static Result<Settings> parse(const std::vector<std::string> &words);

  /// The whole number of this name, within [low, high]; `fallback` when it is
  /// not given, and an error when there is no fallback either.
  Result<int64_t> integer(const std::string &name,
                          std::optional<int64_t> fallback, int64_t low,
                          int64_t high);
  /// The number of this name, `fallback` when it is not given.
  Result<double> number(const std::string &name, double fallback);

  /// Fails when a name was given that nobody has read; lists those that are
  /// known.
  Status checkAllKnown() const;

private:
  std::map<std::string, std::string> values;
  std::set<std::string> known;
};

/// How a benchmark is repeated: the settings iterations and warmup.
struct Repetition {
  int64_t iterations = 0;
  int64_t warmup = 0;

  static Result<Repetition> read(Settings &settings);

  /// The seconds that each of `iterations` calls of `body` took by the device's
  /// clock, after `warmup` calls that are not counted. `prepare` runs before
  /// each, untimed. Where calls return early, the next is made meanwhile.
  Result<std::vector<double>> measure(Device &device,
                                      const std::function<Status()> &prepare,
                                      const std::function<Status()> &body);
};

/// What was measured.
struct BenchResult {
  Repetition repetition;
  std::vector<double> seconds; ///< of each iteration
  int64_t tokens = 0;          ///< of one iteration; 0: not counted in tokens
  /// What was run: sizes by their setting's name.
  std::vector<std::pair<std::string, int64_t>> sizes;
};

/// One ragged step of `sequences` sequences with `tokens` tokens each after
/// `past` tokens, all of it through a session, so the caches really hold them.
/// `graphs` as SessionOptions has it.
Result<BenchResult> benchForward(Model &model, const std::string &entry,
                                 bool graphs, Settings &settings);

/// Any entry, with random arguments of the extents that the settings give. An
/// iteration is `repeat` calls, whose time is divided by their number; with
/// `graphs`, they are one graph where the device can capture them.
Result<BenchResult> benchEntry(Model &model, size_t entry, bool graphs,
                               Settings &settings);

} // namespace mm01

#endif // MM01_TOOLS_MM01_RUN_BENCH_H
