//===- KernelBuilder.h - writes kernels as scf.forall on tensors ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kernel candidate is an `scf.forall` with the attribute `mm01.kernel`,
// whose body is scf, linalg, arith, math and tensor ops on slices. This class
// keeps the conversions of the ops short enough to read beside the ops'
// formulas: names for index arithmetic, slices, loops and rows.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_KERNELBUILDER_H
#define MM01_PASSES_TILING_KERNELBUILDER_H

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace mm01 {

/// The name of a kernel candidate, on an scf.forall.
inline constexpr llvm::StringLiteral kKernelAttr = "mm01.kernel";

using Values = llvm::SmallVector<mlir::Value>;
using Indices = llvm::SmallVector<mlir::OpFoldResult>;

/// What a workgroup writes: `value` into `out` at these offsets.
struct Written {
  mlir::Value value;
  Indices offsets;
  Indices sizes;
};

class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  KernelBuilder(mlir::RewriterBase &rewriter, mlir::Location loc)
      : ImplicitLocOpBuilder(loc, rewriter.getContext(),
                             rewriter.getListener()) {
    restoreInsertionPoint(rewriter.saveInsertionPoint());
  }

  // Index and float scalars.
  mlir::Value index(int64_t value);
  mlir::Value f32(double value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value divide(mlir::Value a, mlir::Value b);
  mlir::Value remainder(mlir::Value a, mlir::Value b);
  mlir::Value ceilDivide(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  mlir::Value lessOrEqual(mlir::Value a, mlir::Value b);
  mlir::Value equal(mlir::Value a, mlir::Value b);
  /// index <-> i32.
  mlir::Value toIndex(mlir::Value i32);
  mlir::Value toI32(mlir::Value index);
  /// To the type that kernels compute in, float32, of floats and signed
  /// integers, and back to a storage type of floats.
  mlir::Value widen(mlir::Value x);
  mlir::Value narrow(mlir::Value x, mlir::Type type);
  /// Float arithmetic; multiplications and additions may contract.
  mlir::Value addf(mlir::Value a, mlir::Value b);
  mlir::Value subf(mlir::Value a, mlir::Value b);
  mlir::Value mulf(mlir::Value a, mlir::Value b);
  mlir::Value divf(mlir::Value a, mlir::Value b);
  mlir::Value exp(mlir::Value x);
  /// a + b of a reduction, which may be reassociated.
  mlir::Value accumulate(mlir::Value a, mlir::Value b);

  // Ragged batches.
  mlir::Value raggedSize(mlir::Value ragged, RaggedExtent extent);
  mlir::Value raggedGet(mlir::Value ragged, RaggedField field,
                        mlir::ValueRange indices);

  // Tensors.
  mlir::Value dim(mlir::Value tensor, int64_t i);
  /// The extent as an attribute where it is static.
  mlir::OpFoldResult extent(mlir::Value tensor, int64_t i);
  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::Value fill(mlir::Value scalar, mlir::Value out);
  mlir::Value extract(mlir::Value tensor, mlir::ValueRange indices);
  mlir::Value insert(mlir::Value scalar, mlir::Value tensor,
                     mlir::ValueRange indices);
  /// tensor[offsets][sizes], leading extents of 1 dropped down to `rank`.
  mlir::Value slice(mlir::Value tensor,
                    llvm::ArrayRef<mlir::OpFoldResult> offsets,
                    llvm::ArrayRef<mlir::OpFoldResult> sizes, int64_t rank);
  mlir::Value insertSlice(mlir::Value value, mlir::Value tensor,
                          llvm::ArrayRef<mlir::OpFoldResult> offsets,
                          llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// Row i of a tensor, its first dimension dropped, and its way back.
  mlir::Value row(mlir::Value tensor, mlir::Value i);
  mlir::Value insertRow(mlir::Value value, mlir::Value tensor, mlir::Value i);
  /// Rows [first, first + count) of a tensor.
  mlir::Value rows(mlir::Value tensor, mlir::OpFoldResult first,
                   mlir::OpFoldResult count);

  // Loops.
  using LoopBody = llvm::function_ref<Values(mlir::Value, mlir::ValueRange)>;
  Values loop(mlir::Value from, mlir::Value to, mlir::ValueRange init,
              LoopBody body);
  using Branch = llvm::function_ref<Values()>;
  Values branch(mlir::Value condition, mlir::TypeRange types, Branch then,
                Branch otherwise);
  using Choice = llvm::function_ref<mlir::Value()>;
  mlir::Value select(mlir::Value condition, mlir::Type type, Choice then,
                     Choice otherwise);
  /// Σ body(i)[j] for i in [0, count), in float32, for each j < terms.
  Values sums(mlir::Value count, int64_t terms,
              llvm::function_ref<Values(mlir::Value)> body);
  /// Σ body(i) for i in [0, count), in float32.
  mlir::Value sum(mlir::Value count,
                  llvm::function_ref<mlir::Value(mlir::Value)> body);
  /// A linalg.generic with one output; a map lists the dimensions it reads.
  using ScalarBody = llvm::function_ref<mlir::Value(mlir::ValueRange)>;
  mlir::Value generic(mlir::ValueRange inputs, mlir::Value out,
                      llvm::ArrayRef<llvm::SmallVector<unsigned>> maps,
                      llvm::ArrayRef<mlir::utils::IteratorType> iterators,
                      ScalarBody body);
  /// The same over all elements of inputs and out of one shape.
  mlir::Value elementwise(mlir::ValueRange inputs, mlir::Value out,
                          ScalarBody body);
  /// out[j, i] = x[i, j] in float32.
  mlir::Value transpose(mlir::Value x, mlir::Value out);
  /// out + a bᵀ, which the BLAS does.
  mlir::Value multiplyInto(mlir::Value a, mlir::Value b, mlir::Value out);
  /// out = x, converted to the element type of out.
  mlir::Value copy(mlir::Value x, mlir::Value out);

  // Kernels.
  using KernelBody = llvm::function_ref<llvm::SmallVector<Written>(
      mlir::ValueRange ids, mlir::ValueRange outs)>;
  /// One workgroup for each point of a grid of at most three dimensions; the
  /// body says what each output gets, in the order of `outs`.
  mlir::ValueRange kernel(llvm::StringRef name, mlir::ValueRange grid,
                          mlir::ValueRange outs, KernelBody body);
  using Piece =
      llvm::function_ref<Written(mlir::Value number, mlir::Value out)>;
  /// Inside a kernel: `count` pieces of work that threads share; each reads and
  /// writes `out` at places of its own.
  mlir::Value forAll(mlir::OpFoldResult count, mlir::Value out, Piece body,
                     mlir::ArrayAttr mapping = {});
  /// The same on a GPU, each piece that of a warp.
  mlir::Value forWarps(mlir::Value count, mlir::Value out, Piece body);
  using RowBody = llvm::function_ref<Values(mlir::Value row, mlir::Value local,
                                            mlir::ValueRange tiles)>;
  /// A kernel over rows of the outputs, `tile` rows a workgroup: the body gets
  /// the row, its number in the tile and the outputs' tiles, and returns these.
  /// Inside a kernel, where the outputs are tiles already, a loop over them.
  mlir::ValueRange rowKernel(llvm::StringRef name, int64_t tile,
                             mlir::ValueRange outs, RowBody body);
};

/// True inside a kernel candidate.
bool inKernel(mlir::Operation *op);

/// A name that says what the op computes: its own, or that of the last
/// arithmetic op of a linalg.generic's body.
std::string kernelName(mlir::Operation *op);

/// Rows of `width` elements that one workgroup of a row kernel takes: about
/// 16,384 elements, enough to hide the cost of claiming a workgroup.
int64_t rowsPerWorkgroup(int64_t width);

} // namespace mm01

#endif // MM01_PASSES_TILING_KERNELBUILDER_H
