//===- Mm01CollectiveOps.cpp - communication between ranks ------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an op alone shows is checked by its verifier; what depends on the size
// of its group, when the symbols are.
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01OpSupport.h"

using namespace mlir;
using namespace mm01;

static RankedTensorType ranked(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The size of the group of `token`, or an error at `op`.
static FailureOr<int64_t> groupSize(Operation *op, Value token,
                                    SymbolTableCollection &symbols) {
  FlatSymbolRefAttr name = cast<TokenType>(token.getType()).getGroup();
  auto group = symbols.lookupNearestSymbolFrom<ProcessGroupOp>(op, name);
  if (!group)
    return op->emitOpError("no mm01.process_group is named ") << name;
  int64_t size = group.getSize();
  if (size <= 0)
    return op->emitOpError("the axes of group ") << name << " are not valid";
  return size;
}

/// C1 of the ops that change nothing about the type.
static LogicalResult verifySameType(Operation *op, Value x, Value out) {
  return require(op, haveOneShape({x, out}) && haveOneElementType({x, out}),
                 "C1",
                 "out must have the type of x, " + toString(x.getType()) +
                     ", found " + toString(out.getType()));
}

/// C1 of the ops that change the extent of one dimension.
static LogicalResult verifyAlong(Operation *op, Value x, Value out,
                                 int64_t dimension) {
  RankedTensorType from = ranked(x), to = ranked(out);
  bool fits = dimension >= 0 && dimension < from.getRank() &&
              from.getRank() == to.getRank() && haveOneElementType({x, out});
  for (int64_t i = 0; fits && i < from.getRank(); ++i)
    fits = i == dimension || compatible(from.getDimSize(i), to.getDimSize(i));
  return require(
      op, fits, "C1",
      "x and out must have one type but for the extent of dimension " +
          Twine(dimension) + ", found " + toString(from) + " and " +
          toString(to));
}

/// C2: along `dimension`, `whole` has `size` times the extent of `part`.
static LogicalResult verifyMultiple(Operation *op, StringRef wholeName,
                                    Value whole, StringRef partName, Value part,
                                    int64_t dimension, int64_t size) {
  int64_t all = ranked(whole).getDimSize(dimension);
  int64_t one = ranked(part).getDimSize(dimension);
  return require(op,
                 ShapedType::isDynamic(all) ||
                     (all % size == 0 && compatible(all / size, one)),
                 "C2",
                 wholeName + " must have " + Twine(size) +
                     " times the extent of " + partName + ", found " +
                     toString(whole.getType()) + " and " +
                     toString(part.getType()));
}

/// C3: one count for each rank.
static LogicalResult verifyCounts(Operation *op, ValueRange counts,
                                  int64_t dimension, int64_t size) {
  for (Value value : counts)
    if (failed(require(
            op, dimension == 0 && compatible(ranked(value).getDimSize(0), size),
            "C3",
            "expected one count for each of " + Twine(size) +
                " ranks, along dimension 0, found " +
                toString(value.getType()) + " along " + Twine(dimension))))
      return failure();
  return success();
}

/// Along its dimension, `whole` holds what every rank has in `part`: as many as
/// the counts say, or the same from each.
template <typename OpTy>
static LogicalResult verifyGroupExtent(OpTy op, SymbolTableCollection &symbols,
                                       StringRef wholeName, Value whole,
                                       StringRef partName, Value part) {
  FailureOr<int64_t> size = groupSize(op, op.getAfter(), symbols);
  if (failed(size))
    return failure();
  int64_t dimension = op.getDimension();
  if (Value counts = op.getCounts())
    return verifyCounts(op, counts, dimension, *size);
  return verifyMultiple(op, wholeName, whole, partName, part, dimension, *size);
}

LogicalResult AllReduceOp::verify() {
  return verifySameType(*this, getX(), getOut());
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(succeeded(groupSize(*this, getAfter(), symbols)));
}

LogicalResult AllGatherOp::verify() {
  return verifyAlong(*this, getX(), getOut(), getDimension());
}

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroupExtent(*this, symbols, "out", getOut(), "x", getX());
}

LogicalResult ReduceScatterOp::verify() {
  return verifyAlong(*this, getX(), getOut(), getDimension());
}

LogicalResult
ReduceScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroupExtent(*this, symbols, "x", getX(), "out", getOut());
}

LogicalResult AllToAllOp::verify() {
  if (failed(verifyAlong(*this, getX(), getOut(), /*dimension=*/0)))
    return failure();
  return require(*this, bool(getSend()) == bool(getReceive()), "C3",
                 "send and receive go together");
}

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<int64_t> size = groupSize(*this, getAfter(), symbols);
  if (failed(size))
    return failure();
  if (getSend())
    return verifyCounts(*this, {getSend(), getReceive()}, /*dimension=*/0,
                        *size);
  int64_t sent = ranked(getX()).getDimSize(0);
  int64_t received = ranked(getOut()).getDimSize(0);
  auto splits = [&](int64_t rows) {
    return ShapedType::isDynamic(rows) || rows % *size == 0;
  };
  return require(*this,
                 compatible(sent, received) && splits(sent) && splits(received),
                 "C2",
                 "x and out must have the same number of rows, a multiple of " +
                     Twine(*size));
}

LogicalResult RingShiftOp::verify() {
  return verifySameType(*this, getX(), getOut());
}

LogicalResult RingShiftOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(succeeded(groupSize(*this, getAfter(), symbols)));
}
