//===- Branches.h - work of a GPU on several streams ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CUDA_BRANCHES_H
#define MM01_RUNTIME_CUDA_BRANCHES_H

#include "runtime/cuda/Driver.h"

#include <vector>

namespace mm01::cuda {

/// Spreads the branches between fork() and join() over streams: the first one
/// that launches anything stays on the main stream, each other one gets a side
/// stream, which begins after what the main stream had before the fork. Without
/// a second such branch the GPU gets nothing but the launches.
class Branches {
public:
  Branches(const Driver &driver, Stream main) : driver(driver), main(main) {}
  Branches(const Branches &) = delete;
  Branches &operator=(const Branches &) = delete;
  /// In the current context.
  ~Branches();

  /// Refuses a fork inside of one.
  Status fork();
  /// Refuses to go on, and to end, what did not begin.
  Status next();
  Status join();

  /// Between fork() and join().
  bool isOpen() const { return forked; }

  struct Place {
    Stream stream;
    size_t number; ///< of the stream, 0 for the main one
  };
  /// Where a launch goes now.
  Result<Place> place();

private:
  /// A stream beside the main one, and the event behind its work.
  struct Side {
    Stream stream = nullptr;
    Event done = nullptr;
  };

  Status makeSide();

  const Driver &driver;
  const Stream main;
  std::vector<Side> sides;
  /// Behind the work before the fork.
  Event begin = nullptr;
  bool forked = false;
  /// Branches that launched something, and whether this one is among them.
  size_t busy = 0;
  bool launched = false;
};

} // namespace mm01::cuda

#endif // MM01_RUNTIME_CUDA_BRANCHES_H
