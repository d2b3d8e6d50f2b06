//===- FuseRows.cpp - make one kernel of ops that go row by row -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops whose row t depends on row t alone need no barrier between them. Requires
// the graph phase; products may be kernels already.
//
// Before: %y = mm01.combine %rows, %positions, %weights into %a
//         %h = linalg.generic ins(%n) outs(%y)
//         %z = mm01.rms_norm %h, %w into %out
// After:  %z = scf.forall (%i) in (%tiles) shared_outs(%o = %out) {
//           %y = mm01.combine %rows, … into %row      tiles of rows, in scratch
//           %h = linalg.generic ins(…) outs(%y)
//           %z = mm01.rms_norm %h, %w into …
//           tensor.parallel_insert_slice %z into %o …
//         } {mm01.kernel = "combine+generic_addf+rms_norm"}
//
// The ops stay as they are, on tiles: mm01-form-kernels makes loops of them.
// Tested by test/passes/fusion/fuse-rows*.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/FusedKernels.h"
#include "passes/fusion/Passes.h"
#include "passes/fusion/Switch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/SetVector.h"

namespace mm01 {
#define GEN_PASS_DEF_FUSEROWSPASS
#include "passes/fusion/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// Elements of a row over all results of a chain, which must stay in a cache.
static constexpr int64_t kMostRowElements = 65536;

/// True where each result has a row for each step of the first loop, which is
/// parallel, and rows have a static size.
static bool isRowWise(Operation *op) {
  auto tiling = dyn_cast<TilingInterface>(op);
  auto destinations = dyn_cast<DestinationStyleOpInterface>(op);
  if (!tiling || !destinations || !destinations.hasPureTensorSemantics() ||
      inKernel(op))
    return false;
  SmallVector<utils::IteratorType> loops = tiling.getLoopIteratorTypes();
  if (loops.empty() || loops.front() != utils::IteratorType::parallel)
    return false;
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() == 0 ||
        llvm::any_of(tensor.getShape().drop_front(), ShapedType::isDynamic))
      return false;
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return loops.size() == 1;
  AffineExpr row = getAffineDimExpr(0, op->getContext());
  return llvm::all_of(destinations.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = structured.getMatchingIndexingMap(&init);
    return map.isProjectedPermutation() && map.getResult(0) == row;
  });
}

/// True where row t of a row-wise op needs row t of the operand and no other.
static bool readsByRow(OpOperand &operand, OpBuilder &b) {
  Operation *op = operand.getOwner();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    AffineMap map = structured.getMatchingIndexingMap(&operand);
    return map.isProjectedPermutation() && map.getNumResults() > 0 &&
           map.getResult(0) == getAffineDimExpr(0, op->getContext());
  }
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return false;
  Indices offsets(type.getRank(), b.getIndexAttr(0)), sizes, at, count;
  for (int64_t extent : type.getShape())
    sizes.push_back(b.getIndexAttr(extent));
  sizes[0] = b.getIndexAttr(1);
  return succeeded(
      cast<TilingInterface>(op).getIterationDomainTileFromOperandTiles(
          b, operand.getOperandNumber(), {offsets}, {sizes}, at, count));
}

/// Elements of a row of all results.
static int64_t rowElements(Operation *op) {
  int64_t elements = 0;
  for (Type type : op->getResultTypes())
    elements += ShapedType::getNumElements(
        cast<RankedTensorType>(type).getShape().drop_front());
  return elements;
}

namespace {

/// Row-wise ops of a block that end in one, the sink.
class Chain {
public:
  Chain(IRRewriter &rewriter, Operation *sink)
      : rewriter(rewriter), sink(sink), elements(rowElements(sink)) {
    members.insert(sink);
  }

  /// Takes in what it can of the ops before the sink that no chain has taken.
  void grow(const llvm::DenseSet<Operation *> &taken) {
    for (Operation *op = sink->getPrevNode(); op; op = op->getPrevNode())
      if (!taken.contains(op) && succeeded(canJoin(op))) {
        members.insert(op);
        elements += rowElements(op);
      }
  }

  bool isWorthAKernel() const { return members.size() > 1; }
  const llvm::SetVector<Operation *> &ops() const { return members; }

  void rewrite();

private:
  LogicalResult canJoin(Operation *op);
  bool escapes(Value value) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !members.contains(user);
    });
  }
  bool isMade(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && members.contains(op);
  }
  void findOutputs();
  void writeTile(KernelBuilder &b, Operation *op, Value first, Value count,
                 ValueRange outs);
  Value initTile(KernelBuilder &b, OpOperand &init, OpResult result,
                 Value first, Value count, ValueRange outs);
  static Value emptyTile(KernelBuilder &b, Value tensor, Value count);

  IRRewriter &rewriter;
  Operation *sink;
  llvm::SetVector<Operation *> members; // the last first
  int64_t elements;
  SmallVector<OpResult> escaping;
  Values outputs;                        // where the escaping results go
  llvm::DenseMap<Value, unsigned> slots; // of results that lie in an output
  llvm::DenseMap<Value, Value> tiles;    // of results, in the kernel
};

} // namespace

