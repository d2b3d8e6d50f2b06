//===- Communicator.cpp - checks transfers before they start --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every implementation refuses alike, by what one rank knows.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Communicator.h"

using namespace mm01;

std::string_view mm01::transferName(TransferKind kind) {
  switch (kind) {
  case TransferKind::AllReduce:
    return "all_reduce";
  case TransferKind::AllGather:
    return "all_gather";
  case TransferKind::ReduceScatter:
    return "reduce_scatter";
  case TransferKind::AllToAll:
    return "all_to_all";
  case TransferKind::Broadcast:
    return "broadcast";
  case TransferKind::Barrier:
    return "barrier";
  case TransferKind::Send:
    return "send";
  case TransferKind::Receive:
    return "receive";
  }
  __builtin_unreachable();
}

std::string_view mm01::nameOf(const Transfer &transfer) {
  return transfer.part.empty() ? transferName(transfer.kind)
                               : std::string_view(transfer.part);
}

Transfer mm01::allReduce(Elements in, Room out, Reduction reduction) {
  return {TransferKind::AllReduce, in, out, reduction, 0, {}, {}, {}};
}

Transfer mm01::allGather(Elements in, Room out, std::vector<int64_t> counts) {
  return {TransferKind::AllGather, in, out, {}, 0, {}, std::move(counts), {}};
}

Transfer mm01::reduceScatter(Elements in, Room out, Reduction reduction,
                             std::vector<int64_t> counts) {
  return {TransferKind::ReduceScatter, in, out, reduction, 0,
          std::move(counts),           {}, {}};
}

Transfer mm01::allToAll(Elements in, Room out, std::vector<int64_t> send,
                        std::vector<int64_t> receive) {
  return {TransferKind::AllToAll, in, out, {}, 0, std::move(send),
          std::move(receive),     {}};
}

Transfer mm01::broadcast(Room data, int root) {
  Elements in{data.data, data.type, data.count};
  return {TransferKind::Broadcast, in, data, {}, root, {}, {}, {}};
}

Transfer mm01::barrier() { return {}; }

Transfer mm01::send(Elements in, int to) {
  return {TransferKind::Send, in, {nullptr, in.type, 0}, {}, to, {}, {}, {}};
}

Transfer mm01::receive(Room out, int from) {
  return {
      TransferKind::Receive, {nullptr, out.type, 0}, out, {}, from, {}, {}, {}};
}

/// Checks counts against the elements that they divide, or makes equal ones.
static Status settleCounts(std::vector<int64_t> &counts, int64_t elements,
                           int64_t ranks, std::string_view buffer) {
  if (counts.empty()) {
    if (elements % ranks != 0)
      return Status::error(buffer, " has ", elements,
                           " elements, expected a multiple of the group's ",
                           ranks, " ranks");
    counts.assign(ranks, elements / ranks);
    return {};
  }
  if (static_cast<int64_t>(counts.size()) != ranks)
    return Status::error("found ", counts.size(),
                         " counts, expected one for each of ", ranks, " ranks");
  int64_t sum = 0;
  for (int64_t count : counts)
    if (count < 0 || __builtin_add_overflow(sum, count, &sum))
      return Status::error("found the count ", count,
                           ", expected counts from 0 whose sum fits 64 bits");
  if (sum != elements)
    return Status::error("the counts add up to ", sum, ", expected the ",
                         elements, " elements of ", buffer);
  return {};
}

/// Compares the number of elements of one buffer with what another says.
static Status expectCount(std::string_view buffer, int64_t found,
                          int64_t expected) {
  if (found == expected)
    return {};
  return Status::error(buffer, " has ", found, " elements, expected ",
                       expected);
}

Status Communicator::check(Transfer &transfer) const {
  const TransferKind kind = transfer.kind;
  const Elements &in = transfer.in;
  const Room &out = transfer.out;
  if (transfer.peer < 0 || transfer.peer >= groupSize)
    return Status::error("found rank ", transfer.peer,
                         ", expected one from 0 to ", groupSize - 1);
  if ((kind == TransferKind::Send || kind == TransferKind::Receive) &&
      transfer.peer == ownRank)
    return Status::error("found this rank itself, expected another");
  if (in.type != out.type)
    return Status::error("in is ", elementName(in.type), " and out is ",
                         elementName(out.type), ", expected one type");
  if (in.count < 0 || out.count < 0 || (in.count > 0 && !in.data) ||
      (out.count > 0 && !out.data))
    return Status::error("found elements without memory");
  switch (kind) {
  case TransferKind::AllReduce:
    MM01_RETURN_IF_FAILED(expectCount("out", out.count, in.count));
    break;
  case TransferKind::AllGather:
    MM01_RETURN_IF_FAILED(
        settleCounts(transfer.receive, out.count, groupSize, "out"));
    MM01_RETURN_IF_FAILED(
        expectCount("in", in.count, transfer.receive[ownRank]));
    break;
  case TransferKind::ReduceScatter:
    MM01_RETURN_IF_FAILED(
        settleCounts(transfer.send, in.count, groupSize, "in"));
    MM01_RETURN_IF_FAILED(
        expectCount("out", out.count, transfer.send[ownRank]));
    break;
  case TransferKind::AllToAll:
    MM01_RETURN_IF_FAILED(
        settleCounts(transfer.send, in.count, groupSize, "in"));
    MM01_RETURN_IF_FAILED(
        settleCounts(transfer.receive, out.count, groupSize, "out"));
    break;
  case TransferKind::Broadcast:
  case TransferKind::Barrier:
  case TransferKind::Send:
  case TransferKind::Receive:
    break;
  }
  const bool reduces =
      kind == TransferKind::AllReduce || kind == TransferKind::ReduceScatter;
  if (reduces && in.type != ElementType::F32 && in.type != ElementType::BF16 &&
      in.type != ElementType::I32 && in.type != ElementType::I64)
    return Status::error("reduces ", elementName(in.type),
                         ", expected f32, bf16, i32 or i64");
  return {};
}

Status Communicator::refuse(std::string_view operation, const Status &why) {
  Status status = Status::error("group ", groupName, ": ", operation,
                                " on rank ", ownRank, ": ", why.message());
  abandon(status);
  return status;
}

Status Communicator::checkColor(int color) {
  if (color >= 0)
    return {};
  return refuse("split", Status::error("found color ", color,
                                       ", expected one of at least 0"));
}

Result<Pending> Communicator::start(Transfer transfer) {
  const int64_t number = next++;
  if (Status status = check(transfer); status.failed())
    return refuse(nameOf(transfer), status);
  MM01_RETURN_IF_FAILED(post(number, transfer));
  started.emplace(number, std::move(transfer));
  return Pending{number};
}

Status Communicator::wait(Pending pending) {
  auto found = started.find(pending.number);
  if (found == started.end())
    return Status::error("group ", groupName, ": rank ", ownRank,
                         " waits for transfer ", pending.number,
                         ", expected one that it started and did not wait for");
  const Transfer transfer = std::move(found->second);
  started.erase(found);
  return finish(pending.number, transfer);
}

bool Communicator::isDone(Pending pending) {
  auto found = started.find(pending.number);
  return found == started.end() || isFinished(found->first, found->second);
}

Status Communicator::run(Transfer transfer) {
  Result<Pending> pending = start(std::move(transfer));
  MM01_RETURN_IF_FAILED(pending);
  return wait(*pending);
}
