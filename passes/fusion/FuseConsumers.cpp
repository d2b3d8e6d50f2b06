//===- FuseConsumers.cpp - put an op into the kernel that it reads --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a workgroup has just computed is in its cache. Requires products as
// kernels, other ops whole.
//
// Before: %y = scf.forall (%i, %j) in (%tiles, %panels) shared_outs(%o = %out)
// {
//           … tensor.parallel_insert_slice %panel into %o[%row, %column] …
//         } {mm01.kernel = "linear"}
//         %z = linalg.generic outs(%y)
// After:  %z = scf.forall (%i, %j) in (%tiles, %panels) shared_outs(%o = %out)
// {
//           … %done = linalg.generic outs(%panel)
//           tensor.parallel_insert_slice %done into %o[%row, %column] …
//         } {mm01.kernel = "linear+generic_divf"}
//
// A result that is read and not updated gets a place in the workgroup's
// scratch. Tested by test/passes/fusion/fuse-consumers*.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/FusedKernels.h"
#include "passes/fusion/Passes.h"
#include "passes/fusion/Switch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mm01 {
#define GEN_PASS_DEF_FUSECONSUMERSPASS
#include "passes/fusion/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// Elements that one workgroup may get of an op that works on whole rows, as
/// many as rowsPerWorkgroup gives it in a kernel of its own.
static constexpr int64_t kMostTileElements = 16384;

/// The greatest value that an extent may have, if its operations show one.
static std::optional<int64_t> boundOf(OpFoldResult extent) {
  if (std::optional<int64_t> constant = getConstantIntValue(extent))
    return constant;
  auto least = cast<Value>(extent).getDefiningOp<arith::MinSIOp>();
  if (!least)
    return std::nullopt;
  std::optional<int64_t> left = boundOf(OpFoldResult(least.getLhs()));
  std::optional<int64_t> right = boundOf(OpFoldResult(least.getRhs()));
  if (!left || !right)
    return left ? left : right;
  return std::min(*left, *right);
}

/// The same for the elements of a slice.
static std::optional<int64_t> elementsBound(ArrayRef<OpFoldResult> extents) {
  int64_t elements = 1;
  for (OpFoldResult extent : extents) {
    std::optional<int64_t> bound = boundOf(extent);
    if (!bound || llvm::MulOverflow(elements, *bound, elements))
      return std::nullopt;
  }
  return elements;
}

namespace {

/// One consumer, on its way into one kernel.
class Fusion {
public:
  Fusion(IRRewriter &rewriter, TilingInterface consumer)
      : rewriter(rewriter), consumer(consumer),
        destinations(
            cast<DestinationStyleOpInterface>(consumer.getOperation())) {}

  LogicalResult run() {
    if (failed(findKernel()))
      return failure();
    LogicalResult found =
        success(succeeded(findTile()) && succeeded(checkLoops()) &&
                succeeded(checkPlaces()));
    eraseDeadUsers(rewriter, kernel);
    if (failed(found)) {
      eraseDeadTail();
      return failure();
    }
    rewrite();
    return success();
  }

private:
  /// An operand that the kernel makes.
  struct Link {
    OpOperand *operand;
    OpResult result;
    tensor::ParallelInsertSliceOp insertion;
  };

  LogicalResult refuse(StringRef why) {
    return rewriter.notifyMatchFailure(consumer, why);
  }

  /// The last kernel before the consumer that makes one of its operands.
  LogicalResult findKernel() {
    for (Value operand : consumer->getOperands()) {
      scf::ForallOp made = kernelOf(operand);
      if (made && made->getBlock() == consumer->getBlock() &&
          (!kernel || kernel->isBeforeInBlock(made)))
        kernel = made;
    }
    if (!kernel)
      return refuse("no kernel of its block makes an operand");
    if (!canSinkTo(kernel, consumer, consumer))
      return refuse("a result of the kernel is used before the consumer");
    for (OpOperand &operand : consumer->getOpOperands()) {
      if (kernelOf(operand.get()) != kernel)
        continue;
      auto result = cast<OpResult>(operand.get());
      if (!llvm::all_of(result.getUsers(), [&](Operation *user) {
            return user == consumer.getOperation();
          }))
        return refuse("the intermediate has another use");
      Link &link =
          links.emplace_back(Link{&operand, result, insertionOf(result)});
      if (!link.insertion)
        return refuse("a workgroup does not write one slice of the operand");
      numbers.push_back(operand.getOperandNumber());
      offsets.push_back(link.insertion.getMixedOffsets());
      sizes.push_back(link.insertion.getMixedSizes());
    }
    return success();
  }

