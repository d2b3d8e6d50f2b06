//===- SharedLayout.cpp - where elements of a tile lie --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tile/SharedLayout.h"

using namespace mm01::tile;

int64_t SharedLayout::xorMask(int64_t row) const {
  int64_t line = row * swizzle / 128;
  return 16 * (line % (swizzle / 16));
}

int64_t SharedLayout::offset(int64_t row, int64_t column) const {
  int64_t panel = column / panelColumns();
  int64_t inRow = column % panelColumns() * elementBytes;
  return panel * panelBytes() + row * swizzle + (inRow ^ xorMask(row));
}

int64_t SharedLayout::stepAlongColumns(int64_t step) const {
  int64_t inTile = step * 16 * elementBytes;
  return inTile / swizzle * panelBytes() + inTile % swizzle;
}

uint64_t SharedLayout::descriptor(bool alongRows) const {
  // Kinds of swizzle as the unit counts them: 1 is 128 bytes, 3 is 32 bytes.
  uint64_t kind = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  // From 8 rows to the next 8; from panel to panel where panels lie along the
  // extent that is not k, else unused.
  uint64_t eightRows = 8 * swizzle / 16;
  uint64_t nextPanel = alongRows ? panelBytes() / 16 : 1;
  return kind << 62 | eightRows << 32 | nextPanel << 16;
}

int64_t mm01::tile::chooseSwizzle(int64_t bytes) {
  return bytes <= 32 ? 32 : bytes <= 64 ? 64 : 128;
}
