//===- ExtentRelations.cpp - which extents of a function are equal --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/ExtentRelations.h"

#include "dialects/mm01/Mm01Extents.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mm01;

#include "passes/graph/ExtentOpInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// ExtentRelations
//===----------------------------------------------------------------------===//

unsigned ExtentRelations::makeNode(std::optional<int64_t> number) {
  parents.push_back(parents.size());
  known.push_back(number);
  return parents.size() - 1;
}

unsigned ExtentRelations::nodeOf(int64_t number) {
  auto [at, isNew] = numbers.try_emplace(number, 0);
  if (isNew)
    at->second = makeNode(number);
  return at->second;
}

unsigned ExtentRelations::nodeOf(Value value, int64_t extent) {
  auto shaped = dyn_cast<ShapedType>(value.getType());
  if (shaped && !shaped.isDynamicDim(extent))
    return nodeOf(shaped.getDimSize(extent));
  APInt constant;
  if (isa<IndexType>(value.getType()) &&
      matchPattern(value, m_ConstantInt(&constant)))
    return nodeOf(constant.getSExtValue());
  auto [at, isNew] = extents.try_emplace({value, extent}, 0);
  if (isNew)
    at->second = makeNode(std::nullopt);
  return at->second;
}

unsigned ExtentRelations::rootOf(unsigned node) const {
  while (parents[node] != node)
    node = parents[node];
  return node;
}

void ExtentRelations::join(unsigned a, unsigned b) {
  a = rootOf(a);
  b = rootOf(b);
  // Two numbers are never equal: this function fails whatever it is given.
  if (a == b || (known[a] && known[b]))
    return;
  if (known[b])
    std::swap(a, b);
  parents[b] = a;
}

void ExtentRelations::equate(Value a, int64_t extentOfA, Value b,
                             int64_t extentOfB) {
  join(nodeOf(a, extentOfA), nodeOf(b, extentOfB));
}

void ExtentRelations::equate(Value value, int64_t extent, int64_t number) {
  join(nodeOf(value, extent), nodeOf(number));
}

void ExtentRelations::equateAll(Value a, Value b) {
  std::optional<int64_t> count = countExtents(a.getType());
  if (!count || count != countExtents(b.getType()))
    return;
  for (int64_t extent = 0; extent < *count; ++extent)
    equate(a, extent, b, extent);
}

unsigned ExtentRelations::classOf(Value value, int64_t extent) {
  return rootOf(nodeOf(value, extent));
}

std::optional<int64_t> ExtentRelations::numberOf(unsigned extentClass) const {
  return known[rootOf(extentClass)];
}

//===----------------------------------------------------------------------===//
// What ops say by traits and upstream interfaces
//===----------------------------------------------------------------------===//

/// Operands that one dimension of a linalg op's loops walks along.
static void relateLoops(linalg::LinalgOp op, ExtentRelations &relations) {
  SmallVector<std::pair<Value, int64_t>> first(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [extent, result] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(result);
      if (!loop)
        continue;
      auto &[value, dimension] = first[loop.getPosition()];
      if (value)
        relations.equate(value, dimension, operand.get(), extent);
      else
        first[loop.getPosition()] = {operand.get(), extent};
    }
  }
}

/// Elementwise ops: tensors of one shape in, tensors of it out.
static void relateElements(Operation *op, ExtentRelations &relations) {
  Value first;
  auto relate = [&](Value value) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    if (first)
      relations.equateAll(first, value);
    else
      first = value;
  };
  llvm::for_each(op->getOperands(), relate);
  llvm::for_each(op->getResults(), relate);
}

//===----------------------------------------------------------------------===//
// ExtentAnalysis
//===----------------------------------------------------------------------===//

void ExtentAnalysis::relate(Operation *op, ExtentRelations &relations) {
  if (auto extents = dyn_cast<ExtentOpInterface>(op))
    extents.relateExtents(relations);
  if (auto loops = dyn_cast<linalg::LinalgOp>(op))
    relateLoops(loops, relations);
  if (OpTrait::hasElementwiseMappableTraits(op))
    relateElements(op, relations);
  if (auto destinations = dyn_cast<DestinationStyleOpInterface>(op))
    for (OpResult result : op->getResults())
      relations.equateAll(destinations.getTiedOpOperand(result)->get(), result);
  auto call = dyn_cast<CallOpInterface>(op);
  if (!call)
    return;
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  if (!callee)
    return;
  for (const ExtentClass &same : of(callee)) {
    auto valueOf = [&](const ExtentPort &port) {
      return port.isResult ? Value(op->getResult(port.index))
                           : call.getArgOperands()[port.index];
    };
    const ExtentPort &first = same.ports.front();
    for (const ExtentPort &port : same.ports)
      relations.equate(valueOf(first), first.extent, valueOf(port),
                       port.extent);
    if (same.number)
      relations.equate(valueOf(first), first.extent, *same.number);
  }
}

ArrayRef<ExtentClass> ExtentAnalysis::of(FunctionOpInterface function) {
  auto [known, isNew] = classes.try_emplace(function);
  if (!isNew || function.isExternal())
    return known->second;

  // What the first block does is done in every call. Regions inside of it may
  // be skipped, and what they need need not hold.
  ExtentRelations relations;
  Block &body = function.getFunctionBody().front();
  for (Operation &op : body)
    relate(&op, relations);

  std::map<unsigned, ExtentClass> found;
  auto add = [&](Value value, bool isResult, unsigned index) {
    int64_t count = countExtents(value.getType()).value_or(0);
    for (int64_t extent = 0; extent < count; ++extent)
      found[relations.classOf(value, extent)].ports.push_back(
          {isResult, index, extent});
  };
  for (BlockArgument argument : body.getArguments())
    add(argument, /*isResult=*/false, argument.getArgNumber());
  if (body.mightHaveTerminator() &&
      body.getTerminator()->hasTrait<OpTrait::ReturnLike>())
    for (OpOperand &result : body.getTerminator()->getOpOperands())
      add(result.get(), /*isResult=*/true, result.getOperandNumber());

  // A reference into the map stays valid while callees are added.
  SmallVector<ExtentClass> &said = known->second;
  for (auto &[extentClass, same] : found) {
    same.number = relations.numberOf(extentClass);
    if (same.number || same.ports.size() > 1)
      said.push_back(std::move(same));
  }
  llvm::sort(said, [](const ExtentClass &a, const ExtentClass &b) {
    auto key = [](const ExtentPort &port) {
      return std::tuple(port.isResult, port.index, port.extent);
    };
    return key(a.ports.front()) < key(b.ports.front());
  });
  return said;
}