  /// The loops of the consumer that belong to a workgroup.
  LogicalResult findTile() {
    if (auto op = dyn_cast<linalg::LinalgOp>(consumer.getOperation()))
      for (Link &link : links)
        if (!op.getMatchingIndexingMap(link.operand).isProjectedPermutation())
          return refuse("reads the operand by a map that is no permutation");
    rewriter.setInsertionPoint(consumer);
    if (failed(consumer.getIterationDomainTileFromOperandTiles(
            rewriter, numbers, offsets, sizes, domainOffsets, domainSizes)))
      return refuse("needs more of the operand than a workgroup writes");
    return success();
  }

  /// A loop that is cut must be parallel, and whole rows must not be many.
  LogicalResult checkLoops() {
    SmallVector<utils::IteratorType> loops = consumer.getLoopIteratorTypes();
    auto structured = dyn_cast<linalg::LinalgOp>(consumer.getOperation());
    for (size_t i = 0; i < loops.size(); ++i)
      if (loops[i] != utils::IteratorType::parallel &&
          (!structured || !isConstantIntValue(domainOffsets[i], 0) ||
           !isConstantIntValue(domainSizes[i],
                               structured.getStaticLoopRanges()[i])))
        return refuse("a workgroup writes a part of what it sums up");
    bool isElementwise = llvm::all_of(links, [&](Link &link) {
      return loops.size() ==
             static_cast<size_t>(link.insertion.getDestType().getRank());
    });
    if (isElementwise)
      return success();
    std::optional<int64_t> elements = elementsBound(sizes.front());
    if (!elements || *elements > kMostTileElements)
      return refuse("too few workgroups for an op on whole rows");
    return success();
  }

  /// Each operand is updated in its place, or moves to scratch.
  LogicalResult checkPlaces() {
    rewriter.setInsertionPoint(kernel.getTerminator());
    for (auto [number, init] :
         llvm::enumerate(destinations.getDpsInitsMutable())) {
      Indices at, extents;
      if (failed(consumer.getResultTilePosition(rewriter, number, domainOffsets,
                                                domainSizes, at, extents)))
        return refuse("does not say where a tile of its result lies");
      positions.push_back({at, extents});
      Link *link = linkOf(init);
      if (link && (!isEqualConstantIntOrValueArray(
                       at, link->insertion.getMixedOffsets()) ||
                   !isEqualConstantIntOrValueArray(
                       extents, link->insertion.getMixedSizes())))
        return refuse("updates another slice than a workgroup writes");
    }
    for (Link &link : links)
      if (!isUpdated(link.result) && !canMoveToScratch(link))
        return refuse("the intermediate has no place in a workgroup's scratch");
    return success();
  }

  /// Erases index arithmetic for a tile that will not be.
  void eraseDeadTail() {
    while (Operation *last = kernel.getTerminator()->getPrevNode()) {
      if (!isOpTriviallyDead(last))
        return;
      rewriter.eraseOp(last);
    }
  }

  Link *linkOf(OpOperand &operand) {
    Link *link = llvm::find_if(
        links, [&](Link &link) { return link.operand == &operand; });
    return link == links.end() ? nullptr : link;
  }

  bool isUpdated(OpResult result) {
    return llvm::is_contained(destinations.getDpsInits(), Value(result));
  }

  /// Slices of the kernel's output that the result lies in while it is made.
  static SmallVector<tensor::ExtractSliceOp> slicesOf(Link &link) {
    SmallVector<tensor::ExtractSliceOp> slices;
    for (Operation *user : link.insertion.getDest().getUsers())
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
        slices.push_back(slice);
    return slices;
  }

  /// What was there before must not matter, and what a workgroup writes must
  /// have a bound.
  bool canMoveToScratch(Link &link) {
    Value init = kernel.getTiedOpOperand(link.result)->get();
    Indices at = link.insertion.getMixedOffsets();
    Indices extents = link.insertion.getMixedSizes();
    SmallVector<tensor::ExtractSliceOp> slices = slicesOf(link);
    auto isWhole = [&](tensor::ExtractSliceOp slice) {
      return slice.getType() == link.insertion.getSourceType() &&
             isEqualConstantIntOrValueArray(slice.getMixedOffsets(), at) &&
             isEqualConstantIntOrValueArray(slice.getMixedSizes(), extents);
    };
    return init.getDefiningOp<tensor::EmptyOp>() && elementsBound(extents) &&
           llvm::range_size(link.insertion.getDest().getUsers()) ==
               slices.size() + 1 &&
           llvm::all_of(slices, isWhole);
  }

  void moveToScratch(Link &link) {
    for (tensor::ExtractSliceOp slice : slicesOf(link)) {
      rewriter.setInsertionPoint(slice);
      rewriter.replaceOpWithNewOp<tensor::EmptyOp>(
          slice, slice.getMixedSizes(), slice.getType().getElementType());
    }
    rewriter.eraseOp(link.insertion);
    link.insertion = nullptr;
  }

