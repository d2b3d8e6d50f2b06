//===- PlanArena.cpp - lay out the host's buffers in one arena -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One allocation serves every call: the host's buffers are views of an arena.
//
// Before: func.func private @layer(%x: memref<?x64xf32>) {
//           %n = memref.dim %x, 0
//           %a = memref.alloc(%n) : memref<?x64xf32>
// After:  func.func private @layer(%x: memref<?x64xf32>, %frame: index)
//             attributes {exec.frame = #exec.frame<()[s0] -> (s0 * 256),
//             arguments = [0], extents = [0]>} {
//           %n = memref.dim %x, 0
//           %offset = affine.apply (d0) -> (d0)(%frame)
//           %a = exec.arena at %offset (%n) : memref<?x64xf32>
//
// The walk is a linear scan: buffers in order of their first use, each takes
// the first slot of an equal size that is dead, or a new one behind all others.
// Requires results placed. Tested by test/passes/schedule/plan-arena.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/BufferBytes.h"
#include "passes/schedule/CallOrder.h"
#include "passes/schedule/ExtentExpressions.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace mm01 {
#define GEN_PASS_DEF_PLANARENAPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// A buffer of a function's entry block; first and last count the operations
/// that use it or a view of it.
struct Buffer {
  memref::AllocOp alloc;
  int64_t first, last;
  AffineExpr bytes;
};

/// A piece of the frame, and the buffers that share it.
struct Slot {
  AffineExpr bytes, offset;
  SmallVector<const Buffer *> buffers;
};

/// The plan of one function.
struct Plan {
  explicit Plan(func::FuncOp function)
      : function(function), expressions(function) {}

  LogicalResult run(llvm::DenseMap<Operation *, exec::FrameAttr> &frames);

private:
  LogicalResult collectBuffers();
  LogicalResult
  addCallees(llvm::DenseMap<Operation *, exec::FrameAttr> &frames);
  void addPeak(AffineExpr bytes);
  AffineExpr assignSlots();
  void rewrite();
  AffineExpr simplify(AffineExpr expression) {
    return simplifyAffineExpr(expression, 0, expressions.size());
  }

  func::FuncOp function;
  ExtentExpressions expressions;
  SmallVector<Buffer> buffers;
  SmallVector<AffineExpr> offsets; // of each buffer
  SmallVector<Slot> slots;
  SmallVector<AffineExpr> peaks; // the frame is the greatest
  AffineExpr own;                // bytes of all slots
};

} // namespace

/// True where an expression is not negative whatever the extents are.
static bool isNotNegative(AffineExpr expression) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  return !binary ||
         (isNotNegative(binary.getLHS()) && isNotNegative(binary.getRHS()));
}

/// The size of a buffer where all extents are a thousand, to order them by.
static int64_t getTypicalBytes(AffineExpr bytes, unsigned symbols) {
  SmallVector<AffineExpr> extents(
      symbols, getAffineConstantExpr(1000, bytes.getContext()));
  auto value = dyn_cast<AffineConstantExpr>(bytes.replaceSymbols(extents));
  return value ? value.getValue() : 0;
}

/// Extends [first, last] by the uses of a buffer and of its views.
static void extendLifetime(Value buffer, Block *block,
                           const llvm::DenseMap<Operation *, int64_t> &order,
                           int64_t &first, int64_t &last) {
  for (Operation *user : buffer.getUsers()) {
    int64_t position = order.lookup(block->findAncestorOpInBlock(*user));
    first = std::min(first, position);
    last = std::max(last, position);
    for (Value result : user->getResults())
      if (isa<BaseMemRefType>(result.getType()))
        extendLifetime(result, block, order, first, last);
  }
}

