//===- GroupedWriter.h - writes products of experts -------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_GROUPEDWRITER_H
#define MM01_PASSES_PROGRAMS_GROUPEDWRITER_H

#include "passes/programs/GroupedProgram.h"

#include "dialects/mm01/Mm01Dialect.h"

namespace mm01 {

/// How a program cuts its work into tiles.
struct GroupedTiles {
  /// Rows of a tile.
  int64_t width;
  /// Rows of a tile of one weight, and features of a block: a tile of a gate
  /// and one of its partner make as many features as one has rows.
  int64_t features;
  /// What a row's copy is: some rows for both blocks, or some panels of all.
  int64_t rowsOfCopy;
  /// Rows and features of a tile of results.
  int64_t rowsOfResult, featuresOfResult;
  /// Steps of a product that an iteration takes.
  int64_t stepsAtOnce = 1;
};

/// Writes what all these programs have: the items, and their tiles' ways from
/// and to memory.
class GroupedWriter {
public:
  using Values = TileBuilder::Values;

  GroupedWriter(TileBuilder &b, const GroupedTiles &tiles, int64_t above,
                const GroupedOperands &in);
  virtual ~GroupedWriter() = default;

  void write();

protected:
  /// A tile of an expert's rows and of the block's features; `first` is the
  /// number of the expert's first item.
  struct Item {
    mlir::Value expert, first, row, left, feature;
  };

  /// The products of an item.
  virtual void multiply(const Item &item) = 0;

  mlir::Value i32(int64_t value) { return b.constant(b.getI32Type(), value); }
  mlir::Value index(mlir::Value number);

  /// Sums of products over k, from 0, of tiles of a type; `step` gets the tiles
  /// of weights and rows. With several steps at once the last iteration may
  /// have tiles of zeros behind the rows' ends.
  using Step = llvm::function_ref<Values(
      mlir::ValueRange weights, mlir::Value rows, mlir::ValueRange sums)>;
  Values accumulate(const Item &item, int64_t sums, mlir::Type type, Step step);

  /// silu(gate) * up.
  mlir::Value gate(mlir::Value gate, mlir::Value up);

  /// Writes the first `left` rows of a tile, transposed, that begins at `row`.
  void copyOut(mlir::Value tile, mlir::Value feature, mlir::Value row,
               mlir::Value left);

  TileBuilder &b;
  const GroupedTiles tiles;
  const GroupedOperands &in;
  const bool gated;
  int64_t experts, features, hidden, step;

private:
  /// Where an expert's rows begin, how many there are, and tiles of them.
  struct Expert {
    mlir::Value begin, count, tiles;
  };

  mlir::Value map(mlir::Value source, mlir::Value displacement,
                  llvm::ArrayRef<mlir::Value> extents,
                  llvm::ArrayRef<mlir::Value> strides,
                  llvm::ArrayRef<int64_t> box);
  mlir::Value mapOfWeight(mlir::Value weight);
  mlir::Value mapOfRows();
  mlir::Value mapOfOut();

  Expert load(mlir::Value expert);
  mlir::Value itemsOf(const Expert &expert);
  mlir::Value countItems();
  Item find(mlir::Value number, mlir::Value expert, mlir::Value first);

  mlir::Value copyIn(mlir::Value map, mlir::ValueRange at, int64_t rows,
                     mlir::Type type, bool shared);

  int64_t above, mostRows;
  mlir::Type weightElement;
  Values weightMaps;
  mlir::Value rowMap, outMap, rank, rowCount;
};

/// Steps of an iteration with an int8 weight that is no gate.
inline constexpr int64_t kQuantizedSteps = 2;

/// Writes the programs of int8 weights.
void writeQuantizedProgram(TileBuilder &b, int64_t width, int64_t above,
                           const GroupedOperands &operands);

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_GROUPEDWRITER_H
