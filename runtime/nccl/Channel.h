//===- Channel.h - one communicator of NCCL and its stream ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here waits for another rank. NCCL connects ranks when they first
// exchange something, and may go on with that behind its functions' backs; what
// is put into a channel meanwhile stays here until it can be handed on. Whoever
// polls for anything calls drive().
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_NCCL_CHANNEL_H
#define MM01_RUNTIME_NCCL_CHANNEL_H

#include "runtime/cuda/CudaDevice.h"
#include "runtime/nccl/Nccl.h"

#include <deque>
#include <functional>
#include <memory>

namespace mm01::nccl {

/// Used from one thread at a time.
class Channel {
public:
  /// Begins to connect ranks 0 … size - 1, all of which do so with one id.
  static Result<std::unique_ptr<Channel>> create(const Nccl &nccl,
                                                 CudaDevice &device,
                                                 const UniqueId &id, int size,
                                                 int rank);
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;
  /// Aborts what is under way.
  ~Channel();

  /// Operations of NCCL that go on at the same time: the first failure of them.
  using Group = std::function<ReturnCode(Comm, cuda::Stream)>;
  /// Other work for the stream.
  using Work = std::function<Status(cuda::Stream)>;
  /// Puts something behind what was put before.
  void put(Group group);
  void put(Work work);

  /// Hands on what can be handed on. Fails where that fails, and where NCCL
  /// says that something before has.
  Status drive();
  /// Whether all was handed on.
  bool isDriven() const { return !connecting && steps.empty(); }

  /// Ends it in good order, when nothing is under way on any rank.
  void close();
  /// Ends what is under way, on this rank.
  void abort();

private:
  struct Step {
    Group group; // or
    Work work;
  };

  Channel(const Nccl &nccl, CudaDevice &device) : nccl(nccl), device(device) {}
  Status issue(const Step &step);

  const Nccl &nccl;
  CudaDevice &device;
  cuda::Stream stream = nullptr;
  Comm comm = nullptr;
  /// Until NCCL is done with the last group.
  bool connecting = true;
  std::deque<Step> steps;
};

} // namespace mm01::nccl

#endif // MM01_RUNTIME_NCCL_CHANNEL_H
