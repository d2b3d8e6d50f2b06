//===- LinalgLoops.cpp - the loop nest of a structured op -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/LinalgLoops.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

int64_t product(ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents)
    result *= extent;
  return result;
}

int64_t LinalgLoops::Access::at(ArrayRef<int64_t> point) const {
  int64_t position = base;
  for (auto [pitch, index] : llvm::zip(pitches, point))
    position += pitch * index;
  return position;
}

/// Bounds each loop by the extents that it alone runs over.
static Error findExtents(linalg::LinalgOp op, ArrayRef<AffineMap> maps,
                         ArrayRef<Tensor> operands,
                         SmallVectorImpl<int64_t> &extents) {
  extents.assign(op.getNumLoops(), -1);
  for (auto [map, tensor] : llvm::zip_equal(maps, operands))
    for (auto [expression, extent] :
         llvm::zip_equal(map.getResults(), tensor.shape())) {
      auto loop = dyn_cast<AffineDimExpr>(expression);
      if (!loop)
        continue;
      int64_t &bound = extents[loop.getPosition()];
      if (bound >= 0 && bound != extent)
        return opError(op, "loop " + Twine(loop.getPosition()) +
                               " runs over dimensions of " + Twine(bound) +
                               " and of " + Twine(extent) + " elements");
      bound = extent;
    }
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent < 0)
      return opError(op, "no operand bounds loop " + Twine(loop));
  return Error::success();
}

/// Turns a map from points to indices into one to positions in memory.
static Error findAccess(linalg::LinalgOp op, AffineMap map,
                        const Tensor &tensor, ArrayRef<int64_t> extents,
                        LinalgLoops::Access &access) {
  size_t loops = extents.size();
  access.pitches.assign(loops, 0);
  int64_t pitch = tensor.elements();
  for (auto [expression, extent] :
       llvm::zip_equal(map.getResults(), tensor.shape())) {
    SmallVector<int64_t> row;
    if (failed(getFlattenedAffineExpr(expression, loops, 0, &row)) ||
        row.size() != loops + 1)
      return opError(op, "has an index expression that is not linear");
    pitch = extent ? pitch / extent : 0;
    int64_t low = row.back(), high = row.back();
    access.base += row.back() * pitch;
    for (size_t loop = 0; loop < loops; ++loop) {
      access.pitches[loop] += row[loop] * pitch;
      int64_t reach = row[loop] * (extents[loop] - 1);
      (reach < 0 ? low : high) += reach;
    }
    if (product(extents) > 0 && (low < 0 || high >= extent))
      return opError(op,
                     "reads or writes index " + Twine(low < 0 ? low : high) +
                         " of a dimension of " + Twine(extent) + " elements");
  }
  return Error::success();
}

Expected<LinalgLoops> LinalgLoops::create(linalg::LinalgOp op,
                                          ArrayRef<Tensor> inputs,
                                          ArrayRef<Tensor> outputs) {
  LinalgLoops loops;
  SmallVector<Tensor> operands(inputs);
  operands.append(outputs.begin(), outputs.end());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (Error error = findExtents(op, maps, operands, loops.extents))
    return error;
  for (auto [map, tensor] : llvm::zip_equal(maps, operands)) {
    loops.accesses.emplace_back();
    if (Error error =
            findAccess(op, map, tensor, loops.extents, loops.accesses.back()))
      return error;
  }

  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  ArrayRef<Access> written = ArrayRef(loops.accesses).drop_front(inputs.size());
  for (auto [loop, iterator] : llvm::enumerate(iterators)) {
    bool moves = llvm::all_of(written, [loop = loop](const Access &access) {
      return access.pitches[loop] != 0;
    });
    if (iterator == utils::IteratorType::parallel && moves &&
        (!loops.lane || loops.extents[loop] > loops.extents[*loops.lane]))
      loops.lane = loop;
  }
  return loops;
}

} // namespace mm01::reference
