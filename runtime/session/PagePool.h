//===- PagePool.h - reference-counted pages of the key and value cache ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page holds the keys and values of 64 consecutive positions of one sequence,
// for all softmax layers. Sequences and snapshots that share a prefix share its
// pages; a page that has more than one holder is never written: who wants to
// append to it copies it first (Session.cpp). The pool only counts: the
// contents live in the arrays named by the roles keys and values.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_SESSION_PAGEPOOL_H
#define MM01_RUNTIME_SESSION_PAGEPOOL_H

#include "frontend/safetensors/Status.h"
#include "runtime/core/Ragged.h"

#include <cstdint>
#include <vector>

namespace mm01 {

/// Pages that `positions` positions from 0 on need.
constexpr int64_t pagesFor(int64_t positions) {
  return (positions + pageSize - 1) / pageSize;
}

class PagePool {
public:
  /// Pages 0 … pages - 1, all free.
  explicit PagePool(int64_t pages);

  int64_t capacity() const { return static_cast<int64_t>(holders.size()); }
  int64_t available() const { return static_cast<int64_t>(freePages.size()); }

  /// A free page, with the caller as its one holder. Fails when none is free.
  Result<int32_t> allocate();

  /// Adds a holder to a page that has one.
  void share(int32_t page);

  /// Takes a holder away; the page is free when none is left.
  void release(int32_t page);

  /// How many sequences and snapshots hold the page; 0 when it is free.
  int32_t holdersOf(int32_t page) const { return holders[page]; }

private:
  std::vector<int32_t> holders;
  std::vector<int32_t> freePages; // a stack: the page freed last is warm
};

} // namespace mm01

#endif // MM01_RUNTIME_SESSION_PAGEPOOL_H
