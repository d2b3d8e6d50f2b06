//===- TensorModels.cpp - reference of tensor -----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Models.h"
#include "codegen/reference/Slices.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

/// The extents of a type whose dynamic ones are given in order.
static SmallVector<int64_t> mixedShape(RankedTensorType type,
                                       ValueRange dynamic, Frame &frame) {
  SmallVector<int64_t> shape(type.getShape());
  auto next = dynamic.begin();
  for (int64_t &extent : shape)
    if (ShapedType::isDynamic(extent))
      extent = frame.integer(*next++);
  return shape;
}

//===----------------------------------------------------------------------===//
// Making tensors
//===----------------------------------------------------------------------===//

static Error makeUnwritten(Operation *op, ValueRange dynamic, Frame &frame) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> shape = mixedShape(type, dynamic, frame);
  if (Error error = checkShape(op, shape))
    return error;
  return frame.set(op->getResult(0), Tensor(shape, type.getElementType()));
}

static Error empty(tensor::EmptyOp op, Frame &frame) {
  return makeUnwritten(op, op.getDynamicSizes(), frame);
}

static Error allocTensor(bufferization::AllocTensorOp op, Frame &frame) {
  if (op.getCopy())
    return frame.set(op.getResult(), frame.tensor(op.getCopy()));
  return makeUnwritten(op, op.getDynamicSizes(), frame);
}

static Error splat(tensor::SplatOp op, Frame &frame) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape = mixedShape(type, op.getDynamicSizes(), frame);
  if (Error error = checkShape(op, shape))
    return error;
  Tensor tensor(shape, type.getElementType());
  std::fill_n(tensor.overwrite(), tensor.elements(),
              frame.scalar(op.getInput()));
  return frame.set(op.getResult(), std::move(tensor));
}

static Error fromElements(tensor::FromElementsOp op, Frame &frame) {
  auto type = cast<RankedTensorType>(op.getType());
  Tensor tensor(type.getShape(), type.getElementType());
  Scalar *to = tensor.overwrite();
  for (mlir::Value element : op.getElements())
    *to++ = frame.scalar(element);
  return frame.set(op.getResult(), std::move(tensor));
}

/// The scalar that a region yields for the element at `index`.
static Expected<Scalar> yieldElement(Region &region, ArrayRef<int64_t> index,
                                     Frame &frame) {
  SmallVector<InterpreterValue> arguments;
  for (int64_t i : index) {
    Scalar scalar;
    scalar.i = i;
    arguments.push_back(scalar);
  }
  auto results = frame.runRegion(region, std::move(arguments));
  if (!results)
    return results.takeError();
  return std::get<Scalar>(results->front());
}

static Error generate(tensor::GenerateOp op, Frame &frame) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape = mixedShape(type, op.getDynamicExtents(), frame);
  if (Error error = checkShape(op, shape))
    return error;
  Tensor tensor(shape, type.getElementType());
  Scalar *to = tensor.overwrite();
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, count = tensor.elements(); i < count; ++i) {
    Expected<Scalar> element = yieldElement(op.getBody(), index, frame);
    if (!element)
      return element.takeError();
    to[i] = *element;
    advance(index, shape);
  }
  return frame.set(op.getResult(), std::move(tensor));
}

static Error pad(tensor::PadOp op, Frame &frame) {
  Tensor source = frame.tensor(op.getSource());
  SmallVector<int64_t> low = frame.integers(op.getMixedLowPad()),
                       high = frame.integers(op.getMixedHighPad());
  SmallVector<int64_t> shape;
  for (auto [extent, before, after] : llvm::zip(source.shape(), low, high)) {
    for (int64_t added : {before, after})
      if (Error error = checkIndex(op, "a padding", added, kMaxElements))
        return error;
    shape.push_back(before + extent + after);
  }
  if (Error error = checkShape(op, shape))
    return error;
  Tensor tensor(shape, source.elementType());
  Scalar *to = tensor.overwrite();

  // Usually one number pads all; else the region says which pads each element.
  bool uniform =
      llvm::all_of(op.getRegion().getArguments(),
                   [](BlockArgument index) { return index.use_empty(); });
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, count = tensor.elements(); i < count; ++i) {
    if (i > 0 && uniform) {
      to[i] = to[0];
      continue;
    }
    Expected<Scalar> element = yieldElement(op.getRegion(), index, frame);
    if (!element)
      return element.takeError();
    to[i] = *element;
    advance(index, shape);
  }
  SmallVector<int64_t> ones(shape.size(), 1);
  Slice slice{low, SmallVector<int64_t>(source.shape()), ones};
  copyIntoSlice(source.data(), to, shape, slice);
  return frame.set(op.getResult(), std::move(tensor));
}

