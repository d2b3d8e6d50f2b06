//===- TileBuilder.h - writes tile programs ---------------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_TILEBUILDER_H
#define MM01_PASSES_PROGRAMS_TILEBUILDER_H

#include "dialects/tile/TileDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mm01 {

/// Writes tile programs: arithmetic on numbers and, with the same functions,
/// on tiles in registers, whose extents are those of the operands.
struct TileBuilder : mlir::ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Values = llvm::SmallVector<mlir::Value>;

  // Constants; of a tile, one value for all elements.
  mlir::Value index(int64_t value);
  mlir::Value f32(double value);
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value constant(mlir::Type type, int64_t value);

  // Indices and i32, and tiles of i32.
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  mlir::Value divide(mlir::Value a, int64_t b);
  mlir::Value ceilDivide(mlir::Value a, int64_t b);
  mlir::Value compare(mlir::arith::CmpIPredicate how, mlir::Value a,
                      mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// An index as i32.
  mlir::Value toI32(mlir::Value index);
  /// An index, an i32 or a tile of i32 as f32.
  mlir::Value toFloat(mlir::Value value);

  // f32, and tiles of f32 and bf16.
  mlir::Value addf(mlir::Value a, mlir::Value b);
  mlir::Value subf(mlir::Value a, mlir::Value b);
  mlir::Value mulf(mlir::Value a, mlir::Value b);
  mlir::Value negf(mlir::Value a);
  /// a · b + c with one rounding.
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value exp2(mlir::Value a);
  mlir::Value expm1(mlir::Value a);
  mlir::Value toBf16(mlir::Value tile);
  mlir::Value toF32(mlir::Value tile);
  /// A tile of i8 as bf16.
  mlir::Value widenBytes(mlir::Value tile);

  // Tiles.
  mlir::RankedTensorType tile(int64_t rows, int64_t columns, mlir::Type type);
  /// One value for all elements of a tile of `rows` and `columns`.
  mlir::Value splat(mlir::Value scalar, int64_t rows, int64_t columns);
  /// The number of the row (0) or the column (1) of each element.
  mlir::Value iota(int64_t dimension, int64_t rows, int64_t columns);

  /// A tile with one value in each row.
  mlir::Value broadcast(mlir::Value rows, int64_t columns);

  // Tiles in shared memory; of bf16 where no type is given.
  mlir::Value alloc(int64_t rows, int64_t columns, mlir::Type type = nullptr);
  mlir::Value mma(mlir::Value a, bool transposeA, mlir::Value b,
                  bool transposeB, mlir::Value accumulator = nullptr);
  mlir::Value read(mlir::Value buffer, bool transposed);
  void write(mlir::Value tile, mlir::Value buffer, bool transposed);

  // Control.
  using LoopBody = llvm::function_ref<Values(mlir::Value, mlir::ValueRange)>;
  /// A loop from 0 by 1.
  Values loop(mlir::Value count, mlir::ValueRange init, LoopBody body);
  using Branch = llvm::function_ref<Values()>;
  Values branch(mlir::Value condition, Branch then, Branch otherwise);

  // Ragged batches.
  mlir::Value raggedSize(mlir::Value ragged, RaggedExtent extent);
  mlir::Value raggedGet(mlir::Value ragged, RaggedField field,
                        mlir::Value index);

  /// Extents and strides of a buffer that the body of a program sees.
  struct Layout {
    Values extents, strides;
  };
  Layout layoutOf(mlir::Value buffer);

  /// The map of a tensor [tokens, heads, size] for tiles of `rows` tokens of
  /// one head, that clips the last tokens of a sequence: {heads, tokens + rows,
  /// rows, size}, beginning `rows` tokens before the tensor. At coordinates
  /// (column, rows - n, token + n, head) a tile holds the n tokens from
  /// `token`, and then zeros.
  mlir::Value raggedMap(mlir::Value buffer, int64_t rows, int64_t columns);

  /// A program on tensors; `body` writes it, but for its end, and gets what it
  /// sees of `ins` and `outs`. A multiprocessor holds `resident` of its blocks.
  using ProgramBody =
      llvm::function_ref<void(mlir::ValueRange ins, mlir::ValueRange outs)>;
  tile::ProgramOp program(llvm::StringRef name, mlir::ValueRange grid,
                          int64_t cluster, mlir::ValueRange ins,
                          mlir::ValueRange outs, ProgramBody body,
                          int64_t resident = 1);
};

} // namespace mm01

#endif // MM01_PASSES_PROGRAMS_TILEBUILDER_H
