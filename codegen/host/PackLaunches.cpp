//===- PackLaunches.cpp - give kernels and launches their C interface -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime calls every kernel with one pointer for all its arguments.
//
// Before: func.func private @k(%workgroup: index, %x: memref<?xf32>, %n: index)
//             attributes {exec.kernel}
//         exec.launch @k grid(%g) (%x, %n)
// After:  func.func private @k.body(%context: !llvm.ptr,
//             %scratch: !llvm.ptr {noalias}, %workgroup: i64,
//             %x: !llvm.ptr {noalias}, %size: i64, %n: i64)
//         llvm.func internal @k(%context, %arguments, %scratch, %workgroup) {
//           loads from %arguments; call @k.body }
//         %packed = llvm.alloca of a structure, at the host function's entry
//         stores into %packed
//         llvm.call %launch(%context, @k, "k", %g, %packed, scratch bytes)
//
// The inner function exists because LLVM knows noalias on parameters only; it
// is inlined. Requires mm01-export-entries. Tested by
// test/codegen/host/pack-launches.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/AbiFields.h"
#include "codegen/host/Descriptors.h"
#include "codegen/host/Passes.h"
#include "dialects/exec/ExecDialect.h"
#include "runtime/abi/program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstddef>

namespace mm01 {
#define GEN_PASS_DEF_PACKLAUNCHESPASS
#include "codegen/host/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// What a launch needs to know of its kernel.
struct KernelAbi {
  LLVM::LLVMFuncOp function;
  LLVM::GlobalOp name;
  LLVM::LLVMStructType arguments;
  int64_t scratchBytes;
};

struct PackLaunchesPass : mm01::impl::PackLaunchesPassBase<PackLaunchesPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(check()))
      return signalPassFailure();
    LLVMTypeConverter converter(&getContext());
    addProgramTypes(converter);
    llvm::DenseMap<StringAttr, KernelAbi> kernels;
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (exec::isKernel(kernel)) {
        StringAttr name = kernel.getSymNameAttr();
        kernels[name] = packKernel(kernel, converter);
      }
    getOperation().walk([&](exec::LaunchOp launch) {
      packLaunch(launch, kernels.lookup(launch.getKernelAttr().getAttr()),
                 converter);
    });
  }

  /// Refuses a module that the passes before did not make.
  LogicalResult check() {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      for (Type type : kernel.getArgumentTypes())
        if (auto buffer = dyn_cast<MemRefType>(type);
            exec::isKernel(kernel) && buffer && !buffer.isStrided())
          return kernel.emitError("kernel takes ")
                 << buffer << ", expected a strided layout";
    WalkResult walk =
        getOperation().walk([](exec::LaunchOp launch) -> WalkResult {
          auto function = launch->getParentOfType<FunctionOpInterface>();
          if (function && function.getNumArguments() > 0 &&
              isa<LLVM::LLVMPointerType>(function.getArgumentTypes()[0]))
            return WalkResult::advance();
          return launch.emitError("function around the launch has no context, "
                                  "expected mm01-export-entries before");
        });
    return failure(walk.wasInterrupted());
  }

  KernelAbi packKernel(func::FuncOp kernel,
                       const LLVMTypeConverter &converter) {
    std::string name = kernel.getSymName().str();
    SmallVector<Type> fields;
    for (Type type : kernel.getArgumentTypes().drop_front())
      llvm::append_range(fields, flatten(converter, type));
    KernelAbi abi;
    abi.arguments = LLVM::LLVMStructType::getLiteral(&getContext(), fields);
    auto scratch = kernel->getAttrOfType<IntegerAttr>(exec::kScratchBytesAttr);
    abi.scratchBytes = scratch ? scratch.getInt() : 0;
    makeBody(kernel, fields, converter);

    OpBuilder builder(kernel);
    Location loc = kernel.getLoc();
    std::string text = name + '\0';
    abi.name = LLVM::GlobalOp::create(
        builder, loc,
        LLVM::LLVMArrayType::get(builder.getI8Type(), text.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name + ".name",
        builder.getStringAttr(text));
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    abi.function = LLVM::LLVMFuncOp::create(
        builder, loc, name,
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(&getContext()),
            {pointer, pointer, pointer, builder.getI64Type()}),
        LLVM::Linkage::Internal);
    // Tells the writer of dumps which functions are kernels.
    abi.function.setPassthroughAttr(
        builder.getArrayAttr(builder.getStringAttr("mm01-kernel")));
    Block *entry = abi.function.addEntryBlock(builder);
    builder.setInsertionPointToStart(entry);
    SmallVector<Value> operands = {entry->getArgument(0), entry->getArgument(2),
                                   entry->getArgument(3)};
    for (auto [i, type] : llvm::enumerate(fields))
      operands.push_back(LLVM::LoadOp::create(
          builder, loc, type,
          getField(builder, loc, abi.arguments, entry->getArgument(1), i)));
    func::CallOp::create(builder, loc, kernel, operands);
    LLVM::ReturnOp::create(builder, loc, ValueRange());
    return abi;
  }

  static Value getField(OpBuilder &builder, Location loc,
                        LLVM::LLVMStructType structure, Value pointer,
                        int32_t field) {
    return LLVM::GEPOp::create(builder, loc, pointer.getType(), structure,
                               pointer, ArrayRef<LLVM::GEPArg>{0, field});
  }

  /// Turns the kernel itself into its inner function.
  void makeBody(func::FuncOp kernel, ArrayRef<Type> fields,
                const LLVMTypeConverter &converter) {
    OpBuilder builder(&getContext());
    Location loc = kernel.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    Block *entry = &kernel.getBody().front();
    builder.setInsertionPointToStart(entry);
    unsigned old = entry->getNumArguments();
    SmallVector<Type> types = {pointer, pointer, builder.getI64Type()};
    llvm::append_range(types, fields);
    for (Type type : types)
      entry->addArgument(type, loc);
    auto added = [&](unsigned i) { return entry->getArgument(old + i); };

    entry->getArgument(0).replaceAllUsesWith(arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), added(2)));
    unsigned next = 3;
    for (unsigned i = 1; i < old; ++i) {
      BlockArgument argument = entry->getArgument(i);
      SmallVector<Value> parts;
      for (size_t count = flatten(converter, argument.getType()).size();
           count-- > 0;)
        parts.push_back(added(next++));
      argument.replaceAllUsesWith(
          unflatten(builder, loc, converter, argument.getType(), parts));
    }
    entry->eraseArguments(0, old);
    SmallVector<Attribute> attributes;
    auto noalias = builder.getDictionaryAttr(builder.getNamedAttr(
        LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr()));
    for (auto [i, type] : llvm::enumerate(types))
      attributes.push_back(
          i > 0 && type == pointer ? noalias : builder.getDictionaryAttr({}));
    kernel->removeAttr(exec::kKernelAttr);
    kernel->removeAttr(exec::kScratchBytesAttr);
    kernel.setFunctionType(builder.getFunctionType(types, {}));
    kernel.setArgAttrsAttr(builder.getArrayAttr(attributes));
    kernel.setSymName((kernel.getSymName() + ".body").str());
  }

  void packLaunch(exec::LaunchOp launch, KernelAbi kernel,
                  const LLVMTypeConverter &converter) {
    OpBuilder builder(launch);
    Location loc = launch.getLoc();
    auto function = launch->getParentOfType<FunctionOpInterface>();
    Value context = function.getArgument(0);
    Value packed;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&function.getFunctionBody().front());
      packed =
          LLVM::AllocaOp::create(builder, loc, context.getType(),
                                 kernel.arguments, makeI64(builder, loc, 1));
    }
    int32_t field = 0;
    for (Value capture : launch.getCaptures())
      for (Value part : flatten(builder, loc, converter, capture))
        LLVM::StoreOp::create(
            builder, loc, part,
            getField(builder, loc, kernel.arguments, packed, field++));
    Value grid = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            launch.getGrid());
    Value run =
        loadPointer(builder, loc, context, offsetof(mm01_context, launch));
    auto address = [&](StringRef name) -> Value {
      return LLVM::AddressOfOp::create(builder, loc, context.getType(), name);
    };
    SmallVector<Value> operands = {run,
                                   context,
                                   address(kernel.function.getSymName()),
                                   address(kernel.name.getSymName()),
                                   grid,
                                   packed,
                                   makeI64(builder, loc, kernel.scratchBytes)};
    SmallVector<Type> types =
        llvm::to_vector(ValueRange(operands).drop_front().getTypes());
    LLVM::CallOp::create(builder, loc,
                         LLVM::LLVMFunctionType::get(
                             LLVM::LLVMVoidType::get(&getContext()), types),
                         operands);
    launch.erase();
  }
};

} // namespace
