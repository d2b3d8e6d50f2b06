//===- MmaPatterns.cpp - products, as instructions of the matrix unit -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/InlinePtx.h"
#include "codegen/tile/TileLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mm01;
using namespace mm01::tile;

namespace {

/// An operand in shared memory: its description for the unit, and how that of
/// the next 16 values of k differs.
struct SharedOperand {
  Value descriptor;
  SharedLayout layout;
  /// k runs along the rows of the tile ("MN-major").
  bool alongRows;

  SharedOperand(ThreadBuilder &b, BufferType type, Value address,
                bool alongRows)
      : layout(type.getLayout()), alongRows(alongRows) {
    Value low = b.div(arith::AndIOp::create(b, address, b.i32(0x3ffff)), 16);
    Value wide = arith::ExtUIOp::create(b, b.getI64Type(), low);
    descriptor = arith::OrIOp::create(
        b, wide, b.i64(int64_t(layout.descriptor(alongRows))));
  }

  Value at(ThreadBuilder &b, int64_t step) const {
    int64_t bytes =
        alongRows ? layout.stepAlongRows(step) : layout.stepAlongColumns(step);
    return b.createOrFold<arith::AddIOp>(descriptor, b.i64(bytes / 16));
  }
};

/// Bytes from the rows of the result that one warp group has to those of the
/// next, in the operand that lies in shared memory.
int64_t groupBytes(const SharedLayout &layout, bool alongRows) {
  return alongRows ? layout.stepAlongColumns(FragmentLayout::rows / 16)
                   : FragmentLayout::rows * layout.swizzle;
}

/// One i32 for each pair of bf16 values.
SmallVector<Value> packed(ThreadBuilder &b, ValueRange registers) {
  SmallVector<Value> words;
  for (Value value : registers)
    words.push_back(
        isa<VectorType>(value.getType())
            ? LLVM::BitcastOp::create(b, b.getI32Type(), value).getResult()
            : value);
  return words;
}

/// `tile.mma`: one instruction for each 16 values of k. The first overwrites
/// when there is no accumulator; all others have it as a tied operand.
struct Mma : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    int64_t columns = op.getType().getDimSize(1);
    int64_t count = FragmentLayout{columns}.registers();
    auto bufferA = dyn_cast<BufferType>(op.getA().getType());
    BufferType bufferB = op.getB().getType();
    int64_t k = op.getTransposeB() ? bufferB.getColumns() : bufferB.getRows();

    std::optional<SharedOperand> a;
    SmallVector<Value> registersA;
    if (bufferA) {
      Value first = b.mul(b.groupOf(op.getType().getDimSize(0)),
                          groupBytes(bufferA.getLayout(), op.getTransposeA()));
      a.emplace(b, bufferA, b.add(adaptor.getA().front(), first),
                op.getTransposeA());
    } else
      registersA = packed(b, adaptor.getA());
    SharedOperand other(b, bufferB, adaptor.getB().front(),
                        !op.getTransposeB());

    SmallVector<Value> sum(adaptor.getAccumulator());
    for (int64_t step = 0; step < k / 16; ++step) {
      bool overwrite = sum.empty();
      InlinePtx product;
      if (overwrite)
        product.results.append(count, b.getF32Type());
      product.tied = sum;
      std::string text = "{\n.reg .pred p;\nsetp.ne.b32 p, ";
      text += overwrite ? "0" : "1";
      text += ", 0;\nwgmma.mma_async.sync.aligned.m64n" +
              std::to_string(columns) + "k16.f32.bf16.bf16 {" +
              ptxOperands(0, count) + "}, ";
      // Operands that follow the accumulator and its tied copy.
      int64_t first = overwrite ? count : 2 * count;
      if (bufferA) {
        text += ptxOperands(first, 1) + ", " + ptxOperands(first + 1, 1);
        product.inputs = {a->at(b, step)};
      } else {
        text += "{" + ptxOperands(first, 4) + "}, " + ptxOperands(first + 4, 1);
        llvm::append_range(product.inputs,
                           ArrayRef(registersA).slice(4 * step, 4));
      }
      product.inputs.push_back(other.at(b, step));
      text += ", p, 1, 1";
      if (bufferA)
        text += a->alongRows ? ", 1" : ", 0";
      text += other.alongRows ? ", 1;\n}" : ", 0;\n}";
      product.text = text;
      sum = product.emit(b, b.getLoc());
    }
    rewriter.replaceOpWithMultiple(op, {sum});
    return success();
  }
};

/// Emits a statement through which registers of several tiles pass, and returns
/// them by tile.
SmallVector<SmallVector<Value>> passThrough(ThreadBuilder &b,
                                            const std::string &text,
                                            ArrayRef<ValueRange> tiles) {
  InlinePtx statement{text, {}, {}, {}};
  for (ValueRange tile : tiles)
    llvm::append_range(statement.tied, packed(b, tile));
  SmallVector<Value> all = statement.emit(b, b.getLoc());
  SmallVector<SmallVector<Value>> results;
  auto next = all.begin();
  for (ValueRange tile : tiles) {
    SmallVector<Value> &result = results.emplace_back();
    for (Value value : tile) {
      Value passed = *next++;
      result.push_back(passed.getType() == value.getType()
                           ? passed
                           : LLVM::BitcastOp::create(b, value.getType(), passed)
                                 .getResult());
    }
  }
  return results;
}

struct MmaFence : OpConversionPattern<MmaFenceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaFenceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOpWithMultiple(
        op, passThrough(b, "wgmma.fence.sync.aligned;", adaptor.getValues()));
    return success();
  }
};

struct MmaCommit : OpConversionPattern<MmaCommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaCommitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    InlinePtx{"wgmma.commit_group.sync.aligned;", {}, {}, {}}.emit(rewriter,
                                                                   op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct MmaWait : OpConversionPattern<MmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    std::string text = "wgmma.wait_group.sync.aligned " +
                       std::to_string(op.getPending()) + ";";
    rewriter.replaceOpWithMultiple(op,
                                   passThrough(b, text, adaptor.getValues()));
    return success();
  }
};

} // namespace

void mm01::populateMmaPatterns(const TileTypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns.add<Mma, MmaFence, MmaCommit, MmaWait>(converter,
                                                  patterns.getContext());
}
