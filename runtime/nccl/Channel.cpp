//===- Channel.cpp - one communicator of NCCL and its stream --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/nccl/Channel.h"

#include <chrono>
#include <thread>

using namespace mm01;
using namespace mm01::nccl;

Result<std::unique_ptr<Channel>> Channel::create(const Nccl &nccl,
                                                 CudaDevice &device,
                                                 const UniqueId &id, int size,
                                                 int rank) {
  std::unique_ptr<Channel> channel(new Channel(nccl, device));
  MM01_RETURN_IF_FAILED(device.enter());
  const cuda::Driver &driver = device.getDriver();
  MM01_RETURN_IF_FAILED(driver.check(
      driver.cuStreamCreate(&channel->stream, cuda::streamNonBlocking),
      "cuStreamCreate"));
  Config config;
  MM01_RETURN_IF_FAILED(nccl.check(
      nccl.ncclCommInitRankConfig(&channel->comm, size, id, rank, &config),
      "ncclCommInitRankConfig"));
  return channel;
}

void Channel::put(Group group) { steps.push_back({std::move(group), {}}); }
void Channel::put(Work work) { steps.push_back({{}, std::move(work)}); }

Status Channel::issue(const Step &step) {
  if (step.work)
    return step.work(stream);
  MM01_RETURN_IF_FAILED(nccl.check(nccl.ncclGroupStart(), "ncclGroupStart"));
  const ReturnCode put = step.group(comm, stream);
  const ReturnCode end = nccl.ncclGroupEnd();
  connecting = true;
  MM01_RETURN_IF_FAILED(nccl.check(put, "a transfer"));
  return nccl.check(end, "ncclGroupEnd");
}

Status Channel::drive() {
  if (!comm)
    return {};
  MM01_RETURN_IF_FAILED(device.enter());
  while (true) {
    ReturnCode state = 0;
    MM01_RETURN_IF_FAILED(nccl.check(nccl.ncclCommGetAsyncError(comm, &state),
                                     "ncclCommGetAsyncError"));
    MM01_RETURN_IF_FAILED(nccl.check(state, "NCCL"));
    if (connecting && state == inProgress)
      return {};
    connecting = false;
    if (steps.empty())
      return {};
    const Step step = std::move(steps.front());
    steps.pop_front();
    MM01_RETURN_IF_FAILED(issue(step));
  }
}

void Channel::close() {
  if (!comm || device.enter().failed())
    return;
  // Long enough for ranks that end at about the same time.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  ReturnCode state = nccl.ncclCommFinalize(comm);
  while (state == inProgress && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
    if (nccl.ncclCommGetAsyncError(comm, &state) != 0)
      break;
  }
  if (state != 0)
    return abort();
  nccl.ncclCommDestroy(comm);
  comm = nullptr;
}

void Channel::abort() {
  steps.clear();
  connecting = false;
  if (comm && device.enter().ok())
    nccl.ncclCommAbort(comm);
  comm = nullptr;
}

Channel::~Channel() {
  abort();
  if (stream && device.enter().ok())
    device.getDriver().cuStreamDestroy(stream);
}
