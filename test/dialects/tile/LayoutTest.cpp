//===- LayoutTest.cpp - tests of where elements are -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tile/FragmentLayout.h"
#include "dialects/tile/SharedLayout.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace mm01::tile;

namespace {

const SharedLayout kLayouts[] = {
    {64, 64, 2, 128}, {64, 128, 2, 128}, {64, 80, 2, 128},  {64, 32, 2, 64},
    {64, 16, 2, 32},  {8, 48, 2, 32},    {64, 128, 1, 128}, {64, 272, 1, 128},
    {64, 48, 1, 64},  {64, 32, 1, 32},
};

/// No two elements share bytes, and all lie in the tile's.
TEST(SharedLayout, GivesEachElementItsPlace) {
  for (const SharedLayout &layout : kLayouts) {
    std::set<int64_t> places;
    for (int64_t row = 0; row < layout.rows; ++row)
      for (int64_t column = 0; column < layout.columns; ++column) {
        int64_t at = layout.offset(row, column);
        EXPECT_EQ(at % layout.elementBytes, 0);
        EXPECT_LE(at + layout.elementBytes, layout.bytes());
        places.insert(at);
      }
    EXPECT_EQ(int64_t(places.size()), layout.rows * layout.columns);
  }
}

/// The pattern of the copy engine, written bit by bit: of an address in a
/// panel, bits 4, 5, 6 are exchanged with bits 7, 8, 9 as far as a row reaches.
TEST(SharedLayout, IsThePatternOfTheCopyEngine) {
  for (const SharedLayout &layout : kLayouts) {
    int64_t bits = layout.swizzle == 128 ? 7 : layout.swizzle == 64 ? 3 : 1;
    for (int64_t row = 0; row < layout.rows; ++row)
      for (int64_t column = 0; column < layout.panelColumns(); ++column) {
        int64_t plain = row * layout.swizzle + column * layout.elementBytes;
        EXPECT_EQ(layout.offset(row, column),
                  plain ^ ((plain >> 7 & bits) << 4));
      }
  }
}

/// Eight rows of one chunk, which ldmatrix reads at once, lie in as many groups
/// of four banks as there are chunks in 128 bytes, whatever the swizzle.
TEST(SharedLayout, SpreadsARowOfMatricesOverTheBanks) {
  for (const SharedLayout &layout : kLayouts)
    for (int64_t chunk = 0; chunk < layout.swizzle / 16; ++chunk) {
      std::set<int64_t> groups;
      for (int64_t row = 0; row < 8; ++row)
        groups.insert(layout.offset(row, chunk * 16 / layout.elementBytes) %
                      128 / 16);
      EXPECT_EQ(groups.size(), 8u);
    }
}

/// Pairs of bytes that the lanes of a warp read at once: no bank is asked for
/// two words.
TEST(SharedLayout, SpreadsPairsOfBytesOverTheBanks) {
  for (const SharedLayout &layout : kLayouts) {
    if (layout.elementBytes != 1)
      continue;
    for (int64_t column = 0; column < layout.columns; column += 8) {
      std::map<int64_t, int64_t> words;
      for (int64_t lane = 0; lane < 32; ++lane) {
        auto [row, pair] = FragmentLayout::origin(0, lane);
        int64_t word = layout.offset(row, column + pair) / 4;
        EXPECT_EQ(words.try_emplace(word % 32, word).first->second, word);
      }
    }
  }
}

/// What the unit does with a description for 16 values of k along the columns:
/// step inside the panel's row, or into the next panel.
TEST(SharedLayout, StepsAlongColumns) {
  SharedLayout two{64, 128, 2, 128};
  EXPECT_EQ(two.stepAlongColumns(3), 96);
  EXPECT_EQ(two.stepAlongColumns(4), two.panelBytes());
  SharedLayout narrow{64, 48, 2, 32};
  EXPECT_EQ(narrow.stepAlongColumns(2), 2 * narrow.panelBytes());
}

/// A step of 16 rows is a whole number of periods of the pattern.
TEST(SharedLayout, StepsAlongRows) {
  for (const SharedLayout &layout : kLayouts) {
    if (layout.rows < 32)
      continue;
    EXPECT_EQ(layout.stepAlongRows(1),
              layout.offset(16, 0) - layout.offset(0, 0));
  }
}

/// Fields as the PTX ISA places them: offsets / 16 at bits 16 and 32, the kind
/// of swizzle at bit 62.
TEST(SharedLayout, DescribesOperands) {
  SharedLayout wide{64, 128, 2, 128};
  EXPECT_EQ(wide.descriptor(/*alongRows=*/true),
            uint64_t(1) << 62 | uint64_t(1024 / 16) << 32 | (8192 / 16) << 16);
  SharedLayout narrow{64, 16, 2, 32};
  EXPECT_EQ(narrow.descriptor(/*alongRows=*/false),
            uint64_t(3) << 62 | uint64_t(256 / 16) << 32 | 1 << 16);
}

TEST(SharedLayout, ChoosesTheNarrowestPanelThatHoldsARow) {
  EXPECT_EQ(chooseSwizzle(32), 32);
  EXPECT_EQ(chooseSwizzle(48), 64);
  EXPECT_EQ(chooseSwizzle(96), 128);
  EXPECT_EQ(chooseSwizzle(256), 128);
}

/// 128 threads hold each element of a tile once.
TEST(FragmentLayout, GivesEachElementAThread) {
  FragmentLayout layout{72};
  std::set<std::pair<int64_t, int64_t>> elements;
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < layout.registers(); ++i) {
        auto [row, column] = FragmentLayout::origin(warp, lane);
        auto [rows, columns] = FragmentLayout::place(i);
        EXPECT_LT(row + rows, FragmentLayout::rows);
        EXPECT_LT(column + columns, layout.columns);
        elements.insert({row + rows, column + columns});
      }
  EXPECT_EQ(int64_t(elements.size()), FragmentLayout::rows * layout.columns);
}

/// A thread's values of a vector are those of the rows of its registers.
TEST(FragmentLayout, GivesAVectorTheRowsOfATile) {
  for (int64_t i = 0; i < FragmentLayout{16}.registers(); ++i)
    EXPECT_EQ(FragmentLayout::rowPlace(FragmentLayout::rowOf(i)),
              FragmentLayout::place(i).first);
}

/// Operand A in registers, as the PTX ISA draws it for k = 16: four words a
/// thread, rows g and g + 8, then the same 8 columns on. Word i of step k is
/// words 4k + i.
TEST(FragmentLayout, IsThatOfOperandA) {
  for (int64_t step = 0; step < 4; ++step)
    for (int64_t word = 0; word < 4; ++word)
      for (int64_t half = 0; half < 2; ++half) {
        auto [row, column] =
            FragmentLayout::place(2 * (4 * step + word) + half);
        EXPECT_EQ(row, word % 2 * 8);
        EXPECT_EQ(column, 16 * step + word / 2 * 8 + half);
      }
}

} // namespace
