//===- DeviceWorkTest.cpp - launches, products and times of every device --===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/conformance/Devices.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>

using namespace mm01;
using namespace mm01::test;

namespace {

class DeviceWorkTest : public DeviceTest {};
class DeviceFailureTest : public DeviceTest {};

} // namespace

INSTANTIATE_TEST_SUITE_P(All, DeviceWorkTest, ::testing::ValuesIn(allDevices()),
                         deviceName);
INSTANTIATE_TEST_SUITE_P(Gpus, DeviceFailureTest,
                         ::testing::ValuesIn(gpuDevices()), deviceName);

TEST_P(DeviceWorkTest, SaysWhatItIs) {
  EXPECT_EQ(device->name(), runsOnHost() ? "cpu" : "sm_90a");
  EXPECT_GE(device->workers(), 1);
}

TEST_P(DeviceWorkTest, RunsEachWorkgroupOnce) {
  for (int64_t grid : {1, 2, 7, 1000}) {
    int64_t *x = with(std::vector<int64_t>(5000, 3));
    EXPECT_DONE(step(x, 5000, 1, grid));
    EXPECT_EQ(read(x, 5000), std::vector<int64_t>(5000, 7)) << grid;
  }
}

TEST_P(DeviceWorkTest, DoesNothingOnAGridOfZero) {
  int64_t *x = with({3});
  EXPECT_DONE(step(x, 1, 1, 0));
  EXPECT_EQ(read(x, 1)[0], 3);
}

// Launches and copies of all kinds, at random: each sees what those before it
// have done, and nothing of those behind it.
TEST_P(DeviceWorkTest, KeepsTheOrder) {
  constexpr int64_t count = 3000;
  std::mt19937 random(1);
  std::vector<int64_t> a(count, 1), b(count, 2), given(count);
  int64_t *x = with(a), *y = with(b);
  for (int i = 0; i < 200; ++i) {
    switch (random() % 5) {
    case 0:
    case 1:
      EXPECT_DONE(step(x, count, i));
      for (int64_t &value : a)
        value = int64_t(uint64_t(value) * 2 + uint64_t(i));
      break;
    case 2:
      EXPECT_DONE(device->copyWithin(y, x, count * 8));
      b = a;
      break;
    case 3:
      EXPECT_DONE(step(y, count / 2, -i));
      for (int64_t &value : std::span(b).first(count / 2))
        value = int64_t(uint64_t(value) * 2 - uint64_t(i));
      std::swap(x, y);
      std::swap(a, b);
      break;
    case 4:
      for (int64_t &value : given)
        value = int64_t(random());
      EXPECT_DONE(device->copyIn(y, given.data(), count * 8));
      b = given;
      break;
    }
    if (i % 40 == 0) {
      ASSERT_EQ(read(x, count), a) << i;
    }
  }
  EXPECT_EQ(read(x, count), a);
  EXPECT_EQ(read(y, count), b);
}

// The number of the launch is read when it is asked for.
TEST_P(DeviceWorkTest, ReadsArgumentsBeforeItReturns) {
  int64_t *x = with({0, 0, 0, 0});
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_DONE(step(x + i, 1, i));
  }
  EXPECT_EQ(read(x, 4), (std::vector<int64_t>{0, 1, 2, 3}));
}

static void needsScratch(const mm01_context *, const void *arguments,
                         void *scratch, int64_t workgroup) {
  auto *wrong = *static_cast<std::atomic<int> *const *>(arguments);
  if (reinterpret_cast<uintptr_t>(scratch) % MM01_ALIGNMENT != 0)
    ++*wrong;
  // Private to the worker: nobody else writes here meanwhile.
  auto *bytes = static_cast<volatile char *>(scratch);
  const char own = char(workgroup + 1);
  for (int i = 0; i < 1000; ++i)
    bytes[i] = own;
  for (int i = 0; i < 1000; ++i)
    if (bytes[i] != own)
      ++*wrong;
}

TEST_P(DeviceWorkTest, GivesKernelsOfTheProcessorTheirScratch) {
  std::atomic<int> wrong = 0;
  std::atomic<int> *arguments = &wrong;
  Status status =
      device->launch({}, needsScratch, "scratchy", 100, &arguments, 1000);
  if (!runsOnHost()) {
    expectWords(status, {"kernel scratchy", "processor"});
    return;
  }
  EXPECT_DONE(status);
  EXPECT_EQ(wrong, 0);
  // Where it is refused, nothing has run.
  wrong = 0;
  static std::atomic<int> runs;
  runs = 0;
  auto count = [](const mm01_context *, const void *, void *, int64_t) {
    ++runs;
  };
  expectWords(device->launch({}, count, "greedy", 100, nullptr, INT64_MAX / 4),
              {"not enough memory", "kernel greedy"});
  EXPECT_EQ(runs, 0);
  EXPECT_DONE(device->launch({}, count, "modest", 100, nullptr, 64));
  EXPECT_EQ(runs, 100);
}

