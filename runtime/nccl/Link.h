//===- Link.h - messages from one GPU to another --------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages of two ranks are independent of all else, so each direction has a
// channel of its own, made when it is first used. Both sides tell each other
// what they have started, and hand a message to NCCL when they agree: NCCL does
// not notice when sizes differ.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_NCCL_LINK_H
#define MM01_RUNTIME_NCCL_LINK_H

#include "runtime/core/Communicator.h"
#include "runtime/nccl/Channel.h"

#include <array>
#include <deque>

namespace mm01::nccl {

/// One message, known to its link until both have called it done.
struct Message {
  Transfer transfer;
  /// Behind the work of the device that it needs, and behind the message.
  cuda::Event before = nullptr, done = nullptr;
  /// Whether `done` was recorded.
  bool handedOn = false;

  /// Type and elements here and on the other side.
  std::array<int64_t, 2> own{}, other{};
  Pending told, heard;
  bool agreed = false;
};

/// One rank's end of the messages from a rank to another.
class Link {
public:
  /// Senders tell on `headers`, receivers on `answers`: groups of the same
  /// ranks whose buffers are the host's.
  struct Wires {
    const Nccl &nccl;
    CudaDevice &device;
    Communicator &headers, &answers;
  };

  Link(Wires wires, bool sends, int peer)
      : wires(wires), sends(sends), peer(peer) {}

  Status start(std::shared_ptr<Message> message);
  /// Hands on what both sides have agreed upon.
  Status drive();
  bool isDriven() const {
    return queue.empty() && channel && channel->isDriven();
  }
  /// Waits on the host until the other side has started the message as well.
  Status meet(Message &message);
  bool hasMet(const Message &message) const;

  void close();
  void abort();

private:
  Communicator &outward() { return sends ? wires.headers : wires.answers; }
  Communicator &inward() const { return sends ? wires.answers : wires.headers; }
  Status connect();
  Status compare(const Message &message) const;
  void handOn(const std::shared_ptr<Message> &message);

  Wires wires;
  const bool sends;
  const int peer;
  UniqueId id{};
  /// Of the id's way to the other side.
  std::optional<Pending> idPending;
  std::unique_ptr<Channel> channel;
  std::deque<std::shared_ptr<Message>> queue;
};

} // namespace mm01::nccl

#endif // MM01_RUNTIME_NCCL_LINK_H
