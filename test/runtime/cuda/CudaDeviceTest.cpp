//===- CudaDeviceTest.cpp - memory of a device, and which GPU it is -------===//
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

using namespace mm01;

namespace {

/// What the runtime does with memory of any device.
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
  // A buffer that was refused is as good as new.
  EXPECT_TRUE(other.reserve(*device, INT64_MAX / 2, "a test").failed());
  EXPECT_EQ(other.data(), nullptr);
  EXPECT_TRUE(other.reserve(*device, 64, "a test").ok());
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
  EXPECT_EQ(there.several, 1);
  expectEqual(there.several_sequence, host->several_sequence, 2);
}

TEST(CudaDevice, IsTheGpuThatWasAskedFor) {
  Result<std::unique_ptr<CudaDevice>> last = CudaDevice::open(7);
  EXPECT_TRUE(last.ok()) << last.message();
  for (int gpu : {-1, 8}) {
    Result<std::unique_ptr<CudaDevice>> none = CudaDevice::open(gpu);
    EXPECT_EQ(none.message(), concat("found GPU ", gpu,
                                     ", expected one of the 8 that this "
                                     "process may see"));
  }
}
