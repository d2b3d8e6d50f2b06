//===- OutlinePrograms.cpp - make a kernel of each tile program -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host makes tensor maps and launches; the rest of a program is a kernel.
//
// Before: tile.program "copy" grid(%n, %m, %m) ins(%x : memref<?x64xbf16>) … {
//         ^bb0(%q: memref<?x64xbf16, strided<[?, ?], offset: ?>>):
//           %map = exec.tensor_map %q view […] strides […] box [64, 64]
//           tile.copy_in %map[…] to %tile …
// After:  gpu.module @kernels {
//           tile.kernel @f.copy(%map: !exec.tensor_map) {
//             tile.copy_in %map[…] to %tile … }
//         %map = exec.tensor_map %x view […] strides […] box [64, 64]
//         exec.launch_device @kernels::@f.copy grid(%n, %m, %m) (%map)
//
// Requires bufferized functions. Tested by
// test/passes/programs/outline-programs*.mlir.
//
//===----------------------------------------------------------------------===//

#include "dialects/tile/TileDialect.h"
#include "passes/programs/DeviceModule.h"
#include "passes/programs/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace mm01 {
#define GEN_PASS_DEF_OUTLINEPROGRAMSPASS
#include "passes/programs/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// One program on its way to a kernel and a launch of it.
class Outliner {
public:
  Outliner(tile::ProgramOp program, tile::KernelOp kernel)
      : program(program), kernel(kernel), body(kernel.getBody().front()),
        host(program.getLoc(), program),
        device(program.getLoc(), program.getContext()) {
    llvm::append_range(operands, program.getIns());
    llvm::append_range(operands, program.getOuts());
  }

  LogicalResult run() {
    mapping.map(ValueRange(body.getArguments()), operands);
    unsigned count = body.getNumArguments();
    if (failed(moveMaps()))
      return failure();
    eraseDead();
    for (unsigned i = 0; i < count; ++i)
      if (failed(pass(body.getArgument(i), operands[i])))
        return failure();
    body.eraseArguments(0, count);
    kernel.setFunctionType(
        FunctionType::get(kernel.getContext(), body.getArgumentTypes(), {}));
    return success();
  }

  void launch(SymbolRefAttr name) {
    Value x = program.getGridX();
    if (int64_t cluster = program.getCluster(); cluster > 1)
      x = arith::MulIOp::create(host, x,
                                arith::ConstantIndexOp::create(host, cluster));
    auto launch = exec::LaunchDeviceOp::create(
        host, name, x, program.getGridY(), program.getGridZ(), captures);
    if (Attribute sequences = program->getAttr(exec::kSequencesAttr))
      launch->setAttr(exec::kSequencesAttr, sequences);
  }

private:
  //===--------------------------------------------------------------------===//
  // What the host does
  //===--------------------------------------------------------------------===//

  /// Makes the tensor maps, and what they need, on the host.
  LogicalResult moveMaps() {
    WalkResult walk = body.walk([&](exec::TensorMapOp map) -> WalkResult {
      if (map->getBlock() != &body || map.getExtents().empty())
        return map.emitOpError("in a tile.program, expected it at the top of "
                               "the body and with a view");
      if (failed(makeOnHost(map)))
        return failure();
      if (!isDense(mapping.lookup(map.getSource())))
        return map.emitOpError("is of a buffer whose inner stride is not 1");
      map.getMap().replaceAllUsesWith(
          capture(mapping.lookup(map.getMap()), map.getType()));
      map.erase();
      return success();
    });
    return failure(walk.wasInterrupted());
  }

  /// True where elements of a row are known to be neighbours.
  static bool isDense(Value buffer) {
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    return succeeded(cast<MemRefType>(buffer.getType())
                         .getStridesAndOffset(strides, offset)) &&
           (strides.empty() || strides.back() == 1);
  }

