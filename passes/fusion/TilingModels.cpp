//===- TilingModels.cpp - tiles of the mm01 ops on rows of tokens ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row t of what these ops compute depends on row t of what they read, so that a
// tile is the same op on a range of rows:
//
//     %y = mm01.rms_norm %x, %w into %out
//   ->
//     %xs = tensor.extract_slice %x[%first, 0] [%count, 64] [1, 1]
//     %os = tensor.extract_slice %out[%first, 0] [%count, 64] [1, 1]
//     %ys = mm01.rms_norm %xs, %w into %os
//
// The TilingInterface of upstream says so to the fusion passes. Tested by
// test/passes/fusion/fuse-rows.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/Passes.h"

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mm01;

/// True where an op reads rows of an operand that its own rows do not number.
static bool readsAnyRow(RmsNormOp, OpOperand &) { return false; }
static bool readsAnyRow(RouteOp, OpOperand &) { return false; }
static bool readsAnyRow(EmbeddingOp, OpOperand &) { return false; }
static bool readsAnyRow(CombineOp op, OpOperand &operand) {
  return operand.get() == op.getRows();
}

/// Offsets and sizes of rows [first, first + count) of a tensor.
static std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
rowsOf(OpBuilder &b, Value tensor, OpFoldResult first, OpFoldResult count) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, tensor.getLoc(), tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  offsets[0] = first;
  sizes[0] = count;
  return {offsets, sizes};
}

// An external model overrides by hiding.
// NOLINTBEGIN(bugprone-derived-method-shadowing-base-method)
namespace {

/// One loop, over the rows.
template <typename Op>
struct RowModel : TilingInterface::ExternalModel<RowModel<Op>, Op> {
  using Indices = SmallVector<OpFoldResult>;

  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *) const {
    return {utils::IteratorType::parallel};
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    Value out = cast<DestinationStyleOpInterface>(op).getDpsInits()[0];
    return {{b.getIndexAttr(0), tensor::getMixedSize(b, op->getLoc(), out, 0),
             b.getIndexAttr(1)}};
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &b,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    TilingResult result;
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      operands.push_back(operand.get());
      if (!isByRow(op, operand))
        continue;
      auto [at, extents] = rowsOf(b, operand.get(), offsets[0], sizes[0]);
      Indices strides(at.size(), b.getIndexAttr(1));
      operands.back() = tensor::ExtractSliceOp::create(
          b, op->getLoc(), operand.get(), at, extents, strides);
      result.generatedSlices.push_back(operands.back().getDefiningOp());
    }
    auto inits = cast<DestinationStyleOpInterface>(op).getDpsInitsMutable();
    SmallVector<Type> types;
    for (OpOperand &init : inits)
      types.push_back(operands[init.getOperandNumber()].getType());
    Operation *tile = mlir::clone(b, op, types, operands);
    result.tiledOps.push_back(tile);
    llvm::append_range(result.tiledValues, tile->getResults());
    return result;
  }

  LogicalResult getResultTilePosition(Operation *op, OpBuilder &b,
                                      unsigned number,
                                      ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes,
                                      Indices &resultOffsets,
                                      Indices &resultSizes) const {
    Value out = cast<DestinationStyleOpInterface>(op).getDpsInits()[number];
    std::tie(resultOffsets, resultSizes) = rowsOf(b, out, offsets[0], sizes[0]);
    return success();
  }

  /// Whole rows alone: a row's elements depend on each other.
  LogicalResult getIterationDomainTileFromOperandTiles(
      Operation *op, OpBuilder &, ArrayRef<unsigned> numbers,
      ArrayRef<Indices> offsets, ArrayRef<Indices> sizes,
      SmallVectorImpl<OpFoldResult> &domainOffsets,
      SmallVectorImpl<OpFoldResult> &domainSizes) const {
    for (auto [number, at, extents] :
         llvm::zip_equal(numbers, offsets, sizes)) {
      OpOperand &operand = op->getOpOperand(number);
      auto type = cast<RankedTensorType>(operand.get().getType());
      if (!isByRow(op, operand) ||
          !isEqualConstantIntOrValue(at[0], offsets[0][0]) ||
          !isEqualConstantIntOrValue(extents[0], sizes[0][0]))
        return failure();
      for (int64_t i = 1; i < type.getRank(); ++i)
        if (type.isDynamicDim(i) || !isConstantIntValue(at[i], 0) ||
            !isConstantIntValue(extents[i], type.getDimSize(i)))
          return failure();
    }
    domainOffsets.assign({offsets[0][0]});
    domainSizes.assign({sizes[0][0]});
    return success();
  }

private:
  static bool isByRow(Operation *op, OpOperand &operand) {
    return isa<RankedTensorType>(operand.get().getType()) &&
           !readsAnyRow(cast<Op>(op), operand);
  }
};

} // namespace
// NOLINTEND(bugprone-derived-method-shadowing-base-method)

void mm01::registerTilingModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, Mm01Dialect *) {
    CombineOp::attachInterface<RowModel<CombineOp>>(*context);
    EmbeddingOp::attachInterface<RowModel<EmbeddingOp>>(*context);
    RmsNormOp::attachInterface<RowModel<RmsNormOp>>(*context);
    RouteOp::attachInterface<RowModel<RouteOp>>(*context);
  });
}
