//===- ThreadCommunicator.cpp - ranks that are threads of one process -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/ThreadCommunicator.h"

#include "runtime/ranks/Reduce.h"
#include "runtime/ranks/ThreadGroup.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace mm01;

/// Elements before those of `rank`.
static int64_t offsetOf(const std::vector<int64_t> &counts, int rank) {
  return std::accumulate(counts.begin(), counts.begin() + rank, int64_t(0));
}

/// Copies `count` elements to element `to` of `out`.
static void place(const Room &out, int64_t to, const std::byte *from,
                  int64_t count) {
  const int64_t width = elementBytes(out.type);
  if (count > 0)
    std::memcpy(static_cast<std::byte *>(out.data) + to * width, from,
                count * width);
}

/// Elements `first` and following of all ranks, reduced into `out`.
static void reduceRound(const Round &round, int64_t first,
                        const Transfer &transfer) {
  std::vector<const std::byte *> inputs;
  for (const auto &given : round.given)
    inputs.push_back(given->at(first));
  reduce(inputs, transfer.reduction, transfer.out);
}

/// What `rank` gets of a full round.
static void deliver(const Round &round, int rank, const Transfer &transfer) {
  const int size = static_cast<int>(round.given.size());
  switch (transfer.kind) {
  case TransferKind::AllReduce:
    return reduceRound(round, 0, transfer);
  case TransferKind::ReduceScatter:
    return reduceRound(round, offsetOf(transfer.send, rank), transfer);
  case TransferKind::AllGather:
    for (int from = 0; from < size; ++from)
      place(transfer.out, offsetOf(transfer.receive, from),
            round.given[from]->at(0), transfer.receive[from]);
    return;
  case TransferKind::AllToAll:
    for (int from = 0; from < size; ++from) {
      const Contribution &given = *round.given[from];
      place(transfer.out, offsetOf(transfer.receive, from),
            given.at(offsetOf(given.transfer.send, rank)),
            transfer.receive[from]);
    }
    return;
  case TransferKind::Broadcast:
    return place(transfer.out, 0, round.given[transfer.peer]->at(0),
                 transfer.out.count);
  case TransferKind::Barrier:
  case TransferKind::Send:
  case TransferKind::Receive:
    return;
  }
}

std::vector<std::unique_ptr<Communicator>>
ThreadCommunicator::create(const std::string &group, int size,
                           std::chrono::milliseconds limit) {
  auto shared = std::make_shared<ThreadGroup>(group, size, limit);
  std::vector<std::unique_ptr<Communicator>> ranks;
  for (int rank = 0; rank < size; ++rank)
    ranks.push_back(std::make_unique<ThreadCommunicator>(shared, rank));
  return ranks;
}

ThreadCommunicator::ThreadCommunicator(std::shared_ptr<ThreadGroup> group,
                                       int rank)
    : Communicator(group->name, rank, group->size), shared(std::move(group)),
      sent(size()), received(size()) {}

ThreadCommunicator::~ThreadCommunicator() { shared->leave(rank()); }

void ThreadCommunicator::abandon(const Status &why) { shared->fail(why); }

Status ThreadCommunicator::state() const { return shared->state(); }

Result<std::unique_ptr<Communicator>>
ThreadCommunicator::split(const std::string &group, int color, int key) {
  MM01_RETURN_IF_FAILED(checkColor(color));
  const int64_t number = collectives;
  const std::vector<int32_t> own = {color, key};
  std::vector<int32_t> all(2 * size());
  MM01_RETURN_IF_FAILED(
      run(allGather(Elements::of(std::span(own)), Room::of(std::span(all)))));
  std::vector<std::pair<int32_t, int>> members; // key and rank
  for (int other = 0; other < size(); ++other)
    if (all[2 * other] == color)
      members.emplace_back(all[2 * other + 1], other);
  std::sort(members.begin(), members.end());
  const auto place = std::find(members.begin(), members.end(),
                               std::pair<int32_t, int>(key, rank()));
  return std::unique_ptr<Communicator>(new ThreadCommunicator(
      shared->subgroup(number, color, group, static_cast<int>(members.size())),
      static_cast<int>(place - members.begin())));
}

Status ThreadCommunicator::post(int64_t number, const Transfer &transfer) {
  if (transfer.kind == TransferKind::Send)
    return shared->sendMessage(rank(), transfer.peer, sent[transfer.peer]++,
                               transfer);
  if (transfer.kind == TransferKind::Receive) {
    order[number] = received[transfer.peer]++;
    return {};
  }
  order[number] = collectives;
  return shared->give(rank(), collectives++, transfer);
}

Status ThreadCommunicator::finish(int64_t number, const Transfer &transfer) {
  if (transfer.kind == TransferKind::Send)
    return {};
  const int64_t place = order[number];
  order.erase(number);
  if (transfer.kind == TransferKind::Receive) {
    auto message = shared->takeMessage(transfer.peer, rank(), place, transfer);
    MM01_RETURN_IF_FAILED(message);
    ::place(transfer.out, 0, (*message)->at(0), transfer.out.count);
    return {};
  }
  auto round = shared->take(rank(), place, transfer);
  MM01_RETURN_IF_FAILED(round);
  deliver(**round, rank(), transfer);
  return {};
}

bool ThreadCommunicator::isFinished(int64_t number, const Transfer &transfer) {
  if (transfer.kind == TransferKind::Send)
    return true;
  if (transfer.kind == TransferKind::Receive)
    return shared->hasMessage(transfer.peer, rank(), order[number]);
  return shared->isFull(order[number]);
}
