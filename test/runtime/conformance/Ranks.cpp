//===- Ranks.cpp - runs the ranks of each implementation ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/conformance/Ranks.h"

#include "test/runtime/conformance/GpuRanks.h"

#include "runtime/ranks/SingleCommunicator.h"
#include "runtime/ranks/ThreadCommunicator.h"

#include <thread>

using namespace mm01;

static void runSingle(int, std::chrono::milliseconds, const test::Body &body) {
  SingleCommunicator communicator("world");
  body(communicator);
}

static void runThreads(int size, std::chrono::milliseconds limit,
                       const test::Body &body) {
  std::vector<std::thread> threads;
  for (auto &rank : ThreadCommunicator::create("world", size, limit))
    threads.emplace_back([&body, rank = std::move(rank)]() mutable {
      body(*rank);
      // A rank that is done leaves, though the thread's object still exists.
      rank.reset();
    });
  for (std::thread &thread : threads)
    thread.join();
}

std::vector<test::World> test::allWorlds() {
  std::vector<World> worlds = {{"single", 1, runSingle},
                               {"threads", 1, runThreads}};
  for (const World &world : gpuWorlds())
    if (world.size == 1)
      worlds.push_back(world);
  for (const World &world : manyRanks())
    worlds.push_back(world);
  return worlds;
}

std::vector<test::World> test::manyRanks() {
  std::vector<World> worlds = {{"threads", 2, runThreads},
                               {"threads", 3, runThreads},
                               {"threads", 8, runThreads}};
  for (const World &world : gpuWorlds())
    if (world.size > 1)
      worlds.push_back(world);
  return worlds;
}

std::string test::worldName(const ::testing::TestParamInfo<World> &info) {
  return info.param.implementation + std::to_string(info.param.size);
}
