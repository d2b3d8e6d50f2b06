//===- ControlFlowModels.cpp - reference of func, scf, affine indices -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Models.h"
#include "codegen/reference/Slices.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

using Values = SmallVector<InterpreterValue>;

static InterpreterValue integerValue(int64_t number) {
  Scalar scalar;
  scalar.i = number;
  return scalar;
}

//===----------------------------------------------------------------------===//
// func, cf
//===----------------------------------------------------------------------===//

static Error call(func::CallOp op, Frame &frame) {
  FunctionOpInterface callee = frame.lookup(op, op.getCalleeAttr());
  Values arguments;
  for (OpOperand &operand : op->getOpOperands())
    arguments.push_back(frame.takeValue(operand));
  Expected<Values> results = frame.call(callee, std::move(arguments));
  if (!results)
    return results.takeError();
  return frame.setAll(op.getResults(), std::move(*results));
}

static Error assertion(cf::AssertOp op, Frame &frame) {
  if (frame.integer(op.getArg()))
    return Error::success();
  return opError(op, "failed: " + op.getMsg());
}

//===----------------------------------------------------------------------===//
// scf
//===----------------------------------------------------------------------===//

static Error forLoop(scf::ForOp op, Frame &frame) {
  int64_t lower = frame.integer(op.getLowerBound()),
          upper = frame.integer(op.getUpperBound()),
          step = frame.integer(op.getStep());
  if (step <= 0)
    return opError(op,
                   "has the step " + Twine(step) + ", expected a positive one");
  Values carried;
  for (OpOperand &init : op.getInitArgsMutable())
    carried.push_back(frame.takeValue(init));
  while (lower < upper) {
    Values arguments = {integerValue(lower)};
    llvm::move(carried, std::back_inserter(arguments));
    Expected<Values> next =
        frame.runRegion(op.getRegion(), std::move(arguments));
    if (!next)
      return next.takeError();
    carried = std::move(*next);
    if (upper - lower <= step)
      break;
    lower += step;
  }
  return frame.setAll(op.getResults(), std::move(carried));
}

static Error whileLoop(scf::WhileOp op, Frame &frame) {
  Values carried;
  for (OpOperand &init : op.getInitsMutable())
    carried.push_back(frame.takeValue(init));
  while (true) {
    Expected<Values> before =
        frame.runRegion(op.getBefore(), std::move(carried));
    if (!before)
      return before.takeError();
    bool again = std::get<Scalar>(before->front()).i;
    before->erase(before->begin());
    if (!again)
      return frame.setAll(op.getResults(), std::move(*before));
    Expected<Values> after = frame.runRegion(op.getAfter(), std::move(*before));
    if (!after)
      return after.takeError();
    carried = std::move(*after);
  }
}

/// Runs a region without arguments and gives what it yields to op's results.
static Error runBranch(Operation *op, Region &region, Frame &frame) {
  Expected<Values> results = frame.runRegion(region, {});
  if (!results)
    return results.takeError();
  return frame.setAll(op->getResults(), std::move(*results));
}

static Error ifElse(scf::IfOp op, Frame &frame) {
  if (frame.integer(op.getCondition()))
    return runBranch(op, op.getThenRegion(), frame);
  if (op.getElseRegion().empty())
    return Error::success();
  return runBranch(op, op.getElseRegion(), frame);
}

static Error indexSwitch(scf::IndexSwitchOp op, Frame &frame) {
  int64_t index = frame.integer(op.getArg());
  for (auto [number, region] : llvm::zip(op.getCases(), op.getCaseRegions()))
    if (number == index)
      return runBranch(op, region, frame);
  return runBranch(op, op.getDefaultRegion(), frame);
}

static Error executeRegion(scf::ExecuteRegionOp op, Frame &frame) {
  return runBranch(op, op.getRegion(), frame);
}

/// Writes the slices of one iteration into the shared outputs.
static Error insertSlices(scf::InParallelOp op, Frame &frame) {
  for (Operation &insertion : op.getYieldingOps()) {
    auto reference = dyn_cast<ReferenceOpInterface>(insertion);
    if (!reference)
      return opError(&insertion, "has no reference implementation");
    if (Error error = reference.evaluate(frame))
      return error;
  }
  return Error::success();
}

