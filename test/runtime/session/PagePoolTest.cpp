//===- PagePoolTest.cpp - pages are counted, shared and run out -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/session/PagePool.h"

#include <gtest/gtest.h>

#include <set>

using namespace mm01;

TEST(PagePool, PagesFor) {
  EXPECT_EQ(pagesFor(0), 0);
  EXPECT_EQ(pagesFor(1), 1);
  EXPECT_EQ(pagesFor(64), 1);
  EXPECT_EQ(pagesFor(65), 2);
}

TEST(PagePool, EveryPageOnceThenExhausted) {
  PagePool pool(3);
  std::set<int32_t> pages;
  for (int i = 0; i < 3; ++i) {
    Result<int32_t> page = pool.allocate();
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(pool.holdersOf(*page), 1);
    pages.insert(*page);
  }
  EXPECT_EQ(pages, (std::set<int32_t>{0, 1, 2}));
  EXPECT_EQ(pool.available(), 0);
  Result<int32_t> none = pool.allocate();
  ASSERT_TRUE(none.failed());
  EXPECT_EQ(none.message(),
            "no free cache page: all 3 pages of 64 positions are in use");
}

TEST(PagePool, SharedPageIsFreeAfterItsLastHolder) {
  PagePool pool(1);
  int32_t page = *pool.allocate();
  pool.share(page);
  EXPECT_EQ(pool.holdersOf(page), 2);
  pool.release(page);
  EXPECT_EQ(pool.available(), 0);
  pool.release(page);
  EXPECT_EQ(pool.available(), 1);
  EXPECT_EQ(*pool.allocate(), page);
}

TEST(PagePool, EmptyPool) {
  PagePool pool(0);
  EXPECT_EQ(pool.capacity(), 0);
  EXPECT_TRUE(pool.allocate().failed());
}
