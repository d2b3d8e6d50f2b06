//===- ThreadPoolTest.cpp - jobs on the thread pool ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/CpuDevice.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

using namespace mm01;

namespace {

struct Counts {
  std::vector<std::atomic<int>> hits;
  explicit Counts(size_t count) : hits(count) {}
  static void hit(void *closure, void *, int64_t item) {
    static_cast<Counts *>(closure)->hits[item].fetch_add(1);
  }
};

} // namespace

TEST(ThreadPool, EveryItemOnce) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (int64_t count : {0, 1, 2, 7, 1000}) {
      Counts counts(count);
      EXPECT_TRUE(pool.run(count, Counts::hit, &counts));
      for (auto &hits : counts.hits)
        EXPECT_EQ(hits.load(), 1);
    }
  }
}

// A decode step is hundreds of small jobs in a row: a worker that comes late to
// one must not touch the next. The closures live on the stack, so a stale one
// shows under a sanitizer, and a lost item as a wrong sum.
TEST(ThreadPool, ManySmallJobs) {
  ThreadPool pool(4);
  std::vector<int64_t> sums(8);
  for (int64_t job = 0; job < 20000; ++job) {
    struct Closure {
      std::vector<int64_t> *sums;
      int64_t job;
    } closure{&sums, job};
    auto add = [](void *closure, void *, int64_t item) {
      auto *c = static_cast<Closure *>(closure);
      (*c->sums)[item] += c->job; // items are distinct: no lock needed
    };
    ASSERT_TRUE(pool.run(1 + job % 8, add, &closure));
  }
  int64_t expected = 0;
  for (int64_t job = 0; job < 20000; ++job)
    expected += job * (1 + job % 8);
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), int64_t(0)), expected);
}

// Workers that went to sleep are woken.
TEST(ThreadPool, WakesSleepers) {
  ThreadPool pool(3);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Counts counts(50);
    ASSERT_TRUE(pool.run(50, Counts::hit, &counts));
    for (auto &hits : counts.hits)
      EXPECT_EQ(hits.load(), 1);
  }
}

TEST(ThreadPool, ScratchIsPrivateAndAligned) {
  ThreadPool pool(4);
  constexpr int64_t bytes = 4096;
  std::atomic<int> wrong = 0;
  auto use = [](void *closure, void *scratch, int64_t item) {
    auto *memory = static_cast<unsigned char *>(scratch);
    bool ok = reinterpret_cast<uintptr_t>(scratch) % 64 == 0;
    std::memset(memory, int(item % 251), bytes);
    for (int64_t i = 0; i < bytes; ++i)
      ok &= memory[i] == item % 251;
    if (!ok)
      static_cast<std::atomic<int> *>(closure)->fetch_add(1);
  };
  ASSERT_TRUE(pool.run(500, use, &wrong, bytes));
  EXPECT_EQ(wrong.load(), 0);
}

TEST(ThreadPool, RefusesScratchThatDoesNotFit) {
  ThreadPool pool(2);
  Counts counts(4);
  EXPECT_FALSE(pool.run(4, Counts::hit, &counts, INT64_MAX / 2));
  EXPECT_FALSE(pool.run(1, Counts::hit, &counts, INT64_MAX - 1));
  EXPECT_EQ(counts.hits[0].load(), 0);
  EXPECT_TRUE(pool.run(4, Counts::hit, &counts, 64));
}

TEST(ThreadPool, EntersEveryThread) {
  std::atomic<int> entered = 0;
  {
    ThreadPool pool(5, [&] { entered.fetch_add(1); });
  }
  EXPECT_EQ(entered.load(), 5);
}

TEST(ThreadPool, DefaultFollowsAffinity) {
  EXPECT_GE(ThreadPool::defaultThreads(), 1);
  EXPECT_LE(ThreadPool::defaultThreads(), ThreadPool::maxThreads);
}

TEST(CpuDevice, TracesLaunches) {
  CpuDevice device(2);
  EXPECT_TRUE(device.startTrace().ok());
  mm01_context context{};
  auto nothing = [](const mm01_context *, const void *, void *, int64_t) {};
  EXPECT_TRUE(device.launch(context, nothing, "nothing", 3, nullptr, 0).ok());
  Result<Trace> trace = device.finishTrace();
  EXPECT_TRUE(device.launch(context, nothing, "unseen", 3, nullptr, 0).ok());
  ASSERT_EQ(trace->size(), 1u);
  const TraceEvent &event = trace->front();
  EXPECT_EQ(event.name, "nothing");
  EXPECT_EQ(event.size, 3);
  EXPECT_GE(event.begin, 0);
  EXPECT_GE(event.seconds, 0);
  EXPECT_TRUE(device.finishTrace()->empty());
}

TEST(CpuDevice, GemmOfNoColumnsClears) {
  CpuDevice device(1);
  float a[1] = {1}, b[1] = {1}, c[2] = {5, 6};
  EXPECT_TRUE(device.gemmF32(0, 2, 1, a, 1, b, 1, c, 2, false));
  EXPECT_EQ(c[0], 5);
  EXPECT_TRUE(device.gemmF32(1, 2, 0, a, 1, b, 1, c, 2, true));
  EXPECT_EQ(c[0], 5);
  EXPECT_TRUE(device.gemmF32(1, 2, 0, a, 1, b, 1, c, 2, false));
  EXPECT_EQ(c[0], 0);
  EXPECT_EQ(c[1], 0);
}