/// How often each dimension of a loop nest runs; fails for a step that does not
/// lead anywhere and for more iterations than a run could ever do.
static Expected<SmallVector<int64_t>> countIterations(Operation *op,
                                                      ArrayRef<int64_t> lower,
                                                      ArrayRef<int64_t> upper,
                                                      ArrayRef<int64_t> step) {
  SmallVector<int64_t> counts;
  for (auto [low, high, each] : llvm::zip_equal(lower, upper, step)) {
    if (each <= 0)
      return opError(op, "has the step " + Twine(each) +
                             ", expected a positive one");
    counts.push_back(low < high ? (high - low - 1) / each + 1 : 0);
  }
  if (Error error = checkShape(op, counts))
    return error;
  return counts;
}

/// The iterations run one after another. The shared outputs live in the block
/// arguments, so that slices are written into them in place.
static Error forall(scf::ForallOp op, Frame &frame) {
  SmallVector<int64_t> lower = frame.integers(op.getMixedLowerBound()),
                       upper = frame.integers(op.getMixedUpperBound()),
                       step = frame.integers(op.getMixedStep());
  auto counts = countIterations(op, lower, upper, step);
  if (!counts)
    return counts.takeError();
  Values shared;
  for (OpOperand &output : op.getOutputsMutable())
    shared.push_back(frame.takeValue(output));
  SmallVector<BlockArgument> written = op.getTerminator().getDests();

  SmallVector<int64_t> iteration(counts->size(), 0);
  int64_t total = 1;
  for (int64_t count : *counts)
    total *= count;
  for (int64_t done = 0; done < total; ++done, advance(iteration, *counts)) {
    Values arguments;
    for (auto [i, number] : llvm::enumerate(iteration)) {
      int64_t ordinal =
          frame.options().reverseForall ? (*counts)[i] - 1 - number : number;
      arguments.push_back(integerValue(lower[i] + ordinal * step[i]));
    }
    for (auto [output, value] : llvm::zip(op.getRegionIterArgs(), shared))
      arguments.push_back(llvm::is_contained(written, output) ? std::move(value)
                                                              : value);
    if (Error error = frame.runOps(*op.getBody(), std::move(arguments)))
      return error;
    if (Error error = insertSlices(op.getTerminator(), frame))
      return error;
    for (auto [output, value] : llvm::zip(op.getRegionIterArgs(), shared))
      if (llvm::is_contained(written, output))
        value = frame.remove(output);
  }
  return frame.setAll(op.getResults(), std::move(shared));
}

//===----------------------------------------------------------------------===//
// affine
//===----------------------------------------------------------------------===//

/// The results of `map` on these operands; fails for a division by zero.
static Expected<SmallVector<int64_t>>
applyMap(Operation *op, AffineMap map, ValueRange operands, Frame &frame) {
  Builder builder(op->getContext());
  SmallVector<Attribute> constants, results;
  for (mlir::Value operand : operands)
    constants.push_back(builder.getIndexAttr(frame.integer(operand)));
  if (failed(map.constantFold(constants, results)))
    return opError(op, "divides by a number that is not positive");
  return llvm::map_to_vector(results, [](Attribute result) {
    return cast<IntegerAttr>(result).getInt();
  });
}

static Error affineApply(affine::AffineApplyOp op, Frame &frame) {
  auto results = applyMap(op, op.getAffineMap(), op.getMapOperands(), frame);
  if (!results)
    return results.takeError();
  return frame.setInteger(op.getResult(), results->front());
}

static Error affineMin(affine::AffineMinOp op, Frame &frame) {
  auto results = applyMap(op, op.getAffineMap(), op.getOperands(), frame);
  if (!results)
    return results.takeError();
  return frame.setInteger(op.getResult(), *llvm::min_element(*results));
}

static Error affineMax(affine::AffineMaxOp op, Frame &frame) {
  auto results = applyMap(op, op.getAffineMap(), op.getOperands(), frame);
  if (!results)
    return results.takeError();
  return frame.setInteger(op.getResult(), *llvm::max_element(*results));
}

void registerControlFlowModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    attach<func::CallOp, call>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, cf::ControlFlowDialect *) {
    attach<cf::AssertOp, assertion>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    attach<scf::ForOp, forLoop>(*context);
    attach<scf::WhileOp, whileLoop>(*context);
    attach<scf::IfOp, ifElse>(*context);
    attach<scf::IndexSwitchOp, indexSwitch>(*context);
    attach<scf::ExecuteRegionOp, executeRegion>(*context);
    attach<scf::ForallOp, forall>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, affine::AffineDialect *) {
    attach<affine::AffineApplyOp, affineApply>(*context);
    attach<affine::AffineMinOp, affineMin>(*context);
    attach<affine::AffineMaxOp, affineMax>(*context);
  });
}

} // namespace mm01::reference