  LogicalResult makeOnHost(Operation *op) {
    if (mapping.contains(op->getResult(0)))
      return success();
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand) &&
          failed(makeOnHost(operand.getDefiningOp())))
        return failure();
    StringRef dialect = op->getName().getDialectNamespace();
    if (op->getBlock() != &body || !isMemoryEffectFree(op) ||
        op->getNumRegions() > 0 || dialect == "gpu" || dialect == "tile" ||
        isa<RaggedGetOp>(op))
      return op->emitOpError("is needed for a tensor map, expected arithmetic "
                             "on extents and numbers that the host knows");
    host.clone(*op, mapping);
    return success();
  }

  //===--------------------------------------------------------------------===//
  // What the kernel gets
  //===--------------------------------------------------------------------===//

  /// Puts what `make` makes at the top of the kernel, behind what is there.
  Value makeAtTop(function_ref<Value(ImplicitLocOpBuilder &)> make) {
    if (top)
      device.setInsertionPointAfter(top);
    else
      device.setInsertionPointToStart(&body);
    Value made = make(device);
    top = made.getDefiningOp();
    return made;
  }

  /// A new argument of the kernel that stands for a value of the host.
  Value capture(Value value, Type type) {
    captures.push_back(value);
    return body.addArgument(type, program.getLoc());
  }

  LogicalResult pass(BlockArgument argument, Value operand) {
    if (argument.use_empty())
      return success();
    if (auto type = dyn_cast<MemRefType>(operand.getType()))
      return Buffer(*this, operand, type).replace(argument);
    argument.replaceAllUsesWith(capture(operand, argument.getType()));
    return success();
  }

  /// Erases what only the maps needed.
  void eraseDead() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  /// What the kernel knows of a buffer: the memory that it is a view of, and of
  /// its layout what it uses.
  class Buffer {
  public:
    Buffer(Outliner &outliner, Value operand, MemRefType type)
        : out(outliner), type(type),
          metadata(
              memref::ExtractStridedMetadataOp::create(outliner.host, operand)),
          extents(type.getRank()), strides(type.getRank()) {
      (void)type.getStridesAndOffset(knownStrides, knownOffset);
    }

    LogicalResult replace(BlockArgument argument) {
      for (OpOperand &use : llvm::make_early_inc_range(argument.getUses()))
        if (failed(replace(use)))
          return failure();
      return success();
    }

  private:
    LogicalResult replace(OpOperand &use) {
      Operation *op = use.getOwner();
      ImplicitLocOpBuilder b(op->getLoc(), op);
      if (auto dim = dyn_cast<memref::DimOp>(op)) {
        std::optional<int64_t> index = dim.getConstantIndex();
        if (!index)
          return op->emitOpError("asks for an extent that is not known");
        dim.replaceAllUsesWith(extent(*index));
        op->erase();
      } else if (auto all = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
        replace(all);
      } else if (isa<memref::LoadOp, memref::StoreOp>(op)) {
        // The element's own memory.
        bool loads = isa<memref::LoadOp>(op);
        unsigned first = loads ? 1 : 2;
        Value at = offset();
        for (auto [i, index] :
             llvm::enumerate(op->getOperands().drop_front(first)))
          at = b.createOrFold<arith::AddIOp>(
              at, b.createOrFold<arith::MulIOp>(index, stride(i)));
        op->eraseOperands(first, type.getRank());
        op->setOperand(first - 1, elementAt(b, at));
      } else if (op->getName().getDialectNamespace() == "tile") {
        use.set(first());
      } else {
        return op->emitOpError("uses a buffer of a tile.program, expected a "
                               "load, a store or an operation of tile");
      }
      return success();
    }

    void replace(memref::ExtractStridedMetadataOp all) {
      auto set = [](Value from, auto get) {
        if (!from.use_empty())
          from.replaceAllUsesWith(get());
      };
      set(all.getBaseBuffer(), [&] { return base(); });
      set(all.getOffset(), [&] { return offset(); });
      for (int64_t i = 0; i < type.getRank(); ++i) {
        set(all.getSizes()[i], [&] { return extent(i); });
        set(all.getStrides()[i], [&] { return stride(i); });
      }
      all.erase();
    }

    /// The memory from element `at` of the base on.
    Value elementAt(ImplicitLocOpBuilder &b, Value at) {
      auto layout =
          StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {});
      return memref::ReinterpretCastOp::create(
          b, MemRefType::get({}, type.getElementType(), layout), base(),
          OpFoldResult(at), ArrayRef<OpFoldResult>(), ArrayRef<OpFoldResult>());
    }

    /// The memory from the buffer's first element on.
    Value first() {
      if (!firstElement && knownOffset == 0)
        firstElement = base();
      if (!firstElement) {
        Value at = offset();
        firstElement = out.makeAtTop(
            [&](ImplicitLocOpBuilder &b) { return elementAt(b, at); });
      }
      return firstElement;
    }

    Value base() {
      if (!baseMemory)
        baseMemory = out.capture(metadata.getBaseBuffer(), getBaseType(type));
      return baseMemory;
    }
    Value offset() {
      return number(offsetOnce, knownOffset, metadata.getOffset());
    }
    Value extent(int64_t i) {
      return number(extents[i], type.getDimSize(i), metadata.getSizes()[i]);
    }
    Value stride(int64_t i) {
      return number(strides[i], knownStrides[i], metadata.getStrides()[i]);
    }
    /// A constant, or an argument, made once.
    Value number(Value &once, int64_t known, Value onHost) {
      if (!once)
        once = ShapedType::isDynamic(known)
                   ? out.capture(onHost, onHost.getType())
                   : out.makeAtTop([&](ImplicitLocOpBuilder &b) -> Value {
                       return arith::ConstantIndexOp::create(b, known);
                     });
      return once;
    }

    Outliner &out;
    MemRefType type;
    memref::ExtractStridedMetadataOp metadata;
    SmallVector<int64_t> knownStrides;
    int64_t knownOffset = 0;
    Value baseMemory, firstElement, offsetOnce;
    SmallVector<Value> extents, strides;
  };

  tile::ProgramOp program;
  tile::KernelOp kernel;
  Block &body;
  ImplicitLocOpBuilder host, device;
  /// The last operation that was put at the top of the kernel.
  Operation *top = nullptr;
  SmallVector<Value> operands, captures;
  /// From values of the body to those of the host.
  IRMapping mapping;
};

