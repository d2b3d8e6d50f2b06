//===- ShapeTensorMaps.cpp - give tensor maps the layouts of kernels ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program says of a map which tile it moves; in which panels and with which
// swizzle, the kernel's buffers say.
//
// Before: tile.kernel @k(%m: !exec.tensor_map
//             {tile.box = [64, 64], tile.swizzle = 128}) …
//         %map = exec.tensor_map %x view […] strides […] box [1, 64, 128]
//         exec.launch_device @kernels::@k grid(…) (%map)
// After:  %map = exec.tensor_map %x view […] strides […] box [1, 64, 64]
//             swizzle 128
//
// Requires layouts (--mm01-infer-layouts). Test:
// test/passes/tile/shape-tensor-maps.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"

namespace mm01 {
#define GEN_PASS_DEF_SHAPETENSORMAPSPASS
#include "passes/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

struct ShapeTensorMapsPass
    : mm01::impl::ShapeTensorMapsPassBase<ShapeTensorMapsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    WalkResult walk =
        getOperation().walk([&](exec::LaunchDeviceOp launch) -> WalkResult {
          auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(
              launch, launch.getKernelAttr());
          if (!kernel)
            return WalkResult::advance();
          for (OpOperand &capture : launch.getCapturesMutable())
            if (auto map = capture.get().getDefiningOp<exec::TensorMapOp>();
                map && failed(shape(capture, map, kernel, launch)))
              return WalkResult::interrupt();
          return WalkResult::advance();
        });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

private:
  /// Whether the box is as wide as what the map shows.
  static bool hasAllColumns(exec::TensorMapOp map) {
    int64_t width = map.getBox().back();
    if (!map.getExtents().empty())
      return getConstantIntValue(map.getExtents().back()) == width;
    return cast<MemRefType>(map.getSource().getType()).getShape().back() ==
           width;
  }

  /// Makes a map of its own for the launch; one that nothing needs any more
  /// goes.
  LogicalResult shape(OpOperand &capture, exec::TensorMapOp map,
                      KernelOp kernel, exec::LaunchDeviceOp launch) {
    unsigned index = capture.getOperandNumber() -
                     launch.getCaptures().getBeginOperandIndex();
    auto given = kernel.getArgAttrOfType<ArrayAttr>(index, kBoxAttr);
    auto swizzle = kernel.getArgAttrOfType<IntegerAttr>(index, kSwizzleAttr);
    // A map that nothing copies through.
    if (!given || !swizzle)
      return success();
    int64_t rows = cast<IntegerAttr>(given[0]).getInt();
    int64_t columns = cast<IntegerAttr>(given[1]).getInt();
    SmallVector<int64_t> box(map.getBox());
    int64_t covered = 1;
    for (int64_t extent : ArrayRef(box).drop_back())
      covered *= extent;
    // Panels may be wider than all columns of the tensor: a copy in puts zeros
    // behind those, and a copy out drops what is there.
    if (covered != rows || (box.back() < columns && !hasAllColumns(map)))
      return map.emitOpError("has a box of [")
             << ArrayRef(box) << "], expected " << rows
             << " rows and columns in panels of " << columns
             << ", which kernel " << kernel.getName() << " copies";
    box.back() = columns;
    OpBuilder builder(map);
    auto shaped = cast<exec::TensorMapOp>(builder.clone(*map));
    shaped.setBox(box);
    shaped.setSwizzle(swizzle.getInt());
    capture.set(shaped);
    if (map->use_empty())
      map.erase();
    return success();
  }
};

} // namespace
