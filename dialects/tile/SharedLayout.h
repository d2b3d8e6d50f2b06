//===- SharedLayout.h - where elements of a tile lie ------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The matrix unit and bulk copies see a tile in shared memory as panels:
// columns are cut every `swizzle` bytes, and a panel is its rows one after
// another, `swizzle` bytes each. In a panel the 16-byte chunks of a row are
// exchanged by a pattern that repeats every 8 chunks of 128 bytes, so that the
// same chunk of eight neighbouring rows lies in eight different groups of
// banks:
//
//     offset(r, c) = (c / panel columns) * panel bytes
//                  + ((r * swizzle + 16 * chunk) ^ (16 * (line mod (swizzle /
//                  16))))
//
// with chunk = (c mod panel columns) * element bytes / 16 and line = r *
// swizzle / 128, plus the byte inside the chunk. A last panel may be wider than
// the tile.
//
// Both major orders of an operand are this one layout. Read row by row
// (K-major) the matrix unit goes through a panel 32 bytes, 16 values of k, at a
// time; read column by column (MN-major) it goes through it 16 rows at a time,
// and panels lie side by side along the other extent. So a transposition is a
// matter of how the operand is described, and not of where it lies.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_TILE_SHAREDLAYOUT_H
#define MM01_DIALECTS_TILE_SHAREDLAYOUT_H

#include <cstdint>

namespace mm01::tile {

struct SharedLayout {
  int64_t rows;
  int64_t columns;
  /// Bytes of an element.
  int64_t elementBytes;
  /// Bytes of a panel's row: 32, 64 or 128.
  int64_t swizzle;

  int64_t panelColumns() const { return swizzle / elementBytes; }
  int64_t panels() const {
    return (columns + panelColumns() - 1) / panelColumns();
  }
  int64_t panelBytes() const { return rows * swizzle; }
  int64_t bytes() const { return panels() * panelBytes(); }
  /// What a tile's address must be a multiple of: the pattern's period.
  int64_t alignment() const { return 8 * swizzle; }

  /// Rows of a panel that each of some blocks copies when they share the tile:
  /// all if there are panels to share, else a part of the one panel.
  int64_t rowsOfShare(int64_t blocks) const {
    return panels() == 1 && blocks > 1 ? rows / blocks : rows;
  }

  /// The byte at which element (row, column) begins.
  int64_t offset(int64_t row, int64_t column) const;
  /// The same for the first byte of a chunk of 16 bytes in the first panel,
  /// seen as the row's start and what the chunk's own offset is combined with
  /// by xor.
  int64_t xorMask(int64_t row) const;

  /// Bytes from the description of an operand to that of its `step`th 16 values
  /// of k, when k runs along the columns (K-major) or the rows.
  int64_t stepAlongColumns(int64_t step) const;
  int64_t stepAlongRows(int64_t step) const { return step * 16 * swizzle; }

  /// The constant bits of the matrix unit's description of the operand; the low
  /// 14 bits are for its address / 16. PTX ISA, "Matrix descriptor".
  uint64_t descriptor(bool alongRows) const;
};

/// The least swizzle whose panel holds a row of `bytes` bytes, or the greatest:
/// fewest copies, least padding.
int64_t chooseSwizzle(int64_t bytes);

} // namespace mm01::tile

#endif // MM01_DIALECTS_TILE_SHAREDLAYOUT_H