//===----------------------------------------------------------------------===//
// Extents and other views of the same elements
//===----------------------------------------------------------------------===//

static Error dim(tensor::DimOp op, Frame &frame) {
  Tensor source = frame.tensor(op.getSource());
  int64_t dimension = frame.integer(op.getIndex());
  if (Error error = checkIndex(op, "the dimension", dimension, source.rank()))
    return error;
  return frame.setInteger(op.getResult(), source.extent(dimension));
}

static Error cast(tensor::CastOp op, Frame &frame) {
  return frame.set(op.getResult(), frame.take(op.getSourceMutable()));
}

static Error expandShape(tensor::ExpandShapeOp op, Frame &frame) {
  Tensor source = frame.take(op.getSrcMutable());
  SmallVector<int64_t> shape = frame.integers(op.getMixedOutputShape());
  if (Error error = checkShape(op, shape))
    return error;
  for (auto [group, extent] :
       llvm::zip(op.getReassociationIndices(), source.shape())) {
    int64_t product = 1;
    for (int64_t dimension : group)
      product *= shape[dimension];
    if (product != extent)
      return opError(op, "expands " + shapeText(source.shape()) + " to " +
                             shapeText(shape) +
                             ", which has another number of elements");
  }
  return frame.set(op.getResult(), source.reshaped(shape));
}

static Error collapseShape(tensor::CollapseShapeOp op, Frame &frame) {
  Tensor source = frame.take(op.getSrcMutable());
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    shape.push_back(1);
    for (int64_t dimension : group)
      shape.back() *= source.extent(dimension);
  }
  return frame.set(op.getResult(), source.reshaped(shape));
}

//===----------------------------------------------------------------------===//
// Elements and slices
//===----------------------------------------------------------------------===//

/// The position of an element in memory order.
static Expected<int64_t> linearIndex(Operation *op, const Tensor &tensor,
                                     ValueRange indices, Frame &frame) {
  int64_t position = 0;
  for (auto [dimension, index] : llvm::enumerate(indices)) {
    int64_t at = frame.integer(index), extent = tensor.extent(dimension);
    if (Error error = checkIndex(op, "index " + Twine(dimension), at, extent))
      return error;
    position = position * extent + at;
  }
  return position;
}

static Error extract(tensor::ExtractOp op, Frame &frame) {
  Tensor source = frame.tensor(op.getTensor());
  Expected<int64_t> at = linearIndex(op, source, op.getIndices(), frame);
  if (!at)
    return at.takeError();
  return frame.set(op.getResult(), source.data()[*at]);
}

static Error insert(tensor::InsertOp op, Frame &frame) {
  Tensor dest = frame.take(op.getDestMutable());
  Expected<int64_t> at = linearIndex(op, dest, op.getIndices(), frame);
  if (!at)
    return at.takeError();
  dest.mutableData()[*at] = frame.scalar(op.getScalar());
  return frame.set(op.getResult(), std::move(dest));
}

template <typename OpTy> Slice sliceOf(OpTy op, Frame &frame) {
  return {frame.integers(op.getMixedOffsets()),
          frame.integers(op.getMixedSizes()),
          frame.integers(op.getMixedStrides())};
}

static Error extractSlice(tensor::ExtractSliceOp op, Frame &frame) {
  Tensor source = frame.tensor(op.getSource());
  Slice slice = sliceOf(op, frame);
  if (Error error = checkSlice(op, source.shape(), slice))
    return error;
  SmallVector<int64_t> shape;
  SmallBitVector dropped = op.getDroppedDims();
  for (auto [dimension, size] : llvm::enumerate(slice.sizes))
    if (!dropped[dimension])
      shape.push_back(size);
  Tensor tensor(shape, source.elementType());
  copyFromSlice(source.data(), tensor.overwrite(), source.shape(), slice);
  return frame.set(op.getResult(), std::move(tensor));
}

