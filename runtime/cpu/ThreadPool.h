//===- ThreadPool.h - the one thread pool of a process -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CPU_THREADPOOL_H
#define MM01_RUNTIME_CPU_THREADPOOL_H

#include "runtime/core/Memory.h"

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace mm01 {

/// Workers that claim the items of a job one by one, each from a share of its
/// own that is one range, then from what others have left: what lies side by
/// side in memory is mostly one worker's. The caller of run() is worker 0, so a
/// pool of one has no thread of its own. Idle workers spin for some
/// microseconds before they sleep: a decode step launches hundreds of small
/// kernels in a row.
///
/// A job's fields may change only while no worker is inside it. A worker
/// enters by counting itself into `gate` while the gate is open; the caller
/// closes the gate when the items have run out and waits until the count is
/// zero. A worker that wakes late finds the gate closed, so nobody waits for
/// sleepers.
class ThreadPool {
public:
  /// Most threads that a pool may have.
  static constexpr int maxThreads = 1024;
  /// Processors that this process may run on.
  static int defaultThreads();

  /// A pool of 1 ≤ threads ≤ maxThreads. `enter` runs once on each thread.
  /// Fewer threads than asked for run when the system refuses more.
  explicit ThreadPool(int threads, std::function<void()> enter = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int size() const { return static_cast<int>(threads.size()) + 1; }

  /// One item of a job: `scratch` is private to the worker.
  using Task = void (*)(void *closure, void *scratch, int64_t item);

  /// Runs items 0 … count - 1 of `task`, which must not throw, and returns
  /// when all are done. False, with nothing run, when memory for the scratch
  /// was refused. Not reentrant.
  bool run(int64_t count, Task task, void *closure, int64_t scratchBytes = 0);

private:
  void work(int worker);
  void drain(int worker);
  bool enterGate();
  void leaveGate();

  static constexpr uint32_t open = 1u << 31;

  struct Job {
    Task task = nullptr;
    void *closure = nullptr;
    int64_t count = 0;
  };
  Job job;
  std::vector<AlignedBuffer> scratch;
  std::function<void()> enter;

  /// The items of a worker that nobody has claimed: [next, end).
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  std::vector<Share> shares;
  /// The `open` bit and the number of workers inside.
  alignas(64) std::atomic<uint32_t> gate{0};
  /// Rises with every job; workers sleep on it.
  alignas(64) std::atomic<uint32_t> epoch{0};
  std::atomic<int> sleepers{0};
  std::atomic<bool> stopping{false};
  std::vector<std::thread> threads;
};

} // namespace mm01

#endif // MM01_RUNTIME_CPU_THREADPOOL_H
