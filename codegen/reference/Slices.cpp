//===- Slices.cpp - rectangular parts of tensors --------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Slices.h"

#include "codegen/reference/Frame.h"

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

int64_t Slice::elements() const {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

Error checkSlice(Operation *op, ArrayRef<int64_t> shape, const Slice &slice) {
  if (Error error = checkShape(op, slice.sizes))
    return error;
  // An empty slice reads nothing, wherever it is.
  if (slice.elements() == 0)
    return Error::success();
  for (auto [dimension, extent] : llvm::enumerate(shape)) {
    int64_t offset = slice.offsets[dimension], size = slice.sizes[dimension],
            stride = slice.strides[dimension];
    bool inside = offset >= 0 && offset < extent && stride > -kMaxElements &&
                  stride < kMaxElements;
    int64_t last = inside ? offset + (size - 1) * stride : -1;
    if (last < 0 || last >= extent)
      return opError(op, "takes " + Twine(size) + " elements from " +
                             Twine(offset) + " by steps of " + Twine(stride) +
                             " in dimension " + Twine(dimension) +
                             ", expected elements in [0, " + Twine(extent) +
                             ")");
  }
  return Error::success();
}

/// Calls visit(position in the whole tensor) for each element of the slice, in
/// memory order of the slice.
template <typename Visit>
static void forEachElement(ArrayRef<int64_t> shape, const Slice &slice,
                           Visit visit) {
  if (shape.empty())
    return visit(0);
  if (slice.elements() == 0)
    return;
  size_t rank = shape.size(), inner = rank - 1;
  SmallVector<int64_t> pitch(rank, 1);
  for (size_t i = inner; i > 0; --i)
    pitch[i - 1] = pitch[i] * shape[i];
  SmallVector<int64_t> index(inner, 0);
  ArrayRef<int64_t> outerSizes = ArrayRef(slice.sizes).drop_back();
  int64_t rows = slice.elements() / slice.sizes[inner];
  for (int64_t row = 0; row < rows; ++row) {
    int64_t at = slice.offsets[inner];
    for (size_t i = 0; i < inner; ++i)
      at += (slice.offsets[i] + index[i] * slice.strides[i]) * pitch[i];
    for (int64_t i = 0; i < slice.sizes[inner]; ++i)
      visit(at + i * slice.strides[inner]);
    advance(index, outerSizes);
  }
}

void copyFromSlice(const Scalar *whole, Scalar *part, ArrayRef<int64_t> shape,
                   const Slice &slice) {
  forEachElement(shape, slice, [&](int64_t at) { *part++ = whole[at]; });
}

void copyIntoSlice(const Scalar *part, Scalar *whole, ArrayRef<int64_t> shape,
                   const Slice &slice) {
  forEachElement(shape, slice, [&](int64_t at) { whole[at] = *part++; });
}

void advance(MutableArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  for (size_t i = index.size(); i > 0; --i) {
    if (++index[i - 1] < shape[i - 1])
      return;
    index[i - 1] = 0;
  }
}

} // namespace mm01::reference
