//===- ThreadGroup.h - what the threads of a group share ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_RANKS_THREADGROUP_H
#define MM01_RUNTIME_RANKS_THREADGROUP_H

#include "runtime/core/Communicator.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <tuple>

namespace mm01 {

/// What a rank gives to a transfer: its description, whose pointers are not
/// used, and a copy of its elements.
struct Contribution {
  Transfer transfer;
  std::vector<std::byte> content;

  /// Of element `index`.
  const std::byte *at(int64_t index) const {
    return content.data() + index * elementBytes(transfer.in.type);
  }
};

/// A collective under way.
struct Round {
  /// By rank; null where a rank has not started it.
  std::vector<std::unique_ptr<const Contribution>> given;
  int arrived = 0;
  int left = 0;
};

/// The meeting place of a group's ranks. All members may be used from any
/// thread.
class ThreadGroup {
public:
  ThreadGroup(std::string name, int size, std::chrono::milliseconds limit)
      : name(std::move(name)), size(size), limit(limit), gone(size) {}

  const std::string name;
  const int size;
  const std::chrono::milliseconds limit;

  /// Puts down what `rank` gives to collective `number`. The last to come
  /// compares what all have given.
  Status give(int rank, int64_t number, const Transfer &transfer);
  /// Waits until all ranks have given. Whoever takes leaves the round, which
  /// lasts as long as somebody holds it.
  Result<std::shared_ptr<const Round>> take(int rank, int64_t number,
                                            const Transfer &transfer);
  /// Whether take() would return at once.
  bool isFull(int64_t number);

  /// Message `number` of those from one rank to another.
  Status sendMessage(int from, int to, int64_t number,
                     const Transfer &transfer);
  Result<std::unique_ptr<const Contribution>>
  takeMessage(int from, int to, int64_t number, const Transfer &wanted);
  /// Whether takeMessage() would return at once.
  bool hasMessage(int from, int to, int64_t number);

  /// The group of a split's color: the first to ask makes it.
  std::shared_ptr<ThreadGroup> subgroup(int64_t split, int color,
                                        const std::string &name, int size);

  /// The first failure stays.
  void fail(const Status &why);
  Status state();
  /// `rank` will give nothing more.
  void leave(int rank);

private:
  using Lock = std::unique_lock<std::mutex>;

  /// Waits until done() or a failure. `missing` says which rank is waited for.
  Status await(Lock &lock, int rank, const std::string &what,
               const std::function<bool()> &done,
               const std::function<int()> &missing);
  Status failLocked(Status why);

  std::mutex mutex;
  std::condition_variable changed;
  Status failure;
  std::vector<bool> gone;
  std::map<int64_t, std::shared_ptr<Round>> rounds;
  /// By sender, receiver and number.
  std::map<std::tuple<int, int, int64_t>, std::unique_ptr<const Contribution>>
      messages;
  std::map<std::pair<int64_t, int>, std::shared_ptr<ThreadGroup>> subgroups;
};

} // namespace mm01

#endif // MM01_RUNTIME_RANKS_THREADGROUP_H
