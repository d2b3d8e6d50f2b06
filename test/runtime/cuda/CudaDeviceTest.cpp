//===- CudaDeviceTest.cpp - a GPU behind a driver that is none ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaDevice.h"
#include "runtime/core/DeviceMemory.h"
#include "runtime/core/Ragged.h"
#include "runtime/cpu/CpuDevice.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace mm01;

namespace {

/// What every device does with memory.
class DeviceMemory : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (GetParam() == "cpu") {
      device = std::make_unique<CpuDevice>(1);
      return;
    }
    Result<std::unique_ptr<CudaDevice>> opened = CudaDevice::open();
    ASSERT_TRUE(opened.ok()) << opened.message();
    device = *std::move(opened);
  }

  std::unique_ptr<Device> device;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, DeviceMemory,
                         ::testing::Values("cpu", "sm_90a"),
                         [](const auto &info) { return info.param; });

TEST_P(DeviceMemory, CopiesInWithinAndOut) {
  // Nothing, one byte, and more than the buffers that copies go through.
  for (int64_t bytes : {int64_t(0), int64_t(1), (int64_t(17) << 20) + 3}) {
    std::vector<char> from(bytes), to(bytes, 'x');
    std::iota(from.begin(), from.end(), 0);
    DeviceBuffer first, second;
    ASSERT_TRUE(first.reserve(*device, bytes + 1, "a test").ok());
    ASSERT_TRUE(second.reserve(*device, bytes + 1, "a test").ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first.data()) % MM01_ALIGNMENT, 0u);
    ASSERT_TRUE(device->copyIn(first.data(), from.data(), bytes).ok());
    ASSERT_TRUE(device->copyWithin(second.data(), first.data(), bytes).ok());
    ASSERT_TRUE(device->copyOut(to.data(), second.data(), bytes).ok());
    EXPECT_EQ(from, to);
  }
}

TEST_P(DeviceMemory, GrowsAndMoves) {
  DeviceBuffer buffer;
  ASSERT_TRUE(buffer.reserve(*device, 100, "a test").ok());
  void *memory = buffer.data();
  ASSERT_TRUE(buffer.reserve(*device, 50, "a test").ok());
  EXPECT_EQ(buffer.data(), memory);
  DeviceBuffer other = std::move(buffer);
  EXPECT_EQ(other.data(), memory);
  EXPECT_EQ(buffer.data(), nullptr);
  ASSERT_TRUE(other.reserve(*device, 1000, "a test").ok());
  EXPECT_EQ(other.capacity(), 1000);
}

TEST_P(DeviceMemory, RefusesWhatItHasNot) {
  DeviceBuffer buffer;
  Status status = buffer.reserve(*device, INT64_MAX / 2, "the arena");
  ASSERT_TRUE(status.failed());
  for (const char *words :
       {"not enough memory", "the arena", "4611686018427387903"})
    EXPECT_NE(status.message().find(words), std::string::npos)
        << status.message();
  // A failed buffer is as good as new.
  EXPECT_TRUE(buffer.reserve(*device, 64, "the arena").ok());
}

TEST_P(DeviceMemory, ShowsBytesBothWays) {
  const char text[] = "sixteen bytes it";
  DeviceBuffer there;
  Result<const void *> shown =
      showToDevice(*device, text, sizeof(text), "a test", there);
  ASSERT_TRUE(shown.ok()) << shown.message();
  EXPECT_EQ(*shown == text, device->sharesMemory());
  AlignedBuffer here;
  Result<const void *> back =
      showToHost(*device, *shown, sizeof(text), "a test", here);
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_STREQ(static_cast<const char *>(*back), text);
}

TEST_P(DeviceMemory, CopiesRaggedBatches) {
  RaggedLimits limits;
  Result<RaggedBatch> batch =
      RaggedBatch::create({0, 2, 3}, {5, 64}, {1, 0}, {7, 9, 4, 3}, limits);
  ASSERT_TRUE(batch.ok()) << batch.message();
  DeviceBuffer memory;
  ASSERT_TRUE(batch->copyTo(*device, memory).ok());
  const mm01_ragged *host = batch->get();
  if (device->sharesMemory()) {
    EXPECT_EQ(host->device, nullptr);
    return;
  }
  mm01_ragged there;
  ASSERT_TRUE(device->copyOut(&there, host->device, sizeof(there)).ok());
  EXPECT_EQ(there.tokens, 3);
  EXPECT_EQ(there.sequences, 2);
  EXPECT_EQ(there.pages, 2);
  EXPECT_EQ(there.device, nullptr);
  auto expectEqual = [&](const int32_t *array, const int32_t *expected,
                         size_t count) {
    std::vector<int32_t> found(count);
    ASSERT_TRUE(device->copyOut(found.data(), array, count * 4).ok());
    EXPECT_EQ(found, std::vector<int32_t>(expected, expected + count));
  };
  expectEqual(there.seq_offsets, host->seq_offsets, 3);
  expectEqual(there.past, host->past, 2);
  expectEqual(there.slot, host->slot, 2);
  expectEqual(there.page_table, host->page_table, 4);
  expectEqual(there.token_sequence, host->token_sequence, 3);
  expectEqual(there.token_position, host->token_position, 3);
}

TEST_P(DeviceMemory, MarksTime) {
  Result<size_t> begin = device->mark(), end = device->mark();
  ASSERT_TRUE(begin.ok() && end.ok());
  EXPECT_EQ(*end, *begin + 1);
  Result<double> seconds = device->secondsBetween(*begin, *end);
  ASSERT_TRUE(seconds.ok()) << seconds.message();
  EXPECT_GE(*seconds, 0);
}

TEST_P(DeviceMemory, RunsHostWorkInParallel) {
  std::vector<int> done(1000);
  device->parallelFor(1000, [&](int64_t i) { ++done[i]; });
  EXPECT_EQ(done, std::vector<int>(1000, 1));
  device->parallelFor(0, [&](int64_t) { FAIL(); });
}
