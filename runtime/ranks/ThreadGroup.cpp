//===- ThreadGroup.cpp - what the threads of a group share ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/ThreadGroup.h"

#include <cstring>

using namespace mm01;

/// What `rank` gives; to a broadcast, only the root gives elements.
static std::unique_ptr<const Contribution> copyOf(int rank,
                                                  const Transfer &transfer) {
  auto copy = std::make_unique<Contribution>();
  copy->transfer = transfer;
  if (transfer.kind == TransferKind::Broadcast && transfer.peer != rank)
    return copy;
  copy->content.resize(transfer.in.count * elementBytes(transfer.in.type));
  if (!copy->content.empty())
    std::memcpy(copy->content.data(), transfer.in.data, copy->content.size());
  return copy;
}

/// What a rank has started that rank 0 has not: nothing, or "what is found,
/// what is expected".
static std::string difference(const Transfer &first, const Transfer &found) {
  auto differs = [](std::string_view what, const auto &a, const auto &b) {
    return concat(" has ", what, " ", b, ", expected ", a, " as rank 0 has");
  };
  if (found.kind != first.kind)
    return concat(" started ", transferName(found.kind), ", expected ",
                  transferName(first.kind), " as rank 0 did");
  if (found.in.type != first.in.type)
    return differs("type", elementName(first.in.type),
                   elementName(found.in.type));
  const bool reduces = found.kind == TransferKind::AllReduce ||
                       found.kind == TransferKind::ReduceScatter;
  if (reduces && found.reduction != first.reduction)
    return concat(" has another reduction, expected that of rank 0");
  if (found.kind == TransferKind::Broadcast && found.peer != first.peer)
    return differs("root", first.peer, found.peer);
  const bool alike = reduces || found.kind == TransferKind::Broadcast;
  if (alike && found.in.count != first.in.count)
    return differs("elements", first.in.count, found.in.count);
  if (found.kind == TransferKind::AllGather && found.receive != first.receive)
    return concat(" has other counts, expected those of rank 0");
  if (found.kind == TransferKind::ReduceScatter && found.send != first.send)
    return concat(" has other counts, expected those of rank 0");
  return "";
}

/// The first disagreement of a full round, or nothing.
static std::string disagreement(const Round &round) {
  const int size = static_cast<int>(round.given.size());
  for (int rank = 0; rank < size; ++rank) {
    const Transfer &found = round.given[rank]->transfer;
    const std::string why = difference(round.given[0]->transfer, found);
    if (!why.empty())
      return concat(transferName(found.kind), ": rank ", rank, why);
  }
  if (round.given[0]->transfer.kind != TransferKind::AllToAll)
    return "";
  for (int from = 0; from < size; ++from)
    for (int to = 0; to < size; ++to) {
      const int64_t sent = round.given[from]->transfer.send[to];
      const int64_t received = round.given[to]->transfer.receive[from];
      if (sent != received)
        return concat("all_to_all: rank ", to, " receives ", received,
                      " elements of rank ", from, ", which sends ", sent);
    }
  return "";
}

Status ThreadGroup::failLocked(Status why) {
  if (failure.ok())
    failure = std::move(why);
  changed.notify_all();
  return failure;
}

void ThreadGroup::fail(const Status &why) {
  Lock lock(mutex);
  (void)failLocked(why);
}

void ThreadGroup::leave(int rank) {
  Lock lock(mutex);
  gone[rank] = true;
  changed.notify_all();
}

Status ThreadGroup::await(Lock &lock, int rank, const std::string &what,
                          const std::function<bool()> &done,
                          const std::function<int()> &missing) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (failure.ok() && !done()) {
    const int other = missing();
    if (gone[other])
      return failLocked(Status::error(what, ": rank ", rank, " waits for rank ",
                                      other, ", which has left"));
    if (changed.wait_until(lock, end) == std::cv_status::timeout && !done() &&
        failure.ok())
      return failLocked(Status::error(what, ": rank ", rank, " waited ",
                                      limit.count(), " ms for rank ", missing(),
                                      ", which has not started it"));
  }
  return failure;
}

Status ThreadGroup::give(int rank, int64_t number, const Transfer &transfer) {
  // Copied before anybody has to wait for the lock.
  std::unique_ptr<const Contribution> copy = copyOf(rank, transfer);
  Lock lock(mutex);
  MM01_RETURN_IF_FAILED(failure);
  std::shared_ptr<Round> &round = rounds[number];
  if (!round) {
    round = std::make_shared<Round>();
    round->given.resize(size);
  }
  round->given[rank] = std::move(copy);
  if (++round->arrived < size)
    return {};
  const std::string why = disagreement(*round);
  if (!why.empty())
    return failLocked(Status::error("group ", name, ": ", why));
  changed.notify_all();
  return {};
}

Result<std::shared_ptr<const Round>> ThreadGroup::take(int rank, int64_t number,
                                                       TransferKind kind) {
  Lock lock(mutex);
  MM01_RETURN_IF_FAILED(failure);
  std::shared_ptr<Round> round = rounds[number];
  auto done = [&] { return round->arrived == size; };
  auto missing = [&] {
    int other = 0;
    while (round->given[other])
      ++other;
    return other;
  };
  MM01_RETURN_IF_FAILED(await(lock, rank,
                              concat("group ", name, ": ", transferName(kind)),
                              done, missing));
  if (++round->left == size)
    rounds.erase(number);
  return std::shared_ptr<const Round>(std::move(round));
}

Status ThreadGroup::sendMessage(int from, int to, int64_t number,
                                const Transfer &transfer) {
  std::unique_ptr<const Contribution> copy = copyOf(from, transfer);
  Lock lock(mutex);
  MM01_RETURN_IF_FAILED(failure);
  messages[{from, to, number}] = std::move(copy);
  changed.notify_all();
  return {};
}

Result<std::unique_ptr<const Contribution>>
ThreadGroup::takeMessage(int from, int to, int64_t number,
                         const Transfer &wanted) {
  Lock lock(mutex);
  const std::string what = concat("group ", name, ": receive");
  const std::tuple key(from, to, number);
  MM01_RETURN_IF_FAILED(await(
      lock, to, what, [&] { return messages.contains(key); },
      [&] { return from; }));
  std::unique_ptr<const Contribution> message = std::move(messages[key]);
  messages.erase(key);
  const Elements &sent = message->transfer.in;
  if (sent.type != wanted.out.type || sent.count != wanted.out.count)
    return failLocked(Status::error(
        what, ": rank ", to, " expected ", wanted.out.count, " elements ",
        elementName(wanted.out.type), " from rank ", from, ", found ",
        sent.count, " elements ", elementName(sent.type)));
  return message;
}

std::shared_ptr<ThreadGroup> ThreadGroup::subgroup(int64_t split, int color,
                                                   const std::string &name,
                                                   int size) {
  Lock lock(mutex);
  std::shared_ptr<ThreadGroup> &group = subgroups[{split, color}];
  if (!group)
    group = std::make_shared<ThreadGroup>(name, size, limit);
  return group;
}
