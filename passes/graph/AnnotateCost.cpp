//===- AnnotateCost.cpp - writes on each op what it costs -------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks each op through CostOpInterface and sums over functions, callees first.
//
//     %y = mm01.linear %x, %w into %out : …
//   becomes, for 10 tokens and a weight of 96 x 64 in bf16,
//     %y = mm01.linear %x, %w into %out {mm01.cost = {bytes_read = 14848 : i64,
//          bytes_written = 3840 : i64, flops = 122880 : i64}} : …
//
// Test: test/passes/graph/annotate-cost.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Passes.h"

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <optional>

namespace mm01 {
#define GEN_PASS_DEF_ANNOTATECOSTPASS
#include "passes/graph/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

constexpr StringLiteral kCostAttr = "mm01.cost";

void add(OpCost &sum, const OpCost &cost) {
  sum.flops += cost.flops;
  sum.bytesRead += cost.bytesRead;
  sum.bytesWritten += cost.bytesWritten;
  sum.bytesSent += cost.bytesSent;
}

void annotate(Operation *op, const OpCost &cost) {
  Builder builder(op->getContext());
  // Whole numbers: a float of this size prints as hexadecimal.
  auto field = [&](StringRef name, double value) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    return builder.getNamedAttr(
        name, builder.getI64IntegerAttr(
                  value < 0x1p63 ? static_cast<int64_t>(value) : most));
  };
  SmallVector<NamedAttribute> fields = {
      field("flops", cost.flops), field("bytes_read", cost.bytesRead),
      field("bytes_written", cost.bytesWritten)};
  if (cost.bytesSent != 0)
    fields.push_back(field("bytes_sent", cost.bytesSent));
  op->setAttr(kCostAttr, builder.getDictionaryAttr(fields));
}

/// The largest k of the module's routing; 1 where it has none.
int64_t routedPerToken(Operation *module) {
  int64_t most = 1;
  module->walk([&](RouteOp route) {
    auto weights = cast<ShapedType>(route.getWeights().getType());
    most = std::max(most, weights.getDimSize(1));
  });
  return most;
}

struct AnnotateCostPass
    : public mm01::impl::AnnotateCostPassBase<AnnotateCostPass> {
  using Base::Base;

  void runOnOperation() override {
    int64_t chosen = expertsPerToken;
    if (chosen == 0)
      chosen = routedPerToken(getOperation());
    if (tokens < 0 || sequences < 0 || rows < 0 || context < 0 || chosen < 0 ||
        llvm::MulOverflow(tokens.getValue(), chosen, sizes.routed)) {
      getOperation()->emitError("sizes must not be negative, and tokens times "
                                "experts must be less than 2^63");
      return signalPassFailure();
    }
    sizes.tokens = tokens;
    sizes.sequences = sequences;
    sizes.rows = rows;
    sizes.context = context;
    sums.clear();
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(sumOf(function)))
        return signalPassFailure();
  }

private:
  /// The cost of a function, which it gets as an attribute, too.
  FailureOr<OpCost> sumOf(FunctionOpInterface function) {
    auto [known, isNew] = sums.try_emplace(function, std::nullopt);
    if (!isNew) {
      if (known->second)
        return *known->second;
      return function->emitError("the function calls itself: its cost has no "
                                 "end");
    }
    OpCost sum;
    WalkResult walk = function->walk([&](Operation *op) -> WalkResult {
      if (auto costly = dyn_cast<CostOpInterface>(op)) {
        OpCost cost = costly.getCost(sizes);
        annotate(op, cost);
        add(sum, cost);
      } else if (auto call = dyn_cast<CallOpInterface>(op)) {
        auto callee =
            dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
        if (!callee)
          return WalkResult::advance();
        FailureOr<OpCost> cost = sumOf(callee);
        if (failed(cost))
          return WalkResult::interrupt();
        add(sum, *cost);
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    if (!function.isExternal())
      annotate(function, sum);
    sums[function] = sum;
    return sum;
  }

  CostSizes sizes;
  /// Sums of functions; none while a function is being summed.
  llvm::DenseMap<Operation *, std::optional<OpCost>> sums;
};

} // namespace
