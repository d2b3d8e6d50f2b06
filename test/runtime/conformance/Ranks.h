//===- Ranks.h - runs the ranks of each implementation --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A new communicator joins the conformance suite with a row in Ranks.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TEST_RUNTIME_CONFORMANCE_RANKS_H
#define MM01_TEST_RUNTIME_CONFORMANCE_RANKS_H

#include "runtime/core/Communicator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <ostream>

namespace mm01::test {

/// What one rank does; all do the same.
using Body = std::function<void(Communicator &)>;

/// An implementation, and how many ranks a test has.
struct World {
  const char *implementation;
  int size;
  /// Runs `body` on each rank of a group "world" and returns when all are done.
  void (*run)(int size, std::chrono::milliseconds limit, const Body &body);
  /// A limit that ranks keep unless they stay away.
  std::chrono::milliseconds shortLimit = std::chrono::milliseconds(50);
};

inline void PrintTo(const World &world, std::ostream *out) {
  *out << world.implementation << world.size;
}

std::vector<World> allWorlds();
/// Those with several ranks.
std::vector<World> manyRanks();

class Ranks : public ::testing::TestWithParam<World> {
protected:
  /// Far above what any machine needs.
  void onRanks(const Body &body,
               std::chrono::milliseconds limit = std::chrono::minutes(2)) {
    GetParam().run(size(), limit, body);
  }
  int size() const { return GetParam().size; }
};

std::string worldName(const ::testing::TestParamInfo<World> &info);

/// Elements of a vector, to give and to fill.
template <typename T> Elements in(const std::vector<T> &elements) {
  return Elements::of(std::span(elements));
}
template <typename T> Room out(std::vector<T> &elements) {
  return Room::of(std::span(elements));
}

} // namespace mm01::test

#endif // MM01_TEST_RUNTIME_CONFORMANCE_RANKS_H
