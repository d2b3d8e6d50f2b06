//===- ExecPatterns.cpp - exec and mm01 ops as LLVM -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pattern an op. The context is the first argument of the function around
// an op, scratch the second of a kernel's.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/ExecPatterns.h"
#include "codegen/host/Descriptors.h"
#include "codegen/host/RaggedFields.h"
#include "dialects/exec/ExecDialect.h"
#include "runtime/abi/program.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

#include <cstddef>

using namespace mlir;
using namespace mm01;

Value mm01::getInterface(Operation *op, unsigned number) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function || function.getNumArguments() <= number ||
      !isa<LLVM::LLVMPointerType>(function.getArgumentTypes()[number]))
    return {};
  return function.getArgument(number);
}

SmallVector<Value> mm01::getAllSizes(OpBuilder &builder, Location loc,
                                     MemRefType type, ValueRange open) {
  SmallVector<Value> sizes;
  for (int64_t extent : type.getShape()) {
    bool dynamic = ShapedType::isDynamic(extent);
    sizes.push_back(dynamic ? open.front() : makeI64(builder, loc, extent));
    open = open.drop_front(dynamic);
  }
  return sizes;
}

/// Replaces exec.arena or exec.scratch by the view that begins `offset` bytes
/// behind `base`.
static void replaceByView(ConversionPatternRewriter &rewriter,
                          const LLVMTypeConverter &converter, Operation *op,
                          Value base, LLVM::GEPArg offset, ValueRange open) {
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(op->getResultTypes().front());
  Value pointer =
      LLVM::GEPOp::create(rewriter, loc, base.getType(), rewriter.getI8Type(),
                          base, ArrayRef<LLVM::GEPArg>{offset});
  rewriter.replaceOp(op, makeDense(rewriter, loc, converter, type, pointer,
                                   getAllSizes(rewriter, loc, type, open)));
}

namespace {

/// exec.arena at %offset   ==>   context->arena + %offset
struct ConvertArena : ConvertOpToLLVMPattern<exec::ArenaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(exec::ArenaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value context = getInterface(op, 0);
    if (!context)
      return rewriter.notifyMatchFailure(op, kNoInterface);
    Value arena = loadPointer(rewriter, op.getLoc(), context,
                              offsetof(mm01_context, arena));
    replaceByView(rewriter, *getTypeConverter(), op, arena, adaptor.getOffset(),
                  adaptor.getSizes());
    return success();
  }
};

/// exec.scratch at 64   ==>   scratch + 64
struct ConvertScratch : ConvertOpToLLVMPattern<exec::ScratchOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(exec::ScratchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value scratch = getInterface(op, 1);
    if (!scratch)
      return rewriter.notifyMatchFailure(op, kNoInterface);
    Value offset = makeI64(rewriter, op.getLoc(), op.getOffsetAttr().getInt());
    replaceByView(rewriter, *getTypeConverter(), op, scratch, offset,
                  adaptor.getSizes());
    return success();
  }
};

/// exec.result 0 (%n)
///   ==>
/// p = context->allocate_result(context, 0, rank, shape); if (!p) return 1;
struct ConvertResult : ConvertOpToLLVMPattern<exec::ResultOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(exec::ResultOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    if (!function || op->getParentOp() != function ||
        !function.getFunctionType().getReturnType().isInteger(32))
      return rewriter.notifyMatchFailure(op, "is not in an entry function");
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    Value context = getInterface(op, 0);
    if (!context)
      return rewriter.notifyMatchFailure(op, kNoInterface);
    Type pointer = context.getType(), i64 = rewriter.getI64Type();
    SmallVector<Value> sizes =
        getAllSizes(rewriter, loc, type, adaptor.getSizes());
    Value shape;
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&function.getBody().front());
      shape = LLVM::AllocaOp::create(
          rewriter, loc, pointer, i64,
          makeI64(rewriter, loc, std::max<int64_t>(sizes.size(), 1)));
    }
    for (auto [i, size] : llvm::enumerate(sizes))
      LLVM::StoreOp::create(rewriter, loc, size,
                            offsetPointer(rewriter, loc, shape, i * 8));
    Value allocate = loadPointer(rewriter, loc, context,
                                 offsetof(mm01_context, allocate_result));
    Value memory =
        LLVM::CallOp::create(
            rewriter, loc,
            LLVM::LLVMFunctionType::get(pointer, {pointer, i64, i64, pointer}),
            ValueRange{allocate, context,
                       makeI64(rewriter, loc, op.getIndexAttr().getInt()),
                       makeI64(rewriter, loc, sizes.size()), shape})
            .getResult();
    Value null = LLVM::ZeroOp::create(rewriter, loc, pointer);
    Value refused = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq,
                                         memory, null);
    Value view =
        makeDense(rewriter, loc, *getTypeConverter(), type, memory, sizes);

    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *leave = rewriter.createBlock(&function.getBody());
    Value one = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(),
                                         rewriter.getI32IntegerAttr(1));
    LLVM::ReturnOp::create(rewriter, loc, one);
    rewriter.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(rewriter, loc, refused, leave, after);
    rewriter.replaceOp(op, view);
    return success();
  }
};

