//===- ExportEntries.cpp - give public functions their C interface --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime calls an entry with an array of arguments, whatever their types.
//
// Before: func.func @f(%x: memref<?xf32>) attributes {exec.frame = …} {
//           … return
// After:  llvm.func @mm01_entry_f(%context: !llvm.ptr, %arguments: !llvm.ptr)
//             -> i32 {
//           %data = llvm.load %arguments; …  %x = a descriptor of it
//           … llvm.return 0
//         llvm.func @mm01_arena_f(%arguments: !llvm.ptr) -> i64 { … }
//
// Requires frames planned and the manifest written. Tested by
// test/codegen/host/export-entries.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/AbiFields.h"
#include "codegen/host/Descriptors.h"
#include "codegen/host/Passes.h"
#include "dialects/exec/ExecDialect.h"
#include "runtime/abi/program.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstddef>

namespace mm01 {
#define GEN_PASS_DEF_EXPORTENTRIESPASS
#include "codegen/host/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// Byte offset of an extent of a ragged batch.
static int64_t getRaggedOffset(int64_t extent) {
  static const int64_t offsets[] = {offsetof(mm01_ragged, tokens),
                                    offsetof(mm01_ragged, sequences),
                                    offsetof(mm01_ragged, pages)};
  return offsets[extent];
}

namespace {

/// Reads the elements of an array of mm01_argument.
struct ArgumentReader {
  OpBuilder &builder;
  Location loc;
  const LLVMTypeConverter &converter;
  Value arguments;

  Value getData(int64_t number) {
    return loadPointer(builder, loc, arguments,
                       number * sizeof(mm01_argument) +
                           offsetof(mm01_argument, data));
  }

  Value getExtent(int64_t number, int64_t dimension) {
    Value shape = loadPointer(builder, loc, arguments,
                              number * sizeof(mm01_argument) +
                                  offsetof(mm01_argument, shape));
    return loadField(builder, loc, shape, dimension * sizeof(int64_t),
                     builder.getI64Type());
  }

  /// Argument `number` as a value of `type`.
  Value get(int64_t number, Type type) {
    if (auto buffer = dyn_cast<MemRefType>(type)) {
      SmallVector<Value> sizes;
      for (int64_t i = 0; i < buffer.getRank(); ++i)
        sizes.push_back(buffer.isDynamicDim(i)
                            ? getExtent(number, i)
                            : makeI64(builder, loc, buffer.getDimSize(i)));
      return makeDense(builder, loc, converter, buffer, getData(number), sizes);
    }
    if (isa<RaggedType, WeightType>(type))
      return unflatten(builder, loc, converter, type, getData(number));
    Value scalar = loadField(builder, loc, getData(number), 0,
                             converter.convertType(type));
    return unflatten(builder, loc, converter, type, scalar);
  }

  /// A symbol of a frame as an index.
  Value getSymbol(int64_t number, Type type, int64_t extent) {
    Value value;
    if (isa<MemRefType>(type))
      value = getExtent(number, extent);
    else if (isa<RaggedType>(type))
      value = loadField(builder, loc, getData(number), getRaggedOffset(extent),
                        builder.getI64Type());
    else
      return get(number, type);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      value);
  }
};

struct ExportEntriesPass
    : mm01::impl::ExportEntriesPassBase<ExportEntriesPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    LLVMTypeConverter converter(&getContext());
    addProgramTypes(converter);
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (exec::isKernel(function) || function.isExternal())
        continue;
      if (function.isPrivate()) {
        (void)function.insertArgument(0, pointer, {}, function.getLoc());
        continue;
      }
      auto frame = function->getAttrOfType<exec::FrameAttr>(exec::kFrameAttr);
      if (!frame) {
        function.emitError("public function has no 'exec.frame', expected a "
                           "scheduled module");
        return signalPassFailure();
      }
      makeArena(function, frame, converter);
      makeEntry(function, converter);
      function.erase();
    }
    module.walk([](func::CallOp call) {
      auto caller = call->getParentOfType<FunctionOpInterface>();
      call->insertOperands(0, caller.getArgument(0));
    });
    for (auto parameter :
         llvm::make_early_inc_range(module.getOps<ParameterOp>()))
      parameter.erase();
  }

  LLVM::LLVMFuncOp makeFunction(func::FuncOp function, StringRef prefix,
                                Type result, unsigned pointers) {
    OpBuilder builder(function);
    SmallVector<Type> types(pointers,
                            LLVM::LLVMPointerType::get(&getContext()));
    return LLVM::LLVMFuncOp::create(builder, function.getLoc(),
                                    (prefix + function.getSymName()).str(),
                                    LLVM::LLVMFunctionType::get(result, types));
  }

  void makeArena(func::FuncOp function, exec::FrameAttr frame,
                 const LLVMTypeConverter &converter) {
    Location loc = function.getLoc();
    OpBuilder builder(&getContext());
    auto arena = makeFunction(function, "mm01_arena_", builder.getI64Type(), 1);
    builder.setInsertionPointToStart(arena.addEntryBlock(builder));
    ArgumentReader reader{builder, loc, converter, arena.getArgument(0)};
    SmallVector<Value> symbols;
    for (auto [number, extent] :
         llvm::zip(frame.getArguments(), frame.getExtents()))
      symbols.push_back(reader.getSymbol(
          number, function.getArgumentTypes()[number], extent));
    Value greatest;
    for (AffineExpr bytes : frame.getBytes().getResults()) {
      Value value = affine::expandAffineExpr(builder, loc, bytes, {}, symbols);
      greatest = greatest
                     ? arith::MaxSIOp::create(builder, loc, greatest, value)
                     : value;
    }
    greatest = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                          greatest);
    LLVM::ReturnOp::create(builder, loc, greatest);
  }

  void makeEntry(func::FuncOp function, const LLVMTypeConverter &converter) {
    Location loc = function.getLoc();
    OpBuilder builder(&getContext());
    auto entry = makeFunction(function, "mm01_entry_", builder.getI32Type(), 2);
    Block *block = entry.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    ArgumentReader reader{builder, loc, converter, entry.getArgument(1)};
    for (BlockArgument argument : function.getArguments())
      argument.replaceAllUsesWith(
          reader.get(argument.getArgNumber(), argument.getType()));
    Block &body = function.getBody().front();
    body.getTerminator()->erase();
    block->getOperations().splice(block->end(), body.getOperations());
    builder.setInsertionPointToEnd(block);
    Value done = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                          builder.getI32IntegerAttr(0));
    LLVM::ReturnOp::create(builder, loc, done);
  }
};

} // namespace
