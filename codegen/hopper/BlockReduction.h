//===- BlockReduction.h - one value from all threads of a block -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_BLOCKREDUCTION_H
#define MM01_CODEGEN_HOPPER_BLOCKREDUCTION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mm01 {

/// Threads of a block, and of a warp.
inline constexpr int64_t kBlockThreads = 256;
inline constexpr int64_t kWarpThreads = 32;

/// The operation that combines two values of a reduction, where it may be done
/// in any order and has a neutral element: integer sums and products, least and
/// greatest values, and float sums and products with `reassoc`.
struct Combiner {
  mlir::Operation *op = nullptr;
  mlir::TypedAttr neutral;

  /// The combiner of iteration argument or output `index`, or nothing. The
  /// types are f32, f64, i32 or i64.
  static std::optional<Combiner>
  match(llvm::ArrayRef<mlir::BlockArgument> carried, unsigned index);

  mlir::Value combine(mlir::OpBuilder &builder, mlir::Value a,
                      mlir::Value b) const;
};

/// Combines one value of each lane of a warp, by shuffles; every lane gets the
/// result.
mlir::Value reduceWarp(mlir::ImplicitLocOpBuilder &builder,
                       const Combiner &combiner, mlir::Value value);

/// Combines one value of each thread; every thread gets the result, which
/// depends on no timing: warps first, by shuffles, then their results, in
/// order. `slots` is a buffer in shared memory with an element for each warp.
mlir::Value reduceBlock(mlir::ImplicitLocOpBuilder &builder,
                        const Combiner &combiner, mlir::Value value,
                        mlir::Value thread, mlir::Value slots);

} // namespace mm01

#endif // MM01_CODEGEN_HOPPER_BLOCKREDUCTION_H
