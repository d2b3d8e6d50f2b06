//===- DeviceMemoryTest.cpp - memory and copies of every device -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/conformance/Devices.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <thread>

using namespace mm01;
using namespace mm01::test;

namespace {

class DeviceMemoryTest : public DeviceTest {};

/// Nothing, one byte, odd numbers, and more than buffers of copies hold.
constexpr int64_t sizes[] = {
    0, 1, 63, 4097, (int64_t(8) << 20) + 1, (int64_t(17) << 20) + 3};

std::vector<char> bytesFrom(int64_t count, int first) {
  std::vector<char> bytes(count);
  for (int64_t i = 0; i < count; ++i)
    bytes[i] = char((i * 7 + first) % 251);
  return bytes;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(All, DeviceMemoryTest,
                         ::testing::ValuesIn(allDevices()), deviceName);

TEST_P(DeviceMemoryTest, IsAlignedAndApart) {
  struct Piece {
    char *memory;
    int64_t bytes;
  };
  std::vector<Piece> pieces;
  for (int64_t bytes : {0, 1, 64, 65, 100000}) {
    Result<void *> memory = device->allocate(bytes, "a test");
    ASSERT_TRUE(memory.ok()) << memory.message();
    ASSERT_NE(*memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory) % MM01_ALIGNMENT, 0u);
    pieces.push_back({static_cast<char *>(*memory), bytes});
  }
  std::ranges::sort(pieces, {}, &Piece::memory);
  for (size_t i = 1; i < pieces.size(); ++i)
    EXPECT_LE(pieces[i - 1].memory + std::max<int64_t>(pieces[i - 1].bytes, 1),
              pieces[i].memory);
  for (const Piece &piece : pieces)
    device->release(piece.memory);
}

TEST_P(DeviceMemoryTest, RefusesWhatThereIsNot) {
  EXPECT_GT(device->availableMemory(), 0);
  expectWords(device->allocate(INT64_MAX / 2, "the arena").status(),
              {"not enough memory", "the arena", "4611686018427387903"});
  expectWords(device->allocate(-1, "the cache").status(),
              {"not enough memory", "the cache", "-1"});
  // What was refused has no consequences.
  Result<void *> memory = device->allocate(64, "a test");
  ASSERT_TRUE(memory.ok()) << memory.message();
  device->release(*memory);
}

TEST_P(DeviceMemoryTest, TakesBackNothing) {
  device->release(nullptr);
  EXPECT_DONE(device->synchronize());
}

TEST_P(DeviceMemoryTest, CopiesInWithinAndOut) {
  for (int64_t bytes : sizes) {
    const std::vector<char> from = bytesFrom(bytes, 3);
    std::vector<char> to(bytes + 1, 'x');
    DeviceBuffer first, second;
    ASSERT_TRUE(first.reserve(*device, bytes + 1, "a test").ok());
    ASSERT_TRUE(second.reserve(*device, bytes + 1, "a test").ok());
    EXPECT_DONE(device->copyIn(first.data(), from.data(), bytes));
    EXPECT_DONE(device->copyWithin(second.data(), first.data(), bytes));
    EXPECT_DONE(device->copyOut(to.data(), second.data(), bytes));
    // No byte more than was asked for.
    EXPECT_EQ(to.back(), 'x');
    to.pop_back();
    EXPECT_EQ(from, to);
  }
}

TEST_P(DeviceMemoryTest, ReadsTheSourceBeforeItReturns) {
  for (int64_t bytes : sizes) {
    DeviceBuffer memory;
    ASSERT_TRUE(memory.reserve(*device, 3 * bytes, "a test").ok());
    char *there = static_cast<char *>(memory.data());
    std::vector<char> from(bytes), to(3 * bytes);
    for (int i = 0; i < 3; ++i) {
      std::ranges::copy(bytesFrom(bytes, i), from.begin());
      EXPECT_DONE(device->copyIn(there + i * bytes, from.data(), bytes));
      std::ranges::fill(from, '?');
    }
    EXPECT_DONE(device->copyOut(to.data(), there, 3 * bytes));
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(std::ranges::equal(bytesFrom(bytes, i),
                                     std::span(to).subspan(i * bytes, bytes)));
  }
}

// Copies into the middle of memory leave what is around.
TEST_P(DeviceMemoryTest, CopiesParts) {
  std::vector<int64_t> content(100);
  std::iota(content.begin(), content.end(), 0);
  int64_t *x = with(content), *y = with(std::vector<int64_t>(100, -1));
  EXPECT_DONE(device->copyWithin(y + 40, x + 10, 20 * 8));
  const int64_t mark = 77;
  EXPECT_DONE(device->copyIn(y + 50, &mark, 8));
  std::vector<int64_t> expected(100, -1);
  std::iota(expected.begin() + 40, expected.begin() + 60, 10);
  expected[50] = 77;
  EXPECT_EQ(read(y, 100), expected);
}

TEST_P(DeviceMemoryTest, IsReleasedWhenTheWorkBeforeIsDone) {
  const std::vector<int64_t> content(10000, 1);
  int64_t *kept = numbers(10000);
  for (int i = 0; i < 20; ++i) {
    Result<void *> memory = device->allocate(80000, "a test");
    ASSERT_TRUE(memory.ok()) << memory.message();
    auto *x = static_cast<int64_t *>(*memory);
    EXPECT_DONE(device->copyIn(x, content.data(), 80000));
    EXPECT_DONE(step(x, 10000, i));
    EXPECT_DONE(device->copyWithin(kept, x, 80000));
    device->release(x);
  }
  EXPECT_EQ(read(kept, 10000), std::vector<int64_t>(10000, 2 + 19));
}

TEST_P(DeviceMemoryTest, IsTheHostsWhereItSaysSo) {
  int64_t *x = with({5, 6});
  EXPECT_DONE(step(x, 2, 1));
  EXPECT_DONE(device->synchronize());
  if (device->sharesMemory()) {
    EXPECT_EQ(x[0], 11);
    x[1] = 8;
  }
  EXPECT_EQ(read(x, 2)[1], device->sharesMemory() ? 8 : 13);
}

TEST_P(DeviceMemoryTest, ServesOneThreadAfterAnother) {
  int64_t *x = nullptr;
  auto inThread = [](auto body) { std::thread(body).join(); };
  inThread([&] { x = with({1, 2, 3}); });
  inThread([&] { EXPECT_DONE(step(x, 3, 1)); });
  inThread([&] {
    Result<void *> memory = device->allocate(24, "a test");
    ASSERT_TRUE(memory.ok()) << memory.message();
    EXPECT_DONE(device->copyWithin(*memory, x, 24));
    EXPECT_EQ(read(static_cast<int64_t *>(*memory), 3),
              (std::vector<int64_t>{3, 5, 7}));
    device->release(*memory);
  });
  inThread([&] {
    EXPECT_GT(device->availableMemory(), 0);
    EXPECT_DONE(device->mark());
    EXPECT_DONE(device->startTrace());
    EXPECT_DONE(device->finishTrace());
    EXPECT_DONE(device->synchronize());
    buffers.clear();
    device.reset();
  });
}
