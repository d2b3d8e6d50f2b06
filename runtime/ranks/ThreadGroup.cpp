//===- ThreadGroup.cpp - what the threads of a group share ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/ThreadGroup.h"

#include "runtime/ranks/Agreement.h"

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

/// The first disagreement of a full round, or nothing.
static std::string disagreementIn(const Round &round) {
  std::vector<const Transfer *> given;
  for (const auto &contribution : round.given)
    given.push_back(&contribution->transfer);
  return disagreement(given);
}

/// The first rank that has not given, or -1.
static int missingIn(const Round &round) {
  for (size_t rank = 0; rank < round.given.size(); ++rank)
    if (!round.given[rank])
      return static_cast<int>(rank);
  return -1;
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

Status ThreadGroup::state() {
  Lock lock(mutex);
  return failure;
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
  const std::string why = disagreementIn(*round);
  if (!why.empty())
    return failLocked(Status::error("group ", name, ": ", why));
  changed.notify_all();
  return {};
}

Result<std::shared_ptr<const Round>>
ThreadGroup::take(int rank, int64_t number, const Transfer &transfer) {
  Lock lock(mutex);
  MM01_RETURN_IF_FAILED(failure);
  std::shared_ptr<Round> round = rounds[number];
  auto done = [&] { return round->arrived == size; };
  MM01_RETURN_IF_FAILED(await(lock, rank,
                              concat("group ", name, ": ", nameOf(transfer)),
                              done, [&] { return missingIn(*round); }));
  if (++round->left == size)
    rounds.erase(number);
  return std::shared_ptr<const Round>(std::move(round));
}

bool ThreadGroup::isFull(int64_t number) {
  Lock lock(mutex);
  if (failure.failed())
    return true;
  const int missing = missingIn(*rounds[number]);
  return missing < 0 || gone[missing];
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
  const std::string what = concat("group ", name, ": ", nameOf(wanted));
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

bool ThreadGroup::hasMessage(int from, int to, int64_t number) {
  Lock lock(mutex);
  return failure.failed() || gone[from] ||
         messages.contains(std::tuple(from, to, number));
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