/// Writes `source` into a slice of `dest`; the source may lack dimensions of
/// size 1.
static Error insertInto(Operation *op, const Tensor &source, Tensor &dest,
                        const Slice &slice) {
  if (Error error = checkSlice(op, dest.shape(), slice))
    return error;
  if (slice.elements() != source.elements())
    return opError(
        op, "inserts a tensor of the shape " + shapeText(source.shape()) +
                " into a slice of the sizes " + shapeText(slice.sizes));
  SmallVector<int64_t> shape(dest.shape());
  copyIntoSlice(source.data(), dest.mutableDataForCopies(), shape, slice);
  return Error::success();
}

static Error insertSlice(tensor::InsertSliceOp op, Frame &frame) {
  Tensor source = frame.tensor(op.getSource());
  Tensor dest = frame.take(op.getDestMutable());
  if (Error error = insertInto(op, source, dest, sliceOf(op, frame)))
    return error;
  return frame.set(op.getResult(), std::move(dest));
}

/// Inside of scf.forall: the destination is a block argument of the loop, which
/// this op changes in place and which the loop reads afterwards.
static Error parallelInsertSlice(tensor::ParallelInsertSliceOp op,
                                 Frame &frame) {
  Tensor source = frame.tensor(op.getSource());
  Slice slice = sliceOf(op, frame);
  Tensor dest = std::get<Tensor>(frame.remove(op.getDest()));
  Error error = insertInto(op, source, dest, slice);
  llvm::cantFail(frame.set(op.getDest(), std::move(dest)));
  return error;
}

static Error concat(tensor::ConcatOp op, Frame &frame) {
  Tensor first = frame.tensor(op.getInputs().front());
  int64_t dimension = op.getDim();
  SmallVector<int64_t> shape(first.shape());
  shape[dimension] = 0;
  for (mlir::Value input : op.getInputs())
    shape[dimension] += frame.tensor(input).extent(dimension);
  if (Error error = checkShape(op, shape))
    return error;
  Tensor tensor(shape, first.elementType());
  SmallVector<int64_t> offsets(shape.size(), 0), ones(shape.size(), 1);
  for (mlir::Value input : op.getInputs()) {
    Tensor part = frame.tensor(input);
    Slice slice{offsets, SmallVector<int64_t>(part.shape()), ones};
    if (Error error = insertInto(op, part, tensor, slice))
      return error;
    offsets[dimension] += part.extent(dimension);
  }
  return frame.set(op.getResult(), std::move(tensor));
}

static Error materialize(bufferization::MaterializeInDestinationOp op,
                         Frame &frame) {
  if (!op.getResult())
    return opError(op, "writes to memory, expected a tensor");
  return frame.set(op.getResult(), frame.take(op.getSourceMutable()));
}

void registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attach<tensor::EmptyOp, empty>(*context);
    attach<tensor::SplatOp, splat>(*context);
    attach<tensor::FromElementsOp, fromElements>(*context);
    attach<tensor::GenerateOp, generate>(*context);
    attach<tensor::PadOp, pad>(*context);
    attach<tensor::DimOp, dim>(*context);
    attach<tensor::CastOp, cast>(*context);
    attach<tensor::ExpandShapeOp, expandShape>(*context);
    attach<tensor::CollapseShapeOp, collapseShape>(*context);
    attach<tensor::ExtractOp, extract>(*context);
    attach<tensor::InsertOp, insert>(*context);
    attach<tensor::ExtractSliceOp, extractSlice>(*context);
    attach<tensor::InsertSliceOp, insertSlice>(*context);
    attach<tensor::ParallelInsertSliceOp, parallelInsertSlice>(*context);
    attach<tensor::ConcatOp, concat>(*context);
  });
  registry.addExtension(+[](MLIRContext *context,
                            bufferization::BufferizationDialect *) {
    attach<bufferization::AllocTensorOp, allocTensor>(*context);
    attach<bufferization::MaterializeInDestinationOp, materialize>(*context);
  });
}

} // namespace mm01::reference