TEST_P(DeviceWorkTest, RefusesKernelsOfOtherDevices) {
  if (!runsOnHost()) {
    mm01_device_kernel kernel = *GetParam().step;
    int64_t *x = with({3});
    const int64_t n = 1, add = 0, negative[3] = {-1, 1, 1}, odd[3] = {3, 1, 1};
    const void *parameters[] = {&x, &n, &add};
    expectWords(device->launchDevice(kernel, negative, parameters, 3),
                {"kernel step", "grid extent 0", "found -1"});
    kernel.cluster[0] = 2;
    expectWords(device->launchDevice(kernel, odd, parameters, 3),
                {"kernel step", "multiple of the cluster's 2", "found 3"});
    EXPECT_EQ(read(x, 1)[0], 3);
    return;
  }
  const mm01_device_kernel kernel = {"alien",     nullptr,   "", 9,
                                     {128, 1, 1}, {1, 1, 1}, 0};
  const int64_t grid[3] = {1, 1, 1};
  expectWords(device->launchDevice(kernel, grid, nullptr, 0),
              {"kernel alien", "a GPU"});
  alignas(MM01_TENSOR_MAP_ALIGNMENT) char map[MM01_TENSOR_MAP_BYTES];
  expectWords(device->encodeTensorMap({}, map), {"tensor map", "processor"});
  expectWords(device->gemmDevice({}), {"product", "processor"});
}

TEST_P(DeviceWorkTest, CapturesOrSaysThatItDoesNot) {
  EXPECT_EQ(device->canCapture(), !runsOnHost());
  if (device->canCapture())
    return; // DeviceCaptureTest.cpp
  bool worked = false;
  auto refused = device->capture([&] {
    worked = true;
    return Status();
  });
  expectWords(refused.status(), {"device cpu", "cannot capture"});
  EXPECT_FALSE(worked);
  DeviceGraph none;
  expectWords(device->replay(none), {"device cpu", "cannot capture"});
}

// Rows wider than the matrices; what lies between them stays.
TEST_P(DeviceWorkTest, MultipliesInFloat32OrSaysThatItDoesNot) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> value(-1, 1);
  for (auto [m, n, k] : {std::array<int64_t, 3>{5, 7, 9},
                         {1, 1, 1},
                         {33, 20, 64},
                         {3, 4, 0},
                         {0, 4, 3},
                         {3, 0, 4}})
    for (bool accumulate : {false, true}) {
      const int64_t lda = k + 3, ldb = k + 1, ldc = n + 2;
      std::vector<float> a(m * lda + 1), b(n * ldb + 1), c(m * ldc + 1);
      for (auto *each : {&a, &b, &c})
        for (float &element : *each)
          element = value(random);
      std::vector<double> expected(c.begin(), c.end());
      for (int64_t row = 0; row < m; ++row)
        for (int64_t column = 0; column < n; ++column) {
          double &sum = expected[row * ldc + column];
          sum = accumulate ? sum : 0;
          for (int64_t i = 0; i < k; ++i)
            sum += double(a[row * lda + i]) * b[column * ldb + i];
        }
      const std::vector<float> before = c;
      bool done = device->gemmF32(m, n, k, a.data(), lda, b.data(), ldb,
                                  c.data(), ldc, accumulate);
      EXPECT_EQ(done, runsOnHost());
      if (!done) {
        EXPECT_EQ(c, before);
        continue;
      }
      for (size_t i = 0; i < c.size(); ++i)
        EXPECT_NEAR(c[i], expected[i], 1e-5) << m << 'x' << n << 'x' << k;
    }
}

