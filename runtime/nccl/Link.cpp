//===- Link.cpp - messages from one GPU to another ------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/nccl/Link.h"

using namespace mm01;
using namespace mm01::nccl;

Status Link::start(std::shared_ptr<Message> message) {
  Room room{id.bytes, ElementType::I8, sizeof(id.bytes)};
  if (!channel && !idPending) {
    if (sends)
      MM01_RETURN_IF_FAILED(
          wires.nccl.check(wires.nccl.ncclGetUniqueId(&id), "ncclGetUniqueId"));
    Transfer transfer = sends ? send({room.data, room.type, room.count}, peer)
                              : receive(room, peer);
    transfer.part = transferName(message->transfer.kind);
    Result<Pending> pending = wires.headers.start(std::move(transfer));
    MM01_RETURN_IF_FAILED(pending);
    idPending = *pending;
  }
  const Transfer &given = message->transfer;
  message->own = {int64_t(sends ? given.in.type : given.out.type),
                  sends ? given.in.count : given.out.count};
  auto start = [&](Communicator &wire, Transfer transfer, Pending &pending) {
    transfer.part = transferName(given.kind);
    Result<Pending> started = wire.start(std::move(transfer));
    if (started.ok())
      pending = *started;
    return started.status();
  };
  MM01_RETURN_IF_FAILED(start(outward(),
                              send(Elements::of<int64_t>(message->own), peer),
                              message->told));
  MM01_RETURN_IF_FAILED(start(inward(),
                              receive(Room::of<int64_t>(message->other), peer),
                              message->heard));
  queue.push_back(std::move(message));
  return {};
}

Status Link::connect() {
  if (channel)
    return {};
  if (!wires.headers.isDone(*idPending))
    return {};
  MM01_RETURN_IF_FAILED(wires.headers.wait(*idPending));
  Result<std::unique_ptr<Channel>> made = Channel::create(
      wires.nccl, wires.device, id, /*size=*/2, /*rank=*/sends ? 0 : 1);
  MM01_RETURN_IF_FAILED(made);
  channel = *std::move(made);
  return {};
}

bool Link::hasMet(const Message &message) const {
  return message.agreed || inward().isDone(message.heard);
}

Status Link::compare(const Message &message) const {
  if (message.own == message.other)
    return {};
  const auto &sent = sends ? message.own : message.other;
  const auto &wanted = sends ? message.other : message.own;
  const int here = inward().rank();
  auto words = [](const std::array<int64_t, 2> &what) {
    return concat(what[1], " elements ", elementName(ElementType(what[0])));
  };
  return Status::error("group ", inward().group(), ": receive: rank ",
                       sends ? peer : here, " expected ", words(wanted),
                       " from rank ", sends ? here : peer, ", found ",
                       words(sent));
}

Status Link::meet(Message &message) {
  if (message.agreed)
    return {};
  MM01_RETURN_IF_FAILED(inward().wait(message.heard));
  MM01_RETURN_IF_FAILED(compare(message));
  message.agreed = true;
  // The other side has started, so it can take this too.
  return outward().wait(message.told);
}

void Link::handOn(const std::shared_ptr<Message> &message) {
  const cuda::Driver &driver = wires.device.getDriver();
  channel->put([&driver, message](cuda::Stream stream) {
    return driver.check(driver.cuStreamWaitEvent(stream, message->before, 0),
                        "cuStreamWaitEvent");
  });
  const Transfer &given = message->transfer;
  const int64_t bytes =
      message->own[1] * elementBytes(ElementType(message->own[0]));
  if (bytes > 0)
    channel->put([this, given, bytes](Comm comm, cuda::Stream stream) {
      return sends ? wires.nccl.ncclSend(given.in.data, size_t(bytes), byteType,
                                         1, comm, stream)
                   : wires.nccl.ncclRecv(given.out.data, size_t(bytes),
                                         byteType, 0, comm, stream);
    });
  channel->put([&driver, message](cuda::Stream stream) {
    message->handedOn = true;
    return driver.check(driver.cuEventRecord(message->done, stream),
                        "cuEventRecord");
  });
}

Status Link::drive() {
  if (!idPending)
    return {};
  MM01_RETURN_IF_FAILED(connect());
  if (!channel)
    return {};
  while (!queue.empty() && hasMet(*queue.front())) {
    MM01_RETURN_IF_FAILED(meet(*queue.front()));
    handOn(queue.front());
    queue.pop_front();
  }
  return channel->drive();
}

void Link::close() {
  if (channel)
    channel->close();
}

void Link::abort() {
  queue.clear();
  if (channel)
    channel->abort();
}