  void rewrite() {
    Values tiles;
    for (Link &link : links)
      tiles.push_back(link.insertion.getSource());
    // Outputs that stay, then those that the consumer adds.
    SmallVector<OpResult> kept;
    for (OpResult result : kernel->getResults()) {
      Link *link = llvm::find_if(
          links, [&](Link &link) { return link.result == result; });
      if (link == links.end() || isUpdated(result))
        kept.push_back(result);
      else if (link->insertion)
        moveToScratch(*link);
    }
    Values outs;
    for (OpResult result : kept)
      outs.push_back(kernel.getTiedOpOperand(result)->get());
    for (OpOperand &init : destinations.getDpsInitsMutable())
      if (!linkOf(init))
        outs.push_back(init.get());

    rewriter.setInsertionPoint(consumer);
    auto name = kernel->getAttrOfType<StringAttr>(kKernelAttr).getValue();
    scf::ForallOp fused = makeKernel(rewriter, kernel, outs,
                                     fusedName(name, kernelName(consumer)));
    ValueRange added = fused.getRegionOutArgs().drop_front(kept.size());
    Values places = kernel.getOutputs();
    for (auto [place, result] : llvm::zip(fused.getRegionOutArgs(), kept))
      places[result.getResultNumber()] = place;
    moveBody(rewriter, kernel, fused, places);
    rewriter.setInsertionPoint(fused.getTerminator());
    Values done = tile(tiles, added);
    eraseDeadUsers(rewriter, kernel);

    // The consumer's results: updated ones are those of the kernel.
    Values results;
    unsigned next = kept.size();
    rewriter.setInsertionPointToEnd(fused.getTerminator().getBody());
    for (auto [number, init] :
         llvm::enumerate(destinations.getDpsInitsMutable())) {
      if (Link *link = linkOf(init)) {
        rewriter.modifyOpInPlace(link->insertion, [&] {
          link->insertion.getSourceMutable().assign(done[number]);
        });
        unsigned slot = llvm::find(kept, link->result) - kept.begin();
        results.push_back(fused.getResult(slot));
        continue;
      }
      auto &[at, extents] = positions[number];
      tensor::ParallelInsertSliceOp::create(
          rewriter, consumer.getLoc(), done[number],
          fused.getRegionOutArgs()[next], at, extents,
          Indices(at.size(), rewriter.getIndexAttr(1)));
      results.push_back(fused.getResult(next++));
    }
    rewriter.replaceOp(consumer, results);
    for (auto [slot, result] : llvm::enumerate(kept))
      rewriter.replaceAllUsesWith(result, fused.getResult(slot));
    rewriter.eraseOp(kernel);
  }

  /// The consumer on the tiles of its operands and on slices of the outputs
  /// that it adds.
  Values tile(ValueRange tiles, ValueRange added) {
    TilingResult tiled =
        *consumer.getTiledImplementation(rewriter, domainOffsets, domainSizes);
    Operation *op = tiled.tiledOps.back();
    for (OpOperand &init : destinations.getDpsInitsMutable()) {
      if (linkOf(init))
        continue;
      OpOperand &target = op->getOpOperand(init.getOperandNumber());
      if (auto slice = target.get().getDefiningOp<tensor::ExtractSliceOp>())
        slice.getSourceMutable().assign(added.front());
      else
        target.set(added.front());
      added = added.drop_front();
    }
    for (auto [number, tile] : llvm::zip_equal(numbers, tiles)) {
      Operation *slice = op->getOperand(number).getDefiningOp();
      op->setOperand(number, tile);
      if (slice && slice->use_empty() && isa<tensor::ExtractSliceOp>(slice))
        rewriter.eraseOp(slice);
    }
    return tiled.tiledValues;
  }

  IRRewriter &rewriter;
  TilingInterface consumer;
  DestinationStyleOpInterface destinations;
  scf::ForallOp kernel;
  SmallVector<Link> links;
  SmallVector<unsigned> numbers;
  SmallVector<Indices> offsets, sizes; // of the links
  Indices domainOffsets, domainSizes;
  SmallVector<std::pair<Indices, Indices>> positions; // of the results
};

struct FuseConsumersPass
    : mm01::impl::FuseConsumersPassBase<FuseConsumersPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!wantsFusion(getOperation(), "consumers"))
      return;
    SmallVector<TilingInterface> consumers;
    getOperation().walk([&](TilingInterface op) {
      if (isa<DestinationStyleOpInterface>(op.getOperation()) && !inKernel(op))
        consumers.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    // In their order: a kernel that took one may take the next, too.
    for (TilingInterface consumer : consumers)
      (void)Fusion(rewriter, consumer).run();
  }
};

} // namespace
