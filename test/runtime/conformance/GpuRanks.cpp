//===- GpuRanks.cpp - runs the ranks of NcclCommunicator ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/conformance/GpuRanks.h"

#include "runtime/nccl/NcclCommunicator.h"
#include "runtime/ranks/ThreadCommunicator.h"

#include <barrier>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>

using namespace mm01;
using namespace mm01::test;
using std::chrono::milliseconds;

namespace {

/// A communicator of buffers of the host, on one of buffers of a device.
class OnDevice final : public Communicator {
public:
  OnDevice(std::unique_ptr<Communicator> inner, CudaDevice &device)
      : Communicator(inner->group(), inner->rank(), inner->size()),
        inner(std::move(inner)), device(device) {}

  Result<std::unique_ptr<Communicator>> split(const std::string &group,
                                              int color, int key) override {
    auto part = inner->split(group, color, key);
    MM01_RETURN_IF_FAILED(part);
    return std::unique_ptr<Communicator>(
        new OnDevice(*std::move(part), device));
  }
  void abandon(const Status &why) override { inner->abandon(why); }
  Status state() const override { return inner->state(); }

private:
  struct Copies {
    DeviceBuffer in, out;
    Pending pending;
  };

  Status post(int64_t number, const Transfer &given) override {
    Copies &copies = started[number];
    Transfer transfer = given;
    auto there = [&](const void *from, int64_t count, DeviceBuffer &copy) {
      const int64_t bytes = count * elementBytes(given.in.type);
      Status status =
          copy.reserve(device, std::max<int64_t>(bytes, 1), "a test");
      return status.ok() ? device.copyIn(copy.data(), from, bytes) : status;
    };
    MM01_RETURN_IF_FAILED(there(given.in.data, given.in.count, copies.in));
    transfer.in.data = copies.in.data();
    transfer.out.data = copies.in.data();
    if (given.out.data != given.in.data) {
      MM01_RETURN_IF_FAILED(there(given.out.data, given.out.count, copies.out));
      transfer.out.data = copies.out.data();
    }
    Result<Pending> pending = inner->start(std::move(transfer));
    MM01_RETURN_IF_FAILED(pending);
    copies.pending = *pending;
    return {};
  }

  Status finish(int64_t number, const Transfer &given) override {
    const Copies copies = std::move(started.extract(number).mapped());
    MM01_RETURN_IF_FAILED(inner->wait(copies.pending));
    if (given.kind == TransferKind::Send)
      return {};
    const DeviceBuffer &out =
        given.out.data == given.in.data ? copies.in : copies.out;
    return device.copyOut(given.out.data, out.data(),
                          given.out.count * elementBytes(given.out.type));
  }

  bool isFinished(int64_t number, const Transfer &) override {
    return inner->isDone(started.at(number).pending);
  }

  std::unique_ptr<Communicator> inner;
  CudaDevice &device;
  std::map<int64_t, Copies> started;
};

void runGpus(int size, milliseconds limit, const Body &body) {
  std::vector<std::thread> threads;
  std::barrier ready(size);
  int gpu = 0;
  for (auto &host : ThreadCommunicator::create("world", size, limit))
    threads.emplace_back([&, gpu = gpu++, host = std::move(host)]() mutable {
      Result<std::unique_ptr<CudaDevice>> device = CudaDevice::open(gpu);
      ready.arrive_and_wait();
      ASSERT_TRUE(device.ok()) << device.message();
      auto rank = NcclCommunicator::create(std::move(host), **device, limit);
      // A rank that fails the group at once would fail its making elsewhere.
      ready.arrive_and_wait();
      ASSERT_TRUE(rank.ok()) << rank.message();
      OnDevice world(*std::move(rank), **device);
      body(world);
    });
  for (std::thread &thread : threads)
    thread.join();
}

void runLateGpus(int size, milliseconds limit, const Body &body) {
  setenv("FAKE_CUDA", "late", 1);
  runGpus(size, limit, body);
  unsetenv("FAKE_CUDA");
}

int gpuCount() {
  Result<const cuda::Driver *> driver = cuda::Driver::open();
  int count = 0;
  return driver.ok() && (*driver)->cuDeviceGetCount(&count) == 0 ? count : 0;
}

} // namespace

void test::useFakeLibraries() {
  // The names by which the libraries are looked for are then those of these.
  for (const char *library :
       {MM01_FAKE_DRIVER "/libcuda.so.1", MM01_FAKE_NCCL "/libnccl.so.2"})
    if (!dlopen(library, RTLD_NOW | RTLD_LOCAL))
      std::abort();
}

std::vector<World> test::gpuWorlds() {
  std::vector<World> worlds;
  if (std::getenv("MM01_TEST_GPU")) {
    for (int size : {1, 2, 3, 4, 8})
      if (size <= gpuCount())
        worlds.push_back({"gpu", size, runGpus, milliseconds(3000)});
    return worlds;
  }
  useFakeLibraries();
  for (int size : {1, 2, 3, 8})
    worlds.push_back({"nccl", size, runGpus, milliseconds(200)});
  for (int size : {2, 3})
    worlds.push_back({"ncclLate", size, runLateGpus, milliseconds(200)});
  return worlds;
}
