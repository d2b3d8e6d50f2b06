//===- ThreadPool.cpp - the one thread pool of a process -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/ThreadPool.h"

#include <algorithm>
#include <sched.h>
#include <system_error>

using namespace mm01;

namespace {

/// Turns of the loop in which an idle thread spins: some tens of microseconds,
/// longer than the host code between two kernels of a decode step.
constexpr int spinTurns = 4000;

void relax() { __builtin_ia32_pause(); }

} // namespace

int ThreadPool::defaultThreads() {
  // The mask of a machine with more than 1,024 processors does not fit here;
  // the call then fails.
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  int count = 0;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    count = CPU_COUNT(&allowed);
  if (count == 0)
    count = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(count, 1, maxThreads);
}

ThreadPool::ThreadPool(int count, std::function<void()> enterThread)
    : enter(std::move(enterThread)) {
  count = std::clamp(count, 1, maxThreads);
  scratch.resize(count);
  shares = std::vector<Share>(count);
  threads.reserve(count - 1);
  if (enter)
    enter();
  try {
    for (int worker = 1; worker < count; ++worker)
      threads.emplace_back([this, worker] { work(worker); });
  } catch (const std::system_error &) {
    // A limit on processes: the job gets done by the threads there are.
  }
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  epoch.fetch_add(1);
  epoch.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

bool ThreadPool::enterGate() {
  uint32_t state = gate.load(std::memory_order_relaxed);
  while (state & open)
    if (gate.compare_exchange_weak(state, state + 1, std::memory_order_acquire))
      return true;
  return false;
}

void ThreadPool::leaveGate() {
  // The last one out of a closed gate wakes the caller.
  if (gate.fetch_sub(1, std::memory_order_release) == 1)
    gate.notify_one();
}

void ThreadPool::drain(int worker) {
  void *memory = scratch[worker].data();
  // Its own share, then what is left of the others'.
  for (size_t turn = 0; turn < shares.size(); ++turn) {
    Share &share = shares[(worker + turn) % shares.size()];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      int64_t item = share.next.fetch_add(1, std::memory_order_relaxed);
      if (item < share.end)
        job.task(job.closure, memory, item);
    }
  }
}

void ThreadPool::work(int worker) {
  if (enter)
    enter();
  uint32_t seen = 0;
  while (true) {
    uint32_t now = epoch.load();
    for (int turn = 0; now == seen && turn < spinTurns; ++turn) {
      relax();
      now = epoch.load(std::memory_order_relaxed);
    }
    while (now == seen) {
      // run() raises the epoch, then reads the sleepers; this counts itself as
      // one, then compares the epoch (inside wait). One of them sees the other.
      sleepers.fetch_add(1);
      epoch.wait(seen);
      sleepers.fetch_sub(1);
      now = epoch.load();
    }
    seen = now;
    if (stopping.load())
      return;
    if (enterGate()) {
      drain(worker);
      leaveGate();
    }
  }
}

bool ThreadPool::run(int64_t count, Task task, void *closure,
                     int64_t scratchBytes) {
  if (count <= 0)
    return true;
  // One item runs here; waking another thread costs more than it saves.
  bool alone = count == 1 || threads.empty();
  size_t users = alone ? 1 : scratch.size();
  for (size_t worker = 0; worker < users; ++worker)
    if (scratch[worker].reserve(scratchBytes, "a kernel's scratch").failed())
      return false;
  if (alone) {
    for (int64_t item = 0; item < count; ++item)
      task(closure, scratch[0].data(), item);
    return true;
  }

  job = {task, closure, count};
  auto workers = static_cast<int64_t>(shares.size());
  for (int64_t worker = 0; worker < workers; ++worker) {
    shares[worker].next.store(count * worker / workers,
                              std::memory_order_relaxed);
    shares[worker].end = count * (worker + 1) / workers;
  }
  gate.store(open, std::memory_order_release);
  epoch.fetch_add(1);
  int64_t asleep = sleepers.load();
  if (asleep > count - 1)
    for (int64_t wanted = 1; wanted < count; ++wanted)
      epoch.notify_one();
  else if (asleep > 0)
    epoch.notify_all();

  drain(0);
  uint32_t inside = gate.fetch_and(~open, std::memory_order_acquire) & ~open;
  for (int turn = 0; inside != 0; ++turn) {
    if (turn < spinTurns)
      relax();
    else
      gate.wait(inside);
    inside = gate.load(std::memory_order_acquire);
  }
  return true;
}
