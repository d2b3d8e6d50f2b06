//===- NcclCommunicatorTest.cpp - what NCCL alone can get wrong -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every communicator does is tested in ../conformance. A process has one
// NCCL, so that each other library is one of a child.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/conformance/GpuRanks.h"

#include "runtime/nccl/NcclCommunicator.h"
#include "runtime/ranks/ThreadCommunicator.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <set>
#include <thread>

using namespace mm01;
using namespace mm01::test;
using std::chrono::milliseconds;

namespace {

/// What creating a group of two ranks and summing some times says, a line for
/// each rank.
std::set<std::string> linesOf(int sums, bool secondComes = true) {
  std::mutex mutex;
  std::set<std::string> lines;
  std::vector<std::thread> threads;
  auto hosts = ThreadCommunicator::create("world", 2, milliseconds(300));
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank, host = std::move(hosts[rank])]() mutable {
      Result<std::unique_ptr<CudaDevice>> device = CudaDevice::open(rank);
      Status status = device.status();
      if (rank == 1 && !secondComes)
        return;
      auto made = NcclCommunicator::create(std::move(host), **device,
                                           milliseconds(300));
      status = made.status();
      for (int i = 0; status.ok() && i < sums; ++i) {
        DeviceBuffer x;
        status = x.reserve(**device, 4, "a test");
        const Elements in{x.data(), ElementType::F32, 1};
        if (status.ok())
          status = (*made)->run(
              allReduce(in, {x.data(), in.type, 1}, Reduction::Sum));
      }
      std::lock_guard lock(mutex);
      lines.insert(status.message());
    });
  for (std::thread &thread : threads)
    thread.join();
  return lines;
}

/// Expects that all ranks say the same line in a child with another library.
void expectLine(const char *mode, int sums,
                std::initializer_list<const char *> words,
                bool secondComes = true) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("FAKE_NCCL", mode, 1);
        if (*mode)
          useFakeLibraries();
        const std::set<std::string> lines = linesOf(sums, secondComes);
        EXPECT_EQ(lines.size(), 1u);
        for (const char *word : words)
          EXPECT_NE(lines.begin()->find(word), std::string::npos)
              << "expected '" << word << "' in: " << *lines.begin();
        std::exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

} // namespace

TEST(NcclCommunicatorTest, RefusesOldLibraries) {
  expectLine("old", 0,
             {"group world", "found NCCL 2.10.3", "expected version 2.14.0"});
}

TEST(NcclCommunicatorTest, SaysWhatNcclSays) {
  expectLine("refuse", 0,
             {"group world", "ncclCommInitRankConfig", "it is fake"});
}

TEST(NcclCommunicatorTest, NoticesLostRanks) {
  expectLine("lost", 10, {"group world: all_reduce", "a rank was lost"});
}

TEST(NcclCommunicatorTest, NamesRanksThatDoNotCome) {
  expectLine("whole", 0, {"group world", "rank 0 waits for rank 1"},
             /*secondComes=*/false);
}

TEST(NcclCommunicatorTest, NeedsNccl) {
  for (const char *folder :
       {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"})
    if (dlopen((std::string(folder) + "libnccl.so.2").c_str(), RTLD_LAZY))
      GTEST_SKIP() << "this machine has NCCL";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        if (!dlopen(MM01_FAKE_DRIVER "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL))
          std::exit(1);
        const std::set<std::string> lines = linesOf(0);
        EXPECT_EQ(lines.size(), 1u);
        EXPECT_NE(lines.begin()->find("no NCCL"), std::string::npos);
        std::exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}