/// exec.weight_part %w[%e]     ==>   weight[%e], a pointer
/// exec.weight_scales %w[%e]   ==>   weight[parts + %e]
template <typename Op> struct ConvertWeight : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    Type pointer = adaptor.getWeight().getType();
    Value number = adaptor.getPart();
    if (std::is_same_v<Op, exec::WeightScalesOp>)
      number = LLVM::AddOp::create(
          rewriter, loc, number,
          makeI64(rewriter, loc, op.getWeight().getType().getParts()));
    Value entry = LLVM::GEPOp::create(rewriter, loc, pointer, pointer,
                                      adaptor.getWeight(),
                                      ArrayRef<LLVM::GEPArg>{number});
    Value memory = loadPointer(rewriter, loc, entry, 0);
    rewriter.replaceOp(op,
                       makeDense(rewriter, loc, *this->getTypeConverter(), type,
                                 memory, getAllSizes(rewriter, loc, type, {})));
    return success();
  }
};

/// exec.gemm   ==>   context->gemm_f32(…)
struct ConvertGemm : ConvertOpToLLVMPattern<exec::GemmOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(exec::GemmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value context = getInterface(op, 0);
    if (!context)
      return rewriter.notifyMatchFailure(op, kNoInterface);
    MemRefDescriptor a(adaptor.getA()), b(adaptor.getB()), c(adaptor.getC());
    auto start = [&](MemRefDescriptor &descriptor, Value memref) {
      return descriptor.bufferPtr(rewriter, loc, *getTypeConverter(),
                                  cast<MemRefType>(memref.getType()));
    };
    Value accumulate = LLVM::ConstantOp::create(
        rewriter, loc, rewriter.getI32Type(),
        rewriter.getI32IntegerAttr(op.getAccumulate()));
    SmallVector<Value> operands = {
        loadPointer(rewriter, loc, context, offsetof(mm01_context, gemm_f32)),
        context,
        c.size(rewriter, loc, 0),
        c.size(rewriter, loc, 1),
        a.size(rewriter, loc, 1),
        start(a, op.getA()),
        a.stride(rewriter, loc, 0),
        start(b, op.getB()),
        b.stride(rewriter, loc, 0),
        start(c, op.getC()),
        c.stride(rewriter, loc, 0),
        accumulate};
    SmallVector<Type> types =
        llvm::to_vector(ValueRange(operands).drop_front().getTypes());
    LLVM::CallOp::create(
        rewriter, loc,
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(rewriter.getContext()), types),
        operands);
    rewriter.eraseOp(op);
    return success();
  }
};

/// mm01.ragged_size %r tokens   ==>   r->tokens
struct ConvertRaggedSize : ConvertOpToLLVMPattern<RaggedSizeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(RaggedSizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, loadRaggedSize(rewriter, op.getLoc(),
                                          adaptor.getRagged(), op.getExtent()));
    return success();
  }
};

/// mm01.ragged_get %r page_table[%n, %p]
///   ==>
/// (int64_t)r->page_table[%n * r->pages + %p]
struct ConvertRaggedGet : ConvertOpToLLVMPattern<RaggedGetOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(RaggedGetOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, loadRaggedElement(rewriter, op.getLoc(),
                                             adaptor.getRagged(), op.getField(),
                                             adaptor.getIndices()));
    return success();
  }
};

} // namespace

void mm01::populateRaggedPatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<ConvertRaggedSize, ConvertRaggedGet>(converter);
}

void mm01::populateExecPatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<ConvertArena, ConvertScratch, ConvertResult,
               ConvertWeight<exec::WeightPartOp>,
               ConvertWeight<exec::WeightScalesOp>, ConvertGemm>(converter);
  populateRaggedPatterns(converter, patterns);
}
