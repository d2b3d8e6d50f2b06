//===- ThreadCommunicator.h - ranks that are threads of one process -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests of distributed programs on one machine. Starting a transfer copies
// what the rank gives into the group's memory, so that no rank has to wait for
// the others to have read it; waiting takes what all have given. Reductions are
// made in the order of the ranks, by each rank for itself: all get the same
// bits, however the threads run.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_RANKS_THREADCOMMUNICATOR_H
#define MM01_RUNTIME_RANKS_THREADCOMMUNICATOR_H

#include "runtime/core/Communicator.h"

#include <chrono>

namespace mm01 {

class ThreadGroup;

/// One rank among threads. Its destructor tells ranks that still wait for it
/// that it has left.
class ThreadCommunicator final : public Communicator {
public:
  /// The ends of a new group of `size` ranks, by rank. A rank that waits longer
  /// than `limit` for another fails the group.
  static std::vector<std::unique_ptr<Communicator>>
  create(const std::string &group, int size, std::chrono::milliseconds limit);

  ThreadCommunicator(std::shared_ptr<ThreadGroup> group, int rank);
  ~ThreadCommunicator() override;

  Result<std::unique_ptr<Communicator>> split(const std::string &group,
                                              int color, int key) override;
  void abandon(const Status &why) override;
  Status state() const override;

private:
  Status post(int64_t number, const Transfer &transfer) override;
  Status finish(int64_t number, const Transfer &transfer) override;
  bool isFinished(int64_t number, const Transfer &transfer) override;

  std::shared_ptr<ThreadGroup> shared;
  /// How many collectives this rank has started, and messages to and from each
  /// other rank: what is number n on one side is number n on the other.
  int64_t collectives = 0;
  std::vector<int64_t> sent, received;
  /// The collective or message that a started transfer is, by its number.
  std::map<int64_t, int64_t> order;
};

} // namespace mm01

#endif // MM01_RUNTIME_RANKS_THREADCOMMUNICATOR_H
