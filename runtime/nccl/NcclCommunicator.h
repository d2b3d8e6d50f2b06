//===- NcclCommunicator.h - ranks with one GPU each -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers lie in the memory of the rank's GPU. NCCL moves them; what it does
// not promise is done here:
//
// - Reductions in the order of the ranks, rounded once, with NaN: ranks
// exchange
//   parts, each reduces its own (ReduceKernels.h), and gathers the others'. Few
//   elements go to all ranks, which reduce all.
// - That ranks which disagree notice: they tell each other on the host what
// they
//   start. Of a collective that is compared when it is waited for, while the
//   GPUs may already be at work on it: the group fails then, and what the
//   buffers hold is undefined. Of a message it is compared before.
// - That nobody waits for ever: NCCL's functions are used without waiting, and
//   what is under way is aborted where a rank is missing, has left or gave up.
//
// What ranks tell each other on the host, and by which they find each other, is
// another communicator of the same ranks with its buffers in the host's memory:
// ThreadCommunicator where ranks are threads of one process.
//
// start() puts a transfer behind the work that was asked of the device before;
// wait() waits on the host, so that work asked for later finds it done. A rank
// hands queued messages on while it is in start(), wait() or isDone().
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_NCCL_NCCLCOMMUNICATOR_H
#define MM01_RUNTIME_NCCL_NCCLCOMMUNICATOR_H

#include "runtime/core/Communicator.h"
#include "runtime/core/DeviceMemory.h"
#include "runtime/cuda/CudaDevice.h"

#include <chrono>
#include <functional>

namespace mm01 {

namespace nccl {
class Channel;
class Link;
struct Message;
struct Nccl;
} // namespace nccl

/// One rank's end. The device must outlive it.
class NcclCommunicator final : public Communicator {
public:
  /// A collective of the ranks of `host`, each with a device of its own. A rank
  /// that waits longer than `limit` for the GPUs of others fails the group;
  /// `host` has a limit of its own for ranks that do not start. Fails, on all
  /// ranks, where one of them finds no NCCL or cannot connect.
  static Result<std::unique_ptr<Communicator>>
  create(std::unique_ptr<Communicator> host, CudaDevice &device,
         std::chrono::milliseconds limit);
  ~NcclCommunicator() override;

  Result<std::unique_ptr<Communicator>> split(const std::string &group,
                                              int color, int key) override;
  void abandon(const Status &why) override;
  Status state() const override { return host->state(); }

private:
  struct Collective;

  NcclCommunicator(const nccl::Nccl &nccl, CudaDevice &device,
                   std::unique_ptr<Communicator> host,
                   std::chrono::milliseconds limit);
  Status connect();

  Status post(int64_t number, const Transfer &transfer) override;
  Status finish(int64_t number, const Transfer &transfer) override;
  bool isFinished(int64_t number, const Transfer &transfer) override;

  Status startCollective(int64_t number, const Transfer &transfer);
  Status startMessage(int64_t number, const Transfer &transfer);
  Status finishCollective(Collective &collective, const Transfer &transfer);
  Status finishMessage(nccl::Message &message, nccl::Link &link);
  nccl::Link &linkOf(const Transfer &message);

  /// What ranks told each other about a collective, compared.
  Status compare(const Collective &collective) const;
  /// Drives all channels.
  Status drive();
  bool isDriven() const;
  /// Drives until `done` or the limit; false: the limit.
  Result<bool> driveUntil(const std::function<Result<bool>()> &done);
  Result<bool> hasPassed(cuda::Event event);
  Status waitFor(cuda::Event event, const bool &isRecorded);

  /// Fails the group, and says what it failed of.
  Status fail(const Transfer &transfer, const Status &why);
  void abortAll();

  Result<cuda::Event> takeEvent();
  /// An event behind all that was asked of the device.
  Result<cuda::Event> markDevice();
  Result<DeviceBuffer> takeStaging(int64_t bytes);

  const nccl::Nccl &nccl;
  CudaDevice &device;
  const std::chrono::milliseconds limit;
  std::unique_ptr<Communicator> host;
  /// What senders and receivers of messages tell each other.
  std::unique_ptr<Communicator> headers, answers;
  std::unique_ptr<nccl::Channel> channel;
  std::map<std::pair<bool, int>, std::unique_ptr<nccl::Link>> links;
  std::map<int64_t, std::unique_ptr<Collective>> collectives;
  std::map<int64_t, std::shared_ptr<nccl::Message>> messages;
  std::vector<cuda::Event> freeEvents;
  std::vector<DeviceBuffer> freeStaging;
};

} // namespace mm01

#endif // MM01_RUNTIME_NCCL_NCCLCOMMUNICATOR_H