LogicalResult Plan::collectBuffers() {
  Block *block = &function.getBody().front();
  llvm::DenseMap<Operation *, int64_t> order;
  for (Operation &op : *block)
    order[&op] = order.size();
  WalkResult walk = function.walk([&](memref::AllocOp alloc) -> WalkResult {
    if (alloc->getBlock() != block)
      return alloc.emitError("host buffer is allocated in a nested region, "
                             "expected it at the top of the function");
    AffineExpr bytes =
        getAffineConstantExpr(getElementBytes(alloc.getType().getElementType()),
                              function.getContext());
    for (int64_t i = 0; i < alloc.getType().getRank(); ++i) {
      AffineExpr extent = expressions.getDimension(alloc, i);
      if (!extent)
        return alloc.emitError("extent ")
               << i << " of this buffer does not follow from the extents of "
               << "the arguments of " << function.getSymName();
      bytes = bytes * extent;
    }
    Buffer buffer{alloc, std::numeric_limits<int64_t>::max(), 0,
                  bytes.ceilDiv(kBufferAlignment) * kBufferAlignment};
    extendLifetime(alloc, block, order, buffer.first, buffer.last);
    buffers.push_back(buffer);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (Buffer &buffer : buffers)
    buffer.bytes = simplify(buffer.bytes);
  llvm::stable_sort(buffers, [&](const Buffer &a, const Buffer &b) {
    return getTypicalBytes(a.bytes, expressions.size()) >
           getTypicalBytes(b.bytes, expressions.size());
  });
  return success();
}

AffineExpr Plan::assignSlots() {
  AffineExpr end = getAffineConstantExpr(0, function.getContext());
  for (Buffer &buffer : buffers) {
    auto fits = [&](const Slot &slot) {
      return isNotNegative(simplify(slot.bytes - buffer.bytes)) &&
             llvm::all_of(slot.buffers, [&](const Buffer *other) {
               return other->last < buffer.first || buffer.last < other->first;
             });
    };
    Slot *slot = llvm::find_if(slots, fits);
    if (slot == slots.end()) {
      slots.push_back({buffer.bytes, end, {}});
      end = simplify(end + buffer.bytes);
      slot = &slots.back();
    }
    slot->buffers.push_back(&buffer);
    offsets.push_back(slot->offset);
  }
  return end;
}

/// Keeps the greater of two sizes that differ by a constant.
void Plan::addPeak(AffineExpr bytes) {
  bytes = simplify(bytes);
  for (AffineExpr &peak : peaks)
    if (auto difference =
            dyn_cast<AffineConstantExpr>(simplify(bytes - peak))) {
      if (difference.getValue() > 0)
        peak = bytes;
      return;
    }
  peaks.push_back(bytes);
}

LogicalResult
Plan::addCallees(llvm::DenseMap<Operation *, exec::FrameAttr> &frames) {
  WalkResult walk = function.walk([&](func::CallOp call) -> WalkResult {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    exec::FrameAttr frame = frames.lookup(callee);
    SmallVector<AffineExpr> symbols;
    for (auto [argument, extent] :
         llvm::zip(frame.getArguments(), frame.getExtents())) {
      symbols.push_back(expressions.getOfCallee(call, argument, extent));
      if (!symbols.back())
        return call.emitError("extent ")
               << extent << " of operand " << argument
               << " does not follow from the extents of the arguments of "
               << function.getSymName()
               << ", but the callee's buffers depend on it";
    }
    for (AffineExpr bytes : frame.getBytes().getResults())
      addPeak(own + bytes.replaceSymbols(symbols));
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

void Plan::rewrite() {
  OpBuilder builder(function.getContext());
  bool isPrivate = function.isPrivate();
  if (isPrivate)
    (void)function.insertArgument(function.getNumArguments(),
                                  builder.getIndexType(), {},
                                  function.getLoc());
  builder.setInsertionPointToStart(&function.getBody().front());
  Location loc = function.getLoc();
  SmallVector<Value> operands = expressions.materialize(builder, loc);
  AffineExpr frame = getAffineConstantExpr(0, function.getContext());
  if (isPrivate) {
    operands.push_back(function.getArguments().back());
    frame = getAffineSymbolExpr(operands.size() - 1, function.getContext());
  }
  auto apply = [&](AffineExpr offset) {
    return affine::AffineApplyOp::create(
        builder, loc, AffineMap::get(0, operands.size(), frame + offset),
        operands);
  };
  llvm::DenseMap<AffineExpr, Value> made;
  for (auto [buffer, offset] : llvm::zip(buffers, offsets)) {
    Value &place = made[offset];
    if (!place)
      place = apply(offset);
    OpBuilder at(buffer.alloc);
    Value view =
        exec::ArenaOp::create(at, buffer.alloc.getLoc(), buffer.alloc.getType(),
                              place, buffer.alloc.getDynamicSizes());
    buffer.alloc.replaceAllUsesWith(view);
    buffer.alloc.erase();
  }
  Value behind;
  for (auto call : llvm::to_vector(function.getOps<func::CallOp>())) {
    if (!behind)
      behind = apply(own);
    call->insertOperands(call->getNumOperands(), behind);
  }
}

LogicalResult Plan::run(llvm::DenseMap<Operation *, exec::FrameAttr> &frames) {
  if (failed(collectBuffers()))
    return failure();
  own = assignSlots();
  if (failed(addCallees(frames)))
    return failure();
  // With calls, a callee's frame is at least empty and lies behind this one.
  if (peaks.empty())
    addPeak(own);
  auto map =
      AffineMap::get(0, expressions.size(), peaks, function.getContext());
  auto frame =
      exec::FrameAttr::get(function.getContext(), map, expressions.arguments(),
                           expressions.extents());
  frames[function] = frame;
  function->setAttr(exec::kFrameAttr, frame);
  rewrite();
  return success();
}

namespace {

struct PlanArenaPass : mm01::impl::PlanArenaPassBase<PlanArenaPass> {
  using Base::Base;

  void runOnOperation() override {
    auto functions = getHostFunctionsInCallOrder(getOperation());
    if (failed(functions))
      return signalPassFailure();
    llvm::DenseMap<Operation *, exec::FrameAttr> frames;
    for (func::FuncOp function : *functions)
      if (failed(Plan(function).run(frames)))
        return signalPassFailure();
  }
};

} // namespace
