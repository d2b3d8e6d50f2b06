//===- OffloadKernels.cpp - move kernels to the GPU -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels that the GPU runs form a module of their own, and take what can
// be passed to them: pointers and numbers.
//
// Before: func.func private @norm(%workgroup: index, %x: memref<?x64xf32>)
//             attributes {exec.kernel, exec.scratch_bytes = 256}
//         exec.launch @norm grid(%g) (%x)
// After:  gpu.module @kernels {
//           func.func @norm(%base: memref<f32>, %n: index)
//               attributes {exec.dynamic_shared_bytes = 256} {
//             %workgroup = gpu.block_id x
//             %x = memref.reinterpret_cast %base … sizes: [%n, 64] …
//         }
//         %base = memref.reinterpret_cast %x …;  %n = memref.dim %x, 0
//         exec.launch_device @kernels::@norm grid(%g, 1, 1) (%base, %n)
//
// Requires scratch planned. Refuses kernels with more scratch than a block has
// shared memory, and operations of the host that read or write device memory.
// Tested by test/passes/schedule/offload-kernels*.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/programs/DeviceModule.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace mm01 {
#define GEN_PASS_DEF_OFFLOADKERNELSPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// Shared memory that a block of a Hopper GPU can have, less what the system
/// takes of it and what block reductions need.
static constexpr int64_t kSharedBytes = 225 << 10;

/// The extents that a type leaves open, of a buffer.
static SmallVector<Value> getOpenSizes(ImplicitLocOpBuilder &b, Value buffer) {
  SmallVector<Value> sizes;
  auto type = cast<MemRefType>(buffer.getType());
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(b, buffer, i));
  return sizes;
}

/// The first element of a buffer.
static Value getBase(ImplicitLocOpBuilder &b, Value buffer) {
  return memref::ReinterpretCastOp::create(
      b, getBaseType(cast<MemRefType>(buffer.getType())), buffer,
      b.getIndexAttr(0), ArrayRef<OpFoldResult>(), ArrayRef<OpFoldResult>());
}

/// The dense buffer of a type that begins at `base`, with its open extents.
static Value makeBuffer(ImplicitLocOpBuilder &b, MemRefType type, Value base,
                        ValueRange open) {
  SmallVector<OpFoldResult> sizes, strides(type.getRank());
  for (int64_t extent : type.getShape()) {
    bool dynamic = ShapedType::isDynamic(extent);
    sizes.push_back(dynamic ? OpFoldResult(open.front())
                            : OpFoldResult(b.getIndexAttr(extent)));
    open = open.drop_front(dynamic);
  }
  OpFoldResult stride = b.getIndexAttr(1);
  for (int64_t i = type.getRank(); i-- > 0;) {
    strides[i] = stride;
    if (i == 0)
      break;
    auto known = dyn_cast<Attribute>(stride);
    if (known && !type.isDynamicDim(i))
      stride = b.getIndexAttr(cast<IntegerAttr>(known).getInt() *
                              type.getDimSize(i));
    else
      stride = arith::MulIOp::create(
                   b, getValueOrCreateConstantIndexOp(b, b.getLoc(), stride),
                   getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[i]))
                   .getResult();
  }
  return memref::ReinterpretCastOp::create(b, type, base, b.getIndexAttr(0),
                                           sizes, strides);
}

namespace {

struct OffloadKernelsPass
    : mm01::impl::OffloadKernelsPassBase<OffloadKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (exec::isKernel(kernel) && failed(offload(kernel)))
        return signalPassFailure();
    module.walk([&](exec::LaunchOp launch) { redirect(launch); });
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(checkHost(function)))
        return signalPassFailure();
  }