TEST_P(DeviceWorkTest, RunsHostWorkInParallel) {
  for (int64_t count : {0, 1, 2, 1000}) {
    std::vector<int> done(count);
    device->parallelFor(count, [&](int64_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(count, 1));
  }
}

TEST_P(DeviceWorkTest, MarksTime) {
  int64_t *x = with(std::vector<int64_t>(100000, 1));
  std::vector<size_t> marks;
  for (int i = 0; i < 3; ++i) {
    Result<size_t> mark = device->mark();
    ASSERT_TRUE(mark.ok()) << mark.message();
    EXPECT_EQ(*mark, size_t(i));
    marks.push_back(*mark);
    for (int launch = 0; launch < 10; ++launch)
      EXPECT_DONE(step(x, 100000, 1));
  }
  // Of the last, which may not have passed yet.
  Result<double> all = device->secondsBetween(marks[0], marks[2]);
  Result<double> first = device->secondsBetween(marks[0], marks[1]);
  Result<double> second = device->secondsBetween(marks[1], marks[2]);
  ASSERT_TRUE(all.ok() && first.ok() && second.ok());
  EXPECT_GT(*first, 0);
  EXPECT_GT(*second, 0);
  EXPECT_NEAR(*all, *first + *second, 1e-5 + *all * 1e-3);
  expectWords(device->secondsBetween(0, 7).status(), {"mark 7 of 3"});
}

TEST_P(DeviceWorkTest, TracesWhatItDoes) {
  // Without a trace there is nothing to finish.
  Result<Trace> none = device->finishTrace();
  ASSERT_TRUE(none.ok()) << none.message();
  EXPECT_TRUE(none->empty());

  int64_t *x = with(std::vector<int64_t>(100, 1)), *y = numbers(100);
  for (int round = 0; round < 2; ++round) {
    EXPECT_DONE(step(x, 100, 1)); // before it
    EXPECT_DONE(device->startTrace());
    const std::vector<int64_t> given(50, 4);
    EXPECT_DONE(device->copyIn(y, given.data(), 400));
    EXPECT_DONE(step(x, 100, 1, 5));
    EXPECT_DONE(step(x, 100, 1, 0)); // nothing
    EXPECT_DONE(device->copyIn(y, given.data(), 0));
    EXPECT_DONE(device->copyWithin(y, x, 0));
    EXPECT_DONE(device->copyWithin(y, x, 800));
    read(y, 100);
    Result<Trace> trace = device->finishTrace();
    ASSERT_TRUE(trace.ok()) << trace.message();
    struct Expected {
      TraceEvent::Kind kind;
      std::string name;
      int64_t size;
    };
    const std::vector<Expected> expected = {
        {TraceEvent::Kind::CopyIn, "", 400},
        {TraceEvent::Kind::Kernel, "step", 5},
        {TraceEvent::Kind::CopyWithin, "", 800},
        {TraceEvent::Kind::CopyOut, "", 800}};
    ASSERT_EQ(trace->size(), expected.size());
    double end = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      const TraceEvent &event = (*trace)[i];
      EXPECT_EQ(event.kind, expected[i].kind) << i;
      EXPECT_EQ(event.name, expected[i].name) << i;
      EXPECT_EQ(event.size, expected[i].size) << i;
      // One after another; the clock of a GPU has steps of half a microsecond.
      EXPECT_GE(event.begin, end - 1e-6) << i;
      EXPECT_GE(event.seconds, 0) << i;
      end = event.begin + event.seconds;
    }
  }
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

namespace {

/// A process of its own for what makes a GPU useless to the process.
void expectInChild(const std::function<void()> &body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        body();
        std::exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

} // namespace

TEST_P(DeviceFailureTest, AreReportedByWhoeverWaits) {
  expectInChild([&] {
    int64_t *x = with({1, 2});
    ASSERT_TRUE(device->mark().ok());
    setenv("FAKE_CUDA", "broken", 1);
    const int64_t grid[3] = {1, 1, 1};
    const void *parameters[] = {&x};
    EXPECT_DONE(device->launchDevice(*GetParam().broken, grid, parameters, 1));
    setenv("FAKE_CUDA", "", 1);
    expectWords(device->synchronize(), {"failed on the GPU"});
    // Not once, but from then on: who did not wait first must hear of it too.
    int64_t number = 0;
    EXPECT_TRUE(device->copyOut(&number, x, 8).failed());
    expectWords(device->synchronize(), {"failed on the GPU"});
    EXPECT_TRUE(device->mark().failed() ||
                device->secondsBetween(0, 1).failed());
    buffers.clear();
    device.reset();
  });
}

TEST_P(DeviceFailureTest, EndTraces) {
  expectInChild([&] {
    int64_t *x = with({1, 2});
    EXPECT_DONE(device->startTrace());
    setenv("FAKE_CUDA", "broken", 1);
    const int64_t grid[3] = {1, 1, 1};
    const void *parameters[] = {&x};
    EXPECT_DONE(device->launchDevice(*GetParam().broken, grid, parameters, 1));
    expectWords(device->finishTrace().status(), {"failed on the GPU"});
    buffers.clear();
    device.reset();
  });
}
