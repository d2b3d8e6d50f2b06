//===- ranksBench.cpp - all-reduce in the order of ranks beside NCCL's ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: ranks-bench
//
// For each of some sizes the median time of an all-reduce of bf16 between all
// GPUs of the machine, a thread each: NcclCommunicator's, which adds in the
// order of the ranks and rounds once, and ncclAllReduce, which does not, both
// started and waited for on the host. No test: it needs two GPUs.
//
//===----------------------------------------------------------------------===//

#include "runtime/nccl/Channel.h"
#include "runtime/nccl/NcclCommunicator.h"
#include "runtime/ranks/ThreadCommunicator.h"

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <dlfcn.h>
#include <thread>

using namespace mm01;
using namespace mm01::nccl;

namespace {

constexpr int repetitions = 30;
constexpr int64_t sizes[] = {8 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20};

using AllReduce = ReturnCode (*)(const void *, void *, size_t, int, int, Comm,
                                 cuda::Stream);
constexpr int bf16Type = 9, sum = 0;

void check(const Status &status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "ranks-bench: %s\n", status.message().c_str());
  std::exit(1);
}

template <typename T> T valueOf(Result<T> result) {
  check(result.status());
  return *std::move(result);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Microseconds of `work`, which all ranks begin at about the same time.
double measure(std::barrier<> &together, const std::function<void()> &work) {
  std::vector<double> times;
  for (int i = 0; i < repetitions + 5; ++i) {
    together.arrive_and_wait();
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> took =
        std::chrono::steady_clock::now() - begin;
    if (i >= 5)
      times.push_back(took.count());
  }
  return median(times);
}

void runRank(int rank, int size, std::unique_ptr<Communicator> host,
             const UniqueId &id, std::barrier<> &together) {
  const auto limit = std::chrono::seconds(60);
  auto device = valueOf(CudaDevice::open(rank));
  auto world =
      valueOf(NcclCommunicator::create(std::move(host), *device, limit));
  const Nccl *nccl = valueOf(Nccl::open());
  auto peer = valueOf(Channel::create(*nccl, *device, id, size, rank));
  while (!peer->isDriven())
    check(peer->drive());
  const auto allReduceOfNccl = reinterpret_cast<AllReduce>(
      dlsym(dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD), "ncclAllReduce"));
  if (!allReduceOfNccl)
    check(Status::error("NCCL has no ncclAllReduce"));
  const cuda::Driver &driver = device->getDriver();
  cuda::Event done = nullptr;
  check(driver.check(driver.cuEventCreate(&done, 0), "cuEventCreate"));
  for (int64_t bytes : sizes) {
    DeviceBuffer in, out;
    check(in.reserve(*device, bytes, "in"));
    check(out.reserve(*device, bytes, "out"));
    const std::vector<uint16_t> values(bytes / 2, 0x3f80 + rank);
    check(device->copyIn(in.data(), values.data(), bytes));
    check(device->synchronize());
    const double own = measure(together, [&] {
      check(world->run(allReduce({in.data(), ElementType::BF16, bytes / 2},
                                 {out.data(), ElementType::BF16, bytes / 2},
                                 Reduction::Sum)));
    });
    const double other = measure(together, [&] {
      bool recorded = false;
      peer->put([&](Comm comm, cuda::Stream stream) {
        return allReduceOfNccl(in.data(), out.data(), size_t(bytes / 2),
                               bf16Type, sum, comm, stream);
      });
      peer->put([&](cuda::Stream stream) {
        recorded = true;
        return driver.check(driver.cuEventRecord(done, stream),
                            "cuEventRecord");
      });
      while (!recorded || driver.cuEventQuery(done) == cuda::notReady)
        check(peer->drive());
    });
    if (rank == 0)
      std::printf("%12lld %14.1f %14.1f %10.1f %10.1f\n",
                  static_cast<long long>(bytes), own, other,
                  double(bytes) / own * 1e-3, double(bytes) / other * 1e-3);
  }
  together.arrive_and_wait();
  peer->close();
  driver.cuEventDestroy(done);
}

} // namespace

int main() {
  const cuda::Driver *driver = valueOf(cuda::Driver::open());
  int size = 0;
  check(driver->check(driver->cuDeviceGetCount(&size), "cuDeviceGetCount"));
  const Nccl *nccl = valueOf(Nccl::open());
  int version = 0;
  UniqueId id;
  check(nccl->check(nccl->ncclGetVersion(&version), "ncclGetVersion"));
  check(nccl->check(nccl->ncclGetUniqueId(&id), "ncclGetUniqueId"));
  std::printf("%d GPUs, NCCL %d, all-reduce of bf16, median of %d\n", size,
              version, repetitions);
  std::printf("%12s %14s %14s %10s %10s\n", "bytes", "ours us", "NCCL's us",
              "ours GB/s", "NCCL GB/s");
  std::barrier<> together(size);
  std::vector<std::thread> threads;
  auto hosts =
      ThreadCommunicator::create("world", size, std::chrono::seconds(60));
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank, host = std::move(hosts[rank])]() mutable {
      runRank(rank, size, std::move(host), id, together);
    });
  for (std::thread &thread : threads)
    thread.join();
  return 0;
}
