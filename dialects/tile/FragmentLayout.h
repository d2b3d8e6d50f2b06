//===- FragmentLayout.h - who holds which element of a tile -----*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The matrix unit leaves a result [64, n] with the 128 threads of a warp group:
// warp w has rows 16w to 16w + 15, and in every 8x8 block a lane has two
// neighbouring elements of one row,
//
//     row    = 16 warp + lane / 4 + 8 (register / 2 mod 2)
//     column = 8 (register / 4) + 2 (lane mod 4) + register mod 2
//
// The same unit takes its operand A [64, k] from registers as blocks of 16
// columns, in each of which a thread has eight values: the two blocks of 8x8
// side by side. That is this layout again, register for register. So a result
// that is narrowed to bf16 *is* an operand A, without a move: the state of a
// recurrence, or the weights of an attention, need not leave registers. Since
// ldmatrix and stmatrix also move 8x8 blocks of two elements a lane, a tile
// goes between this layout and shared memory in either order.
//
// All tiles in registers have this layout, and elementwise arithmetic needs no
// exchange between threads. A tile of 128 rows or more is held by several warp
// groups together, 64 rows each: warps are counted through. A vector [64] has
// an element for each row, which all threads have that hold elements of the
// row: the four of a quad. So a thread has two values of it, for register / 2
// mod 2, 8 rows apart.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_TILE_FRAGMENTLAYOUT_H
#define MM01_DIALECTS_TILE_FRAGMENTLAYOUT_H

#include <cstdint>
#include <utility>

namespace mm01::tile {

struct FragmentLayout {
  /// Rows that one warp group holds.
  static constexpr int64_t rows = 64;
  /// Values of a vector with an element for each row that a thread holds.
  static constexpr int64_t rowRegisters = 2;
  int64_t columns;

  /// Elements that a thread holds.
  int64_t registers() const { return columns / 2; }

  /// Row and column of a register relative to those of register 0 of the same
  /// thread: every thread has the same.
  static std::pair<int64_t, int64_t> place(int64_t index) {
    return {8 * (index / 2 % 2), 8 * (index / 4) + index % 2};
  }
  /// The row of a register of a vector relative to that of register 0.
  static int64_t rowPlace(int64_t index) { return 8 * index; }
  /// Which of the thread's rows a register belongs to.
  static int64_t rowOf(int64_t index) { return index / 2 % 2; }
  /// Row and column of register 0 of a thread.
  static std::pair<int64_t, int64_t> origin(int64_t warp, int64_t lane) {
    return {16 * warp + lane / 4, 2 * (lane % 4)};
  }
};

} // namespace mm01::tile

#endif // MM01_DIALECTS_TILE_FRAGMENTLAYOUT_H