private:
  LogicalResult offload(func::FuncOp kernel) {
    SmallVector<Type> types;
    for (Type type : kernel.getArgumentTypes().drop_front()) {
      auto buffer = dyn_cast<MemRefType>(type);
      if (!buffer) {
        types.push_back(type);
        continue;
      }
      if (!buffer.getLayout().isIdentity())
        return kernel.emitError("kernel takes ")
               << buffer << ", expected a buffer without layout";
      types.push_back(getBaseType(buffer));
      types.append(buffer.getNumDynamicDims(), IndexType::get(&getContext()));
    }
    auto scratch = kernel->getAttrOfType<IntegerAttr>(exec::kScratchBytesAttr);
    int64_t bytes = scratch ? scratch.getInt() : 0;
    if (bytes > kSharedBytes)
      return kernel.emitError("kernel ")
             << kernel.getSymName() << " needs " << bytes
             << " bytes of scratch, expected at most the " << kSharedBytes
             << " bytes of shared memory of a block";

    gpu::GPUModuleOp kernels = getDeviceModule(getOperation());
    ImplicitLocOpBuilder b(kernel.getLoc(), &getContext());
    b.setInsertionPointToEnd(kernels.getBody());
    auto moved = func::FuncOp::create(b, kernel.getSymName(),
                                      b.getFunctionType(types, {}));
    if (bytes > 0)
      moved->setAttr(exec::kDynamicSharedBytesAttr, b.getI64IntegerAttr(bytes));
    moved.getBody().takeBody(kernel.getBody());
    takeArguments(moved, types);
    kernel.erase();
    return takeConstants(moved, kernels);
  }

  /// Replaces the arguments of a kernel's body by those of its new type.
  void takeArguments(func::FuncOp kernel, ArrayRef<Type> types) {
    Block &entry = kernel.getBody().front();
    unsigned old = entry.getNumArguments();
    for (Type type : types)
      entry.addArgument(type, kernel.getLoc());
    auto b = ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(), &entry);
    entry.getArgument(0).replaceAllUsesWith(
        gpu::BlockIdOp::create(b, gpu::Dimension::x));
    ValueRange next = ValueRange(entry.getArguments()).drop_front(old);
    for (unsigned i = 1; i < old; ++i) {
      BlockArgument argument = entry.getArgument(i);
      Value value = next.front();
      next = next.drop_front();
      if (auto buffer = dyn_cast<MemRefType>(argument.getType())) {
        unsigned open = buffer.getNumDynamicDims();
        value = makeBuffer(b, buffer, value, next.take_front(open));
        next = next.drop_front(open);
      }
      argument.replaceAllUsesWith(value);
    }
    entry.eraseArguments(0, old);
  }

  /// Copies the constant buffers that a kernel uses into its module.
  LogicalResult takeConstants(func::FuncOp kernel, gpu::GPUModuleOp kernels) {
    WalkResult walk = kernel.walk([&](memref::GetGlobalOp get) -> WalkResult {
      if (kernels.lookupSymbol(get.getName()))
        return WalkResult::advance();
      auto global =
          getOperation().lookupSymbol<memref::GlobalOp>(get.getName());
      if (!global)
        return get.emitError("no constant ") << get.getName();
      auto builder = OpBuilder::atBlockBegin(kernels.getBody());
      builder.clone(*global);
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  void redirect(exec::LaunchOp launch) {
    ImplicitLocOpBuilder b(launch.getLoc(), launch);
    SmallVector<Value> captures;
    for (Value capture : launch.getCaptures()) {
      if (!isa<MemRefType>(capture.getType())) {
        captures.push_back(capture);
        continue;
      }
      captures.push_back(getBase(b, capture));
      llvm::append_range(captures, getOpenSizes(b, capture));
    }
    Value one = arith::ConstantIndexOp::create(b, 1);
    auto moved = exec::LaunchDeviceOp::create(
        b, getDeviceSymbol(launch.getKernelAttr().getAttr()), launch.getGrid(),
        one, one, captures);
    if (Attribute sequences = launch->getAttr(exec::kSequencesAttr))
      moved->setAttr(exec::kSequencesAttr, sequences);
    launch.erase();
  }

  /// Refuses what reads or writes memory on the host.
  static LogicalResult checkHost(func::FuncOp function) {
    WalkResult walk =
        function.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
          if (!isa<memref::LoadOp, memref::StoreOp, memref::CopyOp>(op) &&
              op->getName().getDialectNamespace() != "linalg")
            return WalkResult::advance();
          return op->emitOpError("runs on the host, which cannot reach device "
                                 "memory, expected it in a kernel");
        });
    return failure(walk.wasInterrupted());
  }
};

} // namespace
