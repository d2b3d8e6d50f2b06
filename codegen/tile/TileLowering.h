//===- TileLowering.h - shared by the patterns of the conversion *- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_TILE_TILELOWERING_H
#define MM01_CODEGEN_TILE_TILELOWERING_H

#include "dialects/tile/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mm01 {

/// What a value of a tile program is to one thread:
///
///     tensor of f32, i32, i1   a scalar for each register of FragmentLayout
///     tensor of bf16           a vector<2xbf16> for each two of them
///     tensor of i8             an i32 for each two of them, in its low bytes
///     buffer, barriers, words  the address in shared memory, an i32
///     memref, tensor map       a pointer
///     ragged batch             a pointer to mm01_ragged
struct TileTypeConverter : mlir::TypeConverter {
  explicit TileTypeConverter(mlir::MLIRContext *context);
};

/// How many values of a tensor with a layout a thread holds.
int64_t registersOf(mlir::RankedTensorType type);

/// Where the allocations of a kernel lie in its shared memory.
struct SharedPlan {
  llvm::DenseMap<mlir::Operation *, int64_t> offsets;
  /// Bytes in use.
  int64_t bytes = 0;

  /// Places the buffers and then the barriers and words of a kernel.
  explicit SharedPlan(tile::KernelOp kernel);
};

/// Builds the arithmetic of one thread, on i32 except where it says otherwise.
struct ThreadBuilder : mlir::ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b) { return b ? add(a, i32(b)) : a; }
  mlir::Value mul(mlir::Value a, int64_t b);
  mlir::Value div(mlir::Value a, int64_t b);
  mlir::Value rem(mlir::Value a, int64_t b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  /// An index as i32.
  mlir::Value narrow(mlir::Value index);
  /// Number of the thread in its block and in its warp.
  mlir::Value thread();
  /// Number of the warp among those that hold a tile of `rows` rows; groups of
  /// a role follow each other, so their warps have different remainders.
  mlir::Value warpOf(int64_t rows) { return rem(div(thread(), 32), rows / 16); }
  /// Number of the warp group among those that hold a tile of `rows` rows, in
  /// a register that is known to be the same in the whole warp.
  mlir::Value groupOf(int64_t rows);
  mlir::Value lane() { return rem(thread(), 32); }
  /// Number of the block in its cluster.
  mlir::Value blockInCluster();
  mlir::Value isZero(mlir::Value a);
  /// An i1 as an i32, of which PTX can make a predicate.
  mlir::Value word(mlir::Value flag);
  /// The address at which the block's shared memory begins.
  mlir::Value sharedBase();
  /// Address of a tile or barrier of a ring: base + index * bytes.
  mlir::Value element(mlir::Value base, mlir::Value index, int64_t bytes);
};

void populateFragmentPatterns(const TileTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
void populateGlobalPatterns(const TileTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateItemPatterns(const TileTypeConverter &converter,
                          const SharedPlan &plan,
                          mlir::RewritePatternSet &patterns);
void populateMmaPatterns(const TileTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
void populateRowPatterns(const TileTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
void populateSharedPatterns(const TileTypeConverter &converter,
                            const SharedPlan &plan,
                            mlir::RewritePatternSet &patterns);
void populateSyncPatterns(const TileTypeConverter &converter,
                          const SharedPlan &plan,
                          mlir::RewritePatternSet &patterns);

} // namespace mm01

#endif // MM01_CODEGEN_TILE_TILELOWERING_H
