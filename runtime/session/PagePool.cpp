//===- PagePool.cpp - reference-counted pages of the key and value cache --===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/session/PagePool.h"

using namespace mm01;

PagePool::PagePool(int64_t pages) : holders(pages, 0) {
  freePages.reserve(pages);
  for (int64_t page = pages; page-- > 0;)
    freePages.push_back(static_cast<int32_t>(page));
}

Result<int32_t> PagePool::allocate() {
  if (freePages.empty())
    return Status::error("no free cache page: all ", capacity(), " pages of ",
                         pageSize, " positions are in use");
  int32_t page = freePages.back();
  freePages.pop_back();
  holders[page] = 1;
  return page;
}

void PagePool::share(int32_t page) { ++holders[page]; }

void PagePool::release(int32_t page) {
  if (--holders[page] == 0)
    freePages.push_back(page);
}
