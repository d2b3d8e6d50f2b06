//===- ExecDeviceOps.cpp - verifiers of the ops that use a GPU ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/exec/ExecDialect.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mm01::exec;

/// The layout of a memref, or failure where it is not strided.
static FailureOr<std::pair<SmallVector<int64_t>, int64_t>>
getLayout(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return failure();
  return std::pair(strides, offset);
}

//===----------------------------------------------------------------------===//
// exec.launch_device
//===----------------------------------------------------------------------===//

LogicalResult LaunchDeviceOp::verify() {
  for (Type type : getCaptures().getTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      continue;
    auto layout = getLayout(memref);
    if (failed(layout) || ShapedType::isDynamic(layout->second))
      return emitOpError("C3: expected a memref of static offset, found ")
             << type;
  }
  return success();
}

LogicalResult LaunchDeviceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  // What serialising leaves of a kernel: its arguments are no longer known.
  if (symbol && symbol->getName().getStringRef() == "llvm.mlir.global")
    return success();
  auto kernel = dyn_cast_or_null<FunctionOpInterface>(symbol);
  if (!kernel ||
      kernel->getParentOp()->getName().getStringRef() != "gpu.module")
    return emitOpError("C1: ")
           << getKernelAttr() << " is no function of a gpu.module";
  if (kernel->getName().getDialectNamespace() == "llvm")
    return success();
  if (!llvm::equal(kernel.getArgumentTypes(), getCaptures().getTypes()))
    return emitOpError("C2: kernel ")
           << getKernelAttr() << " takes (" << kernel.getArgumentTypes()
           << "), found (" << getCaptures().getTypes() << ")";
  return success();
}

LogicalResult LaunchDeviceOp::canonicalize(LaunchDeviceOp op,
                                           PatternRewriter &rewriter) {
  for (Value extent : {op.getGridX(), op.getGridY(), op.getGridZ()}) {
    APInt value;
    if (!matchPattern(extent, m_ConstantInt(&value)) || !value.isZero())
      continue;
    rewriter.eraseOp(op);
    return success();
  }
  return rewriter.notifyMatchFailure(op, "no extent is a constant 0");
}

//===----------------------------------------------------------------------===//
// exec.concurrent
//===----------------------------------------------------------------------===//

LogicalResult ConcurrentOp::verify() {
  if (getBranches().size() < 2)
    return emitOpError("C1: expected at least two branches, found ")
           << getBranches().size();
  SmallVector<Sequences> taken;
  Value batch;
  for (Region &branch : getBranches()) {
    std::optional<Sequences> own;
    for (Operation &op : branch.front()) {
      auto sequences = op.getAttrOfType<SequencesAttr>(kSequencesAttr);
      if (!sequences) {
        if (isMemoryEffectFree(&op))
          continue;
        return op.emitOpError("C2: runs beside the other branches of an "
                              "exec.concurrent, expected an operation without "
                              "effects, or '")
               << kSequencesAttr << "'";
      }
      if (own.value_or(sequences.getValue()) != sequences.getValue() ||
          is_contained(taken, sequences.getValue()))
        return op.emitOpError("C3: is for ")
               << sequences << ", expected one branch to be for those, and for "
               << "no others";
      own = sequences.getValue();
      Value ragged = getRagged(&op);
      if (batch && ragged != batch)
        return op.emitOpError("C4: is for sequences of another ragged batch");
      batch = ragged;
    }
    if (!own)
      return emitOpError("C1: expected a launch in each branch");
    taken.push_back(*own);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// exec.tensor_map
//===----------------------------------------------------------------------===//

/// True for elements that tensor maps know; f64 and small integers are none.
static bool isMapElement(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() ||
         type.isSignlessInteger(8) || type.isSignlessInteger(32);
}

LogicalResult TensorMapOp::verify() {
  auto type = cast<MemRefType>(getSource().getType());
  ArrayRef<int64_t> box = getBox();
  bool hasView = !getExtents().empty();
  int64_t rank = hasView ? getExtents().size() : type.getRank();
  if (rank < 1 || rank > 5 || static_cast<int64_t>(box.size()) != rank)
    return emitOpError("C1: expected a box of as many extents as the tensor, "
                       "1 to 5, found ")
           << box.size() << " for " << rank;
  if (!isMapElement(type.getElementType()))
    return emitOpError("C5: expected elements of f32, f16, bf16, i8 or i32, "
                       "found ")
           << type.getElementType();
  bool fits = llvm::all_of(box, [](int64_t e) { return e >= 1 && e <= 256; });
  int64_t width = fits ? box.back() * type.getElementTypeBitWidth() / 8 : 0;
  if (!fits || width % 16 != 0)
    return emitOpError("C2: expected box extents from 1 to 256, the innermost "
                       "a multiple of 16 bytes, found [")
           << box << "]";
  int64_t swizzle = getSwizzle();
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle) ||
      (swizzle != 0 && width > swizzle))
    return emitOpError("C3: expected a swizzle of 0, 32, 64 or 128 bytes that "
                       "holds ")
           << width << " bytes, found " << swizzle;
  if (hasView && static_cast<int64_t>(getStrides().size()) != rank - 1)
    return emitOpError("C4: expected ")
           << rank - 1 << " strides for a view of " << rank
           << " extents, found " << getStrides().size();
  auto layout = getLayout(type);
  if (failed(layout) || (!hasView && (ShapedType::isDynamic(layout->second) ||
                                      layout->first.back() != 1)))
    return emitOpError("C6: expected a static offset and an inner stride of 1 "
                       "without a view, found ")
           << type;
  return success();
}
