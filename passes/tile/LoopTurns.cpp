//===- LoopTurns.cpp - numbers of turns in nests of loops -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/LoopTurns.h"

#include "dialects/tile/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mm01 {

FailureOr<Value> LoopTurns::turnOf(Block *block, OpBuilder &atEntry) {
  SmallVector<scf::ForOp> nest;
  Operation *parent = block->getParentOp();
  for (; !isa<tile::KernelOp>(parent); parent = parent->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return parent->emitOpError("expected loops alone around buffers");
    nest.push_back(loop);
  }
  if (nest.empty())
    return arith::ConstantIndexOp::create(atEntry, parent->getLoc(), 0)
        .getResult();
  if (nest.size() == 1 && matchPattern(nest[0].getLowerBound(), m_Zero()) &&
      matchPattern(nest[0].getStep(), m_One()))
    return nest[0].getInductionVar();
  if (auto known = counts.find(block); known != counts.end())
    return Value(block->getArgument(known->second));
  return count(nest, atEntry);
}

Value LoopTurns::count(MutableArrayRef<scf::ForOp> nest, OpBuilder &atEntry) {
  Location loc = nest.back().getLoc();
  IRRewriter rewriter(atEntry.getContext());
  Value start = arith::ConstantIndexOp::create(atEntry, loc, 0);
  // From the outermost loop inwards; a loop yields what the one in it returns.
  scf::ForOp outer;
  for (scf::ForOp &loop : llvm::reverse(nest)) {
    bool innermost = loop == nest.front();
    Block *body = loop.getBody();
    rewriter.setInsertionPoint(loop);
    auto next = [&](OpBuilder &b, Location where,
                    ArrayRef<BlockArgument> args) {
      Value count = args.front();
      if (innermost)
        count = arith::AddIOp::create(
            b, where, count, arith::ConstantIndexOp::create(b, where, 1));
      return SmallVector<Value>{count};
    };
    DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
    auto replaced =
        cast<scf::ForOp>(loop.replaceWithAdditionalYields(
                                 rewriter, start,
                                 /*replaceInitOperandUsesInLoop=*/false, next)
                             ->getOperation());
    replaced->setDiscardableAttrs(attributes);
    if (auto known = counts.find(body); known != counts.end()) {
      unsigned argument = known->second;
      counts.erase(known);
      counts[replaced.getBody()] = argument;
    }
    if (outer) {
      Operation *yield = outer.getBody()->getTerminator();
      yield->setOperand(yield->getNumOperands() - 1,
                        replaced.getResults().back());
    }
    start = replaced.getRegionIterArgs().back();
    outer = loop = replaced;
  }
  Block *body = nest.front().getBody();
  counts[body] = body->getNumArguments() - 1;
  return body->getArguments().back();
}

} // namespace mm01
