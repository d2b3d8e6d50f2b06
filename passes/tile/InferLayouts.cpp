//===- InferLayouts.cpp - decides where elements of tiles lie -------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The consumer decides. The matrix unit takes results, operands and what
// ldmatrix and stmatrix move in one fragment layout (FragmentLayout.h), and
// operands in shared memory in either major order from one kind of panel
// (SharedLayout.h). So a tensor has no choice, a buffer only that of its
// panel's width, and a tensor map none, once the buffers that it fills or
// drains have theirs.
//
// Before: %t = tile.read %b : !tile.buffer<64x64xbf16> -> tensor<64x64xbf16>
// After:  %t = tile.read %b : !tile.buffer<64x64xbf16, 128>
//                          -> tensor<64x64xbf16, #tile.accumulator>
//
// Test: test/passes/tile/infer-layouts.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Passes.h"

namespace mm01 {
#define GEN_PASS_DEF_INFERLAYOUTSPASS
#include "passes/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01::tile;

namespace {

struct InferLayoutsPass : mm01::impl::InferLayoutsPassBase<InferLayoutsPass> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Operation *op) {
      bool good = llvm::all_of(op->getResults(), [&](Value value) {
        return succeeded(setLayout(value, op));
      });
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            good = good && succeeded(setLayout(argument, op));
      if (!good)
        return WalkResult::interrupt();
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        retype(constant);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    result = getOperation().walk([&](Operation *op) {
      LogicalResult described = success();
      if (auto copy = dyn_cast<CopyInOp>(op))
        described = describe(copy.getMap(), copy.getBuffer().getType(),
                             copy.getRowCount(), copy.getMulticast(), op);
      else if (auto copy = dyn_cast<CopyOutOp>(op))
        described = describe(copy.getMap(), copy.getBuffer().getType(),
                             copy.getBuffer().getType().getRows(),
                             /*multicast=*/false, op);
      return failed(described) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult setLayout(Value value, Operation *op) {
    if (auto buffer = dyn_cast<BufferType>(value.getType())) {
      int64_t bytes = buffer.getColumns() *
                      buffer.getElementType().getIntOrFloatBitWidth() / 8;
      value.setType(buffer.withSwizzle(chooseSwizzle(bytes)));
      return success();
    }
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor)
      return success();
    auto role =
        isa<RoleOp>(op) ? cast<RoleOp>(op) : op->getParentOfType<RoleOp>();
    int64_t rows = FragmentLayout::rows * (role ? role.getGroups() : 1);
    bool vector = tensor.getRank() == 1;
    if (tensor.getRank() < 1 || tensor.getRank() > 2 ||
        tensor.getDimSize(0) != rows ||
        (!vector && tensor.getDimSize(1) % 8 != 0))
      return op->emitOpError("has a tile that its warp groups cannot hold: "
                             "expected ")
             << rows << " rows and a multiple of 8 columns, found " << tensor;
    value.setType(
        RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                              AccumulatorAttr::get(op->getContext())));
    return success();
  }

  /// The value of a constant has the type of its result.
  static void retype(arith::ConstantOp constant) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (elements)
      constant.setValueAttr(cast<TypedAttr>(
          Attribute(elements.reshape(cast<ShapedType>(constant.getType())))));
  }

  /// Writes on a map's argument what the copies of a buffer ask of it.
  LogicalResult describe(Value map, BufferType buffer, int64_t count,
                         bool multicast, Operation *op) {
    auto argument = dyn_cast<BlockArgument>(map);
    if (!argument || argument.getOwner()->getParentOp() != getOperation())
      return op->emitOpError("expected a tensor map that is an argument of the "
                             "kernel");
    Builder b(&getContext());
    KernelOp kernel = getOperation();
    SharedLayout layout = buffer.getLayout();
    layout.rows = count;
    int64_t rows =
        multicast ? layout.rowsOfShare(kernel.getCluster()) : layout.rows;
    Attribute box = b.getI64ArrayAttr({rows, layout.panelColumns()});
    Attribute swizzle = b.getI64IntegerAttr(layout.swizzle);
    unsigned index = argument.getArgNumber();
    Attribute other = kernel.getArgAttr(index, kBoxAttr);
    if (other &&
        (other != box || kernel.getArgAttr(index, kSwizzleAttr) != swizzle))
      return op->emitOpError("copies boxes of ")
             << box << " through a map that has boxes of " << other;
    kernel.setArgAttr(index, kBoxAttr, box);
    kernel.setArgAttr(index, kSwizzleAttr, swizzle);
    return success();
  }
};

} // namespace
