//===- DeviceCaptureTest.cpp - captured work of a device ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/conformance/Devices.h"

using namespace mm01;
using namespace mm01::test;

namespace {

class DeviceCaptureTest : public DeviceTest {};

} // namespace

INSTANTIATE_TEST_SUITE_P(Gpus, DeviceCaptureTest,
                         ::testing::ValuesIn(gpuDevices()), deviceName);

TEST_P(DeviceCaptureTest, KeepsWorkInsteadOfDoingIt) {
  int64_t *x = with({1}), *y = with({0});
  EXPECT_DONE(step(x, 1, 0)); // has run before
  Result<std::unique_ptr<DeviceGraph>> graph = device->capture([&] {
    EXPECT_DONE(step(x, 1, 5));
    EXPECT_DONE(device->copyWithin(y, x, 8));
    return step(x, 1, 1);
  });
  ASSERT_TRUE(graph.ok()) << graph.message();
  EXPECT_EQ(read(x, 1)[0], 2);
  EXPECT_EQ(read(y, 1)[0], 0);
  int64_t value = 2;
  for (int i = 0; i < 4; ++i) {
    EXPECT_DONE(device->replay(**graph));
    EXPECT_EQ(read(y, 1)[0], 2 * value + 5);
    value = 2 * (2 * value + 5) + 1;
    // Among launches it has its place.
    EXPECT_DONE(step(x, 1, -i));
    value = 2 * value - i;
  }
  EXPECT_EQ(read(x, 1)[0], value);
}

TEST_P(DeviceCaptureTest, KeepsSeveralGraphs) {
  int64_t *x = with({1});
  EXPECT_DONE(step(x, 1, 0));
  auto first = device->capture([&] { return step(x, 1, 1); });
  auto second = device->capture([&] { return step(x, 1, 10); });
  auto nothing = device->capture([] { return Status(); });
  ASSERT_TRUE(first.ok() && second.ok() && nothing.ok());
  EXPECT_DONE(device->replay(**second));
  EXPECT_DONE(device->replay(**nothing));
  EXPECT_DONE(device->replay(**first));
  EXPECT_EQ(read(x, 1)[0], 2 * (2 * 2 + 10) + 1);
  *first = nullptr;
  EXPECT_DONE(device->replay(**second));
  EXPECT_EQ(read(x, 1)[0], 2 * 29 + 10);
}

TEST_P(DeviceCaptureTest, RefusesCopiesAndWaitingMeanwhile) {
  int64_t *x = with({1});
  EXPECT_DONE(step(x, 1, 0));
  int64_t number = 7;
  struct Case {
    const char *words;
    std::function<Status()> work;
  };
  const Case cases[] = {
      {"from the host", [&] { return device->copyIn(x, &number, 8); }},
      {"to the host", [&] { return device->copyOut(&number, x, 8); }},
      {"waiting", [&] { return device->synchronize(); }},
      {"mark", [&] { return device->mark().status(); }},
      {"trace", [&] { return device->startTrace(); }},
      {"a capture",
       [&] { return device->capture([] { return Status(); }).status(); }}};
  for (const Case &each : cases) {
    auto graph = device->capture([&] {
      EXPECT_DONE(step(x, 1, 1));
      return each.work();
    });
    expectWords(graph.status(), {each.words, "captured"});
    // Nothing was done, and all goes on as before.
    EXPECT_EQ(number, 7);
    EXPECT_EQ(read(x, 1)[0], 2);
  }
  EXPECT_DONE(device->copyIn(x, &number, 8));
  EXPECT_DONE(step(x, 1, 0));
  EXPECT_EQ(read(x, 1)[0], 14);
}

TEST_P(DeviceCaptureTest, FailsWithItsWork) {
  int64_t *x = with({1});
  EXPECT_DONE(step(x, 1, 0));
  auto graph = device->capture([&] {
    EXPECT_DONE(step(x, 1, 1));
    return Status::error("the work gave up");
  });
  EXPECT_EQ(graph.message(), "the work gave up");
  EXPECT_EQ(read(x, 1)[0], 2);
}

// A graph is one piece, which a trace has no times for: what captures asks
// first.
TEST_P(DeviceCaptureTest, CapturesNothingInATrace) {
  int64_t *x = with({1});
  EXPECT_DONE(step(x, 1, 0));
  auto before = device->capture([&] { return step(x, 1, 1); });
  ASSERT_TRUE(before.ok()) << before.message();
  EXPECT_DONE(device->startTrace());
  EXPECT_FALSE(device->canCapture());
  expectWords(device->capture([&] { return step(x, 1, 1); }).status(),
              {"cannot capture", "trace"});
  EXPECT_DONE(device->replay(**before));
  Result<Trace> trace = device->finishTrace();
  ASSERT_TRUE(trace.ok()) << trace.message();
  ASSERT_EQ(trace->size(), 1u);
  EXPECT_EQ(trace->front().name, "graph");
  EXPECT_TRUE(device->canCapture());
  EXPECT_EQ(read(x, 1)[0], 5);
}
