//===- DeviceBranchesTest.cpp - branches of work of every device ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/conformance/Devices.h"

#include <algorithm>
#include <functional>
#include <set>

using namespace mm01;
using namespace mm01::test;

namespace {

class DeviceBranchesTest : public DeviceTest {
protected:
  /// 2 x + add, on each of the numbers, by a branch of its own; `grids` are
  /// those of the launches.
  Status stepBeside(const std::vector<int64_t *> &numbers,
                    const std::vector<int64_t> &grids, int64_t add) {
    MM01_RETURN_IF_FAILED(device->fork());
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (i > 0)
        MM01_RETURN_IF_FAILED(device->nextBranch());
      MM01_RETURN_IF_FAILED(step(numbers[i], 1, add, grids[i]));
      MM01_RETURN_IF_FAILED(step(numbers[i], 1, 0, grids[i]));
    }
    return device->join();
  }
};

class GpuBranchesTest : public DeviceBranchesTest {};

} // namespace

INSTANTIATE_TEST_SUITE_P(All, DeviceBranchesTest,
                         ::testing::ValuesIn(allDevices()), deviceName);
INSTANTIATE_TEST_SUITE_P(Gpus, GpuBranchesTest,
                         ::testing::ValuesIn(gpuDevices()), deviceName);

// Branches see what was before the fork, and what is behind the join sees all
// of them, whichever of them have nothing to do.
TEST_P(DeviceBranchesTest, ComeBetweenWhatIsBeforeAndBehind) {
  for (int nothing = 0; nothing < 8; ++nothing) {
    std::vector<int64_t> grids, expected;
    for (int i = 0; i < 3; ++i)
      grids.push_back((nothing >> i & 1) ? 0 : 1);
    int64_t *x = with({1, 1, 1}), *y = numbers(3);
    EXPECT_DONE(step(x, 3, 1));
    EXPECT_DONE(stepBeside({x, x + 1, x + 2}, grids, 5));
    EXPECT_DONE(device->copyWithin(y, x, 3 * 8));
    EXPECT_DONE(stepBeside({x, x + 1, x + 2}, grids, 7));
    for (int64_t grid : grids)
      expected.push_back(grid ? 2 * (2 * 3 + 5) : 3);
    EXPECT_EQ(read(y, 3), expected) << nothing;
    for (int i = 0; i < 3; ++i)
      expected[i] = grids[i] ? 2 * (2 * expected[i] + 7) : 3;
    EXPECT_EQ(read(x, 3), expected) << nothing;
  }
}

// A graph has all branches, and gives what they give without one.
TEST_P(GpuBranchesTest, AreCaptured) {
  int64_t *x = with({1, 2, 3});
  EXPECT_DONE(step(x, 3, 0));
  auto work = [&]() -> Status {
    MM01_RETURN_IF_FAILED(step(x, 3, 1));
    MM01_RETURN_IF_FAILED(stepBeside({x, x + 1, x + 2}, {1, 1, 1}, 5));
    return step(x, 3, 2);
  };
  auto graph = device->capture(work);
  ASSERT_TRUE(graph.ok()) << graph.message();
  EXPECT_EQ(read(x, 3), (std::vector<int64_t>{2, 4, 6}));
  EXPECT_DONE(device->replay(**graph));
  auto after = [](int64_t value) {
    return 2 * (2 * (2 * (2 * value + 1) + 5)) + 2;
  };
  EXPECT_EQ(read(x, 3), (std::vector<int64_t>{after(2), after(4), after(6)}));
  EXPECT_DONE(work());
  EXPECT_DONE(device->replay(**graph));
  std::vector<int64_t> expected;
  for (int64_t value : {2, 4, 6})
    expected.push_back(after(after(after(value))));
  EXPECT_EQ(read(x, 3), expected);
}

// What fails inside leaves no branch open.
TEST_P(GpuBranchesTest, EndAfterAFailure) {
  int64_t *x = with({1, 1});
  EXPECT_DONE(step(x, 2, 0));
  struct Case {
    const char *words;
    std::function<Status()> work;
  };
  const Case cases[] = {
      {"no launch", [&] { return device->copyWithin(x, x + 1, 8); }},
      {"branches inside of branches", [&] { return device->fork(); }},
  };
  for (const Case &each : cases) {
    EXPECT_DONE(device->fork());
    EXPECT_DONE(step(x, 1, 0));
    EXPECT_DONE(device->nextBranch());
    EXPECT_DONE(step(x + 1, 1, 0));
    expectWords(each.work(), {each.words});
    EXPECT_DONE(device->join());
    auto graph = device->capture([&]() -> Status {
      EXPECT_DONE(device->fork());
      EXPECT_DONE(step(x, 1, 0));
      EXPECT_DONE(device->nextBranch());
      EXPECT_DONE(step(x + 1, 1, 0));
      Status status = each.work();
      EXPECT_DONE(device->join());
      return status;
    });
    expectWords(graph.status(), {each.words});
  }
  EXPECT_EQ(read(x, 2), (std::vector<int64_t>{8, 8}));
  expectWords(device->nextBranch(), {"without a fork"});
  expectWords(device->join(), {"without a fork"});
}

// A trace says what ran beside what.
TEST_P(GpuBranchesTest, AreTracedByStream) {
  int64_t *x = with({1, 1, 1});
  EXPECT_DONE(device->startTrace());
  EXPECT_DONE(stepBeside({x, x + 1, x + 2}, {0, 1, 1}, 5));
  EXPECT_DONE(step(x, 1, 0));
  Result<Trace> trace = device->finishTrace();
  ASSERT_TRUE(trace.ok()) << trace.message();
  std::multiset<size_t> streams;
  for (const TraceEvent &event : *trace)
    streams.insert(event.stream);
  // The first that has work stays on the main stream.
  EXPECT_EQ(streams, (std::multiset<size_t>{0, 0, 0, 1, 1}));
  EXPECT_TRUE(std::ranges::is_sorted(*trace, {}, &TraceEvent::begin));
}
