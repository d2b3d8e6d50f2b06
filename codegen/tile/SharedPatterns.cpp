//===- SharedPatterns.cpp - tiles in shared memory, by address ------------===//
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

struct Alloc : OpConversionPattern<AllocOp> {
  Alloc(const TypeConverter &converter, MLIRContext *context,
        const SharedPlan &plan)
      : OpConversionPattern(converter, context), plan(plan) {}

  LogicalResult
  matchAndRewrite(AllocOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, b.add(b.sharedBase(), plan.offsets.lookup(op)));
    return success();
  }

  const SharedPlan &plan;
};

struct Slot : OpConversionPattern<SlotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SlotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, b.element(adaptor.getRing().front(), op.getIndex(),
                                     op.getType().getLayout().bytes()));
    return success();
  }
};

struct Rows : OpConversionPattern<RowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op,
                       b.add(adaptor.getTile().front(),
                             op.getFirst() * op.getType().getLayout().swizzle));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

/// The coordinates of a panel of a tile: columns advance.
SmallVector<Value> panelCoordinates(ThreadBuilder &b, ValueRange coordinates,
                                    const SharedLayout &layout, Value panel) {
  SmallVector<Value> values;
  for (Value coordinate : coordinates)
    values.push_back(b.narrow(coordinate));
  values[0] = b.add(values[0], b.mul(panel, layout.panelColumns()));
  return values;
}

