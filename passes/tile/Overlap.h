//===- Overlap.h - products of two iterations that can overlap --*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILE_OVERLAP_H
#define MM01_PASSES_TILE_OVERLAP_H

#include "dialects/tile/TileDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mm01 {

/// The two products of a loop's iteration of which threads compute the second's
/// operand from the first's result, while the matrix unit would have nothing to
/// do: the scores of an attention and the product of its weights with the
/// values. The first depends on nothing that the loop carries in registers, so
/// that the next iteration's can run beside this one's second.
struct Overlap {
  tile::MmaOp first, second;

  /// True for a buffer that the second product reads.
  bool isOfSecond(mlir::Value buffer) const {
    auto product = second;
    return product.getB() == buffer;
  }
};

/// The overlap in a loop that has two products, or none; `reason` says why.
std::optional<Overlap> findOverlap(mlir::scf::ForOp loop,
                                   llvm::StringRef &reason);

} // namespace mm01

#endif // MM01_PASSES_TILE_OVERLAP_H