struct OutlineProgramsPass
    : mm01::impl::OutlineProgramsPassBase<OutlineProgramsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<tile::ProgramOp> programs;
      function.walk(
          [&](tile::ProgramOp program) { programs.push_back(program); });
      for (tile::ProgramOp program : programs)
        if (failed(outline(function, program)))
          return signalPassFailure();
    }
  }

private:
  LogicalResult outline(func::FuncOp function, tile::ProgramOp program) {
    if (program->getNumResults() > 0)
      return program.emitOpError("is on tensors, expected buffers");
    gpu::GPUModuleOp module = getDeviceModule(getOperation());
    std::string name = (function.getSymName() + "." + program.getName()).str();
    // Files of dumps are named by it.
    for (char &c : name)
      if (!llvm::isAlnum(c) && c != '.')
        c = '_';
    OpBuilder builder(program);
    auto kernel = tile::KernelOp::create(
        builder, program.getLoc(), name, builder.getFunctionType({}, {}),
        /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr, program.getCluster(),
        program.getResident());
    kernel.getBody().takeBody(program.getBody());
    Outliner outliner(program, kernel);
    if (failed(outliner.run()))
      return failure();
    std::string text = getText(kernel);
    auto [known, isNew] = kernels.try_emplace(text, kernel.getSymNameAttr());
    if (isNew) {
      kernel->remove();
      known->second = SymbolTable(module).insert(kernel);
    } else {
      kernel.erase();
    }
    outliner.launch(getDeviceSymbol(known->second));
    program.erase();
    return success();
  }

  /// What a kernel does, in words that do not depend on its name.
  static std::string getText(tile::KernelOp kernel) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << kernel.getFunctionType() << kernel.getCluster() << ' '
           << kernel.getResident();
    OpPrintingFlags flags;
    flags.printGenericOpForm().useLocalScope();
    for (Operation &op : kernel.getBody().front()) {
      op.print(stream, flags);
      stream << "\n";
    }
    return text;
  }

  /// The kernels that there are, by their text.
  llvm::StringMap<StringAttr> kernels;
};

} // namespace