/// `tile.copy_in`: a copy for each panel; with `multicast` block r of a cluster
/// copies the panels r, r + cluster, … into all blocks, or the rth part of the
/// rows of a single panel.
struct CopyIn : OpConversionPattern<CopyInOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyInOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getBarriers())
      return rewriter.notifyMatchFailure(op, "signals no barrier");
    ThreadBuilder b(op.getLoc(), rewriter);
    SharedLayout layout = op.getBuffer().getType().getLayout();
    int64_t blocks = op.getMulticast()
                         ? op->getParentOfType<LLVM::LLVMFuncOp>()
                               ->getAttrOfType<IntegerAttr>("tile.cluster")
                               .getInt()
                         : 1;
    SharedLayout part = layout;
    part.rows = op.getRowCount();
    int64_t rows = part.rowsOfShare(blocks);
    bool byRows = rows != part.rows;
    if (byRows ? rows % 8 != 0 || rows * blocks != part.rows
               : layout.panels() % blocks != 0)
      return op.emitOpError("each of the ")
             << blocks << " blocks of the cluster copies the same number of "
             << "panels of " << layout.panelColumns()
             << " columns, or of blocks of 8 rows of one panel; found "
             << part.panels() << " panels of " << part.rows << " rows";
    Value barrier =
        b.element(adaptor.getBarriers().front(), op.getSlot(), /*bytes=*/8);
    Value first = b.i32(0);
    if (blocks > 1)
      first = b.blockInCluster();
    for (int64_t panel = 0; panel < layout.panels(); panel += blocks) {
      Value number = byRows ? b.i32(0) : b.add(first, panel);
      Value address = b.add(
          b.add(adaptor.getBuffer().front(), op.getFirstRow() * layout.swizzle),
          b.mul(number, layout.panelBytes()));
      SmallVector<Value> at =
          panelCoordinates(b, op.getCoordinates(), layout, number);
      if (byRows) {
        address = b.add(address, b.mul(first, rows * layout.swizzle));
        at[1] = b.add(at[1], b.mul(first, rows));
      }
      int64_t rank = at.size();
      std::string text =
          "cp.async.bulk.tensor." + std::to_string(rank) +
          "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" +
          (blocks > 1 ? ".multicast::cluster" : "") + " [$0], [$1, {" +
          ptxOperands(3, rank) + "}], [$2]";
      InlinePtx copy{
          text, {}, {}, {address, adaptor.getMap().front(), barrier}};
      llvm::append_range(copy.inputs, at);
      if (blocks > 1) {
        copy.text += ", " + ptxOperands(3 + rank, 1);
        copy.inputs.push_back(arith::ConstantIntOp::create(
            b, (int64_t(1) << blocks) - 1, /*width=*/16));
      }
      copy.text += ";";
      copy.emit(b, b.getLoc());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// `tile.copy_out`: a copy for each panel, in one group.
struct CopyOut : OpConversionPattern<CopyOutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyOutOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    SharedLayout layout = op.getBuffer().getType().getLayout();
    for (int64_t panel = 0; panel < layout.panels(); ++panel) {
      Value address =
          b.add(adaptor.getBuffer().front(), panel * layout.panelBytes());
      SmallVector<Value> at =
          panelCoordinates(b, op.getCoordinates(), layout, b.i32(panel));
      int64_t rank = at.size();
      InlinePtx copy{"cp.async.bulk.tensor." + std::to_string(rank) +
                         "d.global.shared::cta.tile.bulk_group [$0, {" +
                         ptxOperands(2, rank) + "}], [$1];",
                     {},
                     {},
                     {adaptor.getMap().front(), address}};
      llvm::append_range(copy.inputs, at);
      copy.emit(b, b.getLoc());
    }
    InlinePtx{"cp.async.bulk.commit_group;", {}, {}, {}}.emit(b, b.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct CopyWait : OpConversionPattern<CopyWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyWaitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    InlinePtx{"cp.async.bulk.wait_group.read " +
                  std::to_string(op.getPending()) + ";",
              {},
              {},
              {}}
        .emit(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Between shared memory and registers
//===----------------------------------------------------------------------===//

/// SharedLayout::xorMask of a row below 8.
Value exchange(ThreadBuilder &b, const SharedLayout &layout, Value row) {
  int64_t rowsInLine = 128 / layout.swizzle;
  return b.mul(b.rem(b.div(row, rowsInLine), layout.swizzle / 16), 16);
}

/// Addresses at which a lane points ldmatrix and stmatrix. One instruction
/// moves 16 columns of the fragment, four blocks of 8x8; lane l has row l mod 8
/// of block l / 8. Blocks 0 and 1 are rows 0 to 7 and 8 to 15 of the warp's
/// rows, blocks 2 and 3 the same of the next 8 columns. If the tile is
/// transposed, rows of the fragment are its columns.
class ChunkAddresses {
public:
  /// For a fragment of `rows` rows.
  ChunkAddresses(ThreadBuilder &b, Value base, const SharedLayout &layout,
                 int64_t rows, bool transposed)
      : b(b), layout(layout), transposed(transposed) {
    Value lane = b.lane(), block = b.div(lane, 8), inBlock = b.rem(lane, 8);
    Value row8 = b.mul(b.rem(block, 2), 8), column8 = b.mul(b.div(block, 2), 8);
    Value warpRow = b.add(b.mul(b.warpOf(rows), 16), row8);
    // Rows are multiples of 8 apart, after which the pattern repeats.
    mask = exchange(b, layout, inBlock);
    if (transposed) {
      row = b.add(inBlock, column8);
      column = warpRow;
    } else {
      row = b.add(inBlock, warpRow);
      column = column8;
    }
    Value rowStart = b.add(base, b.mul(row, layout.swizzle));
    Value bytes = b.mul(column, layout.elementBytes);
    Value panel = b.div(bytes, layout.swizzle);
    panelStart = b.add(rowStart, b.mul(panel, layout.panelBytes()));
    chunk = b.bitXor(b.rem(bytes, layout.swizzle), mask);
  }

  /// For the `step`th 16 columns of the fragment.
  Value at(int64_t step) {
    if (transposed)
      return b.add(b.add(panelStart, layout.stepAlongRows(step)), chunk);
    // The step's own bytes in a panel's row are whole pairs of chunks, so xor
    // adds them to the lane's chunk.
    int64_t bytes = layout.stepAlongColumns(step) % layout.panelBytes();
    int64_t panel = layout.stepAlongColumns(step) - bytes;
    return b.add(b.add(panelStart, panel), b.bitXor(chunk, b.i32(bytes)));
  }

private:
  ThreadBuilder &b;
  const SharedLayout layout;
  const bool transposed;
  Value mask, row, column, panelStart, chunk;
};

std::string matrixInstruction(const char *name, int64_t blocks,
                              bool transposed) {
  return std::string(name) + ".sync.aligned.m8n8.x" + std::to_string(blocks) +
         (transposed ? ".trans" : "") + ".shared.b16 ";
}

/// Blocks of 8x8 that instruction `step` of a tile moves: four, or two where 8
/// columns are left.
int64_t blocksOf(RankedTensorType tile, int64_t step) {
  return std::min<int64_t>(4, tile.getDimSize(1) / 4 - 4 * step);
}

/// `tile.read` of i8: pairs of neighbours of a row. A chunk of 16 bytes is the
/// 16 columns of an instruction of the matrix unit, of which a thread has two
/// pairs in each of two rows.
struct ReadBytes : OpConversionPattern<ReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().getElementType().isInteger(8))
      return rewriter.notifyMatchFailure(op, "is not of i8");
    ThreadBuilder b(op.getLoc(), rewriter);
    SharedLayout layout = op.getBuffer().getType().getLayout();
    Value lane = b.lane(), rowInBlock = b.div(lane, 4);
    Value row =
        b.add(b.mul(b.warpOf(op.getType().getDimSize(0)), 16), rowInBlock);
    Value start =
        b.add(b.add(adaptor.getBuffer().front(), b.mul(row, layout.swizzle)),
              b.mul(b.rem(lane, 4), 2));
    Value mask = exchange(b, layout, rowInBlock);
    SmallVector<Value> registers;
    for (int64_t column = 0; column < op.getType().getDimSize(1); column += 8) {
      int64_t chunk = column % layout.swizzle / 16 * 16;
      Value at =
          b.add(b.add(start, b.bitXor(mask, b.i32(chunk))),
                column / layout.swizzle * layout.panelBytes() + column % 16);
      for (int64_t i = 0; i < FragmentLayout::rowRegisters; ++i) {
        int64_t below = FragmentLayout::rowPlace(i) * layout.swizzle;
        InlinePtx load{"ld.shared.u16 $0, [$1+" + std::to_string(below) + "];",
                       {b.getI32Type()},
                       {},
                       {at}};
        registers.push_back(load.emit(b, b.getLoc()).front());
      }
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct Read : OpConversionPattern<ReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().getElementType().isBF16())
      return rewriter.notifyMatchFailure(op, "is not of bf16");
    ThreadBuilder b(op.getLoc(), rewriter);
    ChunkAddresses addresses(b, adaptor.getBuffer().front(),
                             op.getBuffer().getType().getLayout(),
                             op.getType().getDimSize(0), op.getTransposed());
    auto pair = VectorType::get({2}, b.getBF16Type());
    SmallVector<Value> registers;
    for (int64_t step = 0; step * 16 < op.getType().getDimSize(1); ++step) {
      int64_t blocks = blocksOf(op.getType(), step);
      InlinePtx load{matrixInstruction("ldmatrix", blocks, op.getTransposed()) +
                         "{" + ptxOperands(0, blocks) + "}, [" +
                         ptxOperands(blocks, 1) + "];",
                     SmallVector<Type>(blocks, b.getI32Type()),
                     {},
                     {addresses.at(step)}};
      for (Value word : load.emit(b, b.getLoc()))
        registers.push_back(LLVM::BitcastOp::create(b, pair, word));
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct Write : OpConversionPattern<WriteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WriteOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = op.getValue().getType();
    ChunkAddresses addresses(b, adaptor.getBuffer().front(),
                             op.getBuffer().getType().getLayout(),
                             type.getDimSize(0), op.getTransposed());
    for (int64_t step = 0; step * 16 < type.getDimSize(1); ++step) {
      int64_t blocks = blocksOf(type, step);
      InlinePtx store{
          matrixInstruction("stmatrix", blocks, op.getTransposed()) +
              "[$0], {" + ptxOperands(1, blocks) + "};",
          {},
          {},
          {addresses.at(step)}};
      for (Value pair : adaptor.getValue().slice(4 * step, blocks))
        store.inputs.push_back(
            LLVM::BitcastOp::create(b, b.getI32Type(), pair));
      store.emit(b, b.getLoc());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mm01::populateSharedPatterns(const TileTypeConverter &converter,
                                  const SharedPlan &plan,
                                  RewritePatternSet &patterns) {
  patterns.add<Alloc>(converter, patterns.getContext(), plan);
  patterns.add<Slot, Rows, CopyIn, CopyOut, CopyWait, ReadBytes, Read, Write>(
      converter, patterns.getContext());
}