LogicalResult Chain::canJoin(Operation *op) {
  if (!isRowWise(op))
    return rewriter.notifyMatchFailure(op, "does not go row by row");
  bool isRead = false;
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    if (!members.contains(user)) {
      Operation *here = sink->getBlock()->findAncestorOpInBlock(*user);
      if (!here || !sink->isBeforeInBlock(here))
        return rewriter.notifyMatchFailure(op, "is used before the chain ends");
      continue;
    }
    isRead = true;
    if (!readsByRow(use, rewriter))
      return rewriter.notifyMatchFailure(op, "the chain reads any of its rows");
    auto destinations = cast<DestinationStyleOpInterface>(user);
    if (destinations.isDpsInit(&use) && escapes(use.get()))
      return rewriter.notifyMatchFailure(
          op, "the chain overwrites a result that is needed after it");
  }
  if (!isRead)
    return rewriter.notifyMatchFailure(op, "the chain does not read it");
  if (elements + rowElements(op) > kMostRowElements)
    return rewriter.notifyMatchFailure(op, "rows are too long for the cache");
  return success();
}

/// An escaping result lies where the first op before it that updated another's
/// result began to write.
void Chain::findOutputs() {
  for (Operation *op : llvm::reverse(members))
    for (OpResult result : op->getResults()) {
      if (!escapes(result))
        continue;
      Value place = result;
      while (isMade(place)) {
        slots[place] = outputs.size();
        auto made = cast<OpResult>(place);
        place = cast<DestinationStyleOpInterface>(made.getOwner())
                    .getTiedOpOperand(made)
                    ->get();
      }
      escaping.push_back(result);
      outputs.push_back(place);
    }
}

Value Chain::emptyTile(KernelBuilder &b, Value tensor, Value count) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = ShapedType::kDynamic;
  return tensor::EmptyOp::create(b, shape, type.getElementType(), count);
}

Value Chain::initTile(KernelBuilder &b, OpOperand &init, OpResult result,
                      Value first, Value count, ValueRange outs) {
  if (isMade(init.get()))
    return tiles.lookup(init.get());
  if (auto slot = slots.find(result); slot != slots.end())
    return b.rows(outs[slot->second], first, count);
  if (init.get().getDefiningOp<tensor::EmptyOp>())
    return emptyTile(b, init.get(), count);
  return {};
}

/// The op on rows [first, first + count).
void Chain::writeTile(KernelBuilder &b, Operation *op, Value first, Value count,
                      ValueRange outs) {
  auto tiling = cast<TilingInterface>(op);
  Indices offsets, sizes;
  for (const Range &range : tiling.getIterationDomain(b)) {
    offsets.push_back(range.offset);
    sizes.push_back(range.size);
  }
  offsets[0] = first;
  sizes[0] = count;
  TilingResult tiled = *tiling.getTiledImplementation(b, offsets, sizes);
  Operation *tile = tiled.tiledOps.back();
  b.setInsertionPoint(tile);
  auto destinations = cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = tiles.lookup(operand.get());
    if (destinations.isDpsInit(&operand))
      value = initTile(b, operand, destinations.getTiedOpResult(&operand),
                       first, count, outs);
    if (value)
      tile->setOperand(operand.getOperandNumber(), value);
  }
  b.setInsertionPointAfter(tile);
  for (Operation *slice : tiled.generatedSlices)
    if (slice->use_empty())
      rewriter.eraseOp(slice);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), tiled.tiledValues))
    tiles[result] = value;
}

void Chain::rewrite() {
  findOutputs();
  std::string name;
  for (Operation *op : llvm::reverse(members))
    name = name.empty() ? kernelName(op) : fusedName(name, kernelName(op));
  rewriter.setInsertionPoint(sink);
  KernelBuilder b(rewriter, sink->getLoc());
  Value tile = b.index(rowsPerWorkgroup(elements));
  Value total = b.dim(outputs.front(), 0);
  ValueRange results =
      b.kernel(name, b.ceilDivide(total, tile), outputs,
               [&](ValueRange ids, ValueRange outs) {
                 Value first = b.mul(ids[0], tile);
                 Value count = b.minimum(tile, b.sub(total, first));
                 for (Operation *op : llvm::reverse(members))
                   writeTile(b, op, first, count, outs);
                 SmallVector<Written> written;
                 for (OpResult result : escaping) {
                   auto type = cast<RankedTensorType>(result.getType());
                   Indices offsets(type.getRank(), b.getIndexAttr(0)),
                       sizes{count};
                   offsets[0] = first;
                   for (int64_t extent : type.getShape().drop_front())
                     sizes.push_back(b.getIndexAttr(extent));
                   written.push_back({tiles.lookup(result), offsets, sizes});
                 }
                 return written;
               });
  for (Operation *op : members)
    eraseDeadUsers(rewriter, op);
  for (auto [result, made] : llvm::zip_equal(escaping, results))
    rewriter.replaceAllUsesWith(result, made);
  for (Operation *op : members)
    rewriter.eraseOp(op);
}

namespace {

struct FuseRowsPass : mm01::impl::FuseRowsPassBase<FuseRowsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!wantsFusion(getOperation(), "rows"))
      return;
    getOperation().walk([&](func::FuncOp function) {
      for (Block &block : function.getBody())
        fuse(block);
    });
  }

private:
  /// From the last op on, so that a chain is as long as it can be.
  void fuse(Block &block) {
    IRRewriter rewriter(&getContext());
    llvm::DenseSet<Operation *> taken;
    SmallVector<Chain> chains;
    for (Operation &op : llvm::reverse(block)) {
      if (taken.contains(&op) || !isRowWise(&op) || op.use_empty())
        continue;
      Chain &chain = chains.emplace_back(rewriter, &op);
      chain.grow(taken);
      taken.insert_range(chain.ops());
    }
    for (Chain &chain : chains)
      if (chain.isWorthAKernel())
        chain.rewrite();
  }
};

} // namespace
