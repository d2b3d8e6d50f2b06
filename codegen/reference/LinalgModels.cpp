//===- LinalgModels.cpp - reference of linalg -----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One implementation runs every structured op, named or generic, from its
// iterators, maps and body. The body is run for many points of one parallel
// loop at once ("lanes"), so that the price of interpreting it is paid once for
// all of them. Reductions keep their order. A body with an op that has no lane
// function is run point by point.
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/LinalgLoops.h"
#include "codegen/reference/Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <algorithm>

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

namespace {

/// Points of the lane loop that are run at once.
constexpr int64_t kLanes = 512;

/// A linalg body as a list of lane functions over registers. Registers are the
/// block arguments, then values from outside, then the results of the ops.
class LaneBody {
public:
  /// Null where some op of the body has no lane function.
  static std::optional<LaneBody> create(Block &block, Frame &frame);

  /// Runs the body for `lanes` points. `arguments` has the elements of each
  /// block argument; `point` is the first point, whose loop `laneLoop` counts
  /// up along the lanes.
  Error run(ArrayRef<const Scalar *> arguments, ArrayRef<int64_t> point,
            size_t laneLoop, int64_t lanes);

  /// After run(): the elements that the body yields as operand `index`.
  const Scalar *yielded(size_t index) const {
    return registers[yieldedRegisters[index]];
  }

private:
  struct Step {
    LaneFunction function;
    SmallVector<size_t, 3> operands;
    size_t result;
  };
  struct LoopIndex {
    size_t loop, result;
  };

  /// A new register with memory of its own.
  size_t allocate() {
    storage.push_back(std::vector<Scalar>(kLanes));
    registers.push_back(storage.back().data());
    return registers.size() - 1;
  }

  std::vector<std::vector<Scalar>> storage;
  std::vector<const Scalar *> registers;
  SmallVector<Step> steps;
  SmallVector<LoopIndex> indices;
  SmallVector<size_t> yieldedRegisters;
};

} // namespace

std::optional<LaneBody> LaneBody::create(Block &block, Frame &frame) {
  LaneBody body;
  llvm::DenseMap<mlir::Value, size_t> numbers;
  for (BlockArgument argument : block.getArguments()) {
    numbers[argument] = body.registers.size();
    body.registers.push_back(nullptr);
  }
  // The register of an operand; one from outside is the same in all lanes.
  auto find = [&](mlir::Value value) -> std::optional<size_t> {
    if (auto found = numbers.find(value); found != numbers.end())
      return found->second;
    if (!value.getType().isIntOrIndexOrFloat())
      return std::nullopt;
    size_t number = body.allocate();
    body.storage.back().assign(kLanes, frame.scalar(value));
    return numbers[value] = number;
  };

  for (Operation &op : block.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      numbers[index] = body.allocate();
      body.indices.push_back({index.getDim(), numbers[index]});
      continue;
    }
    auto reference = dyn_cast<ReferenceOpInterface>(op);
    if (!reference)
      return std::nullopt;
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      if (Error error = reference.evaluate(frame)) {
        consumeError(std::move(error));
        return std::nullopt;
      }
      if (!find(op.getResult(0)))
        return std::nullopt;
      continue;
    }
    LaneFunction function = reference.getLaneFunction(frame.options());
    if (!function)
      return std::nullopt;
    Step step{std::move(function), {}, 0};
    for (mlir::Value operand : op.getOperands()) {
      std::optional<size_t> number = find(operand);
      if (!number)
        return std::nullopt;
      step.operands.push_back(*number);
    }
    step.result = numbers[op.getResult(0)] = body.allocate();
    body.steps.push_back(std::move(step));
  }
  for (mlir::Value operand : block.getTerminator()->getOperands()) {
    std::optional<size_t> number = find(operand);
    if (!number)
      return std::nullopt;
    body.yieldedRegisters.push_back(*number);
  }
  return body;
}

Error LaneBody::run(ArrayRef<const Scalar *> arguments, ArrayRef<int64_t> point,
                    size_t laneLoop, int64_t lanes) {
  llvm::copy(arguments, registers.begin());
  for (auto [loop, result] : indices) {
    auto *to = const_cast<Scalar *>(registers[result]);
    for (int64_t lane = 0; lane < lanes; ++lane)
      to[lane].i = point[loop] + (loop == laneLoop ? lane : 0);
  }
  SmallVector<const Scalar *> operands;
  for (Step &step : steps) {
    operands.clear();
    for (size_t number : step.operands)
      operands.push_back(registers[number]);
    if (Error error = step.function(
            operands, const_cast<Scalar *>(registers[step.result]), lanes))
      return error;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

/// Runs all points in lanes.
static Error runInLanes(LaneBody &body, const LinalgLoops &loops,
                        ArrayRef<const Scalar *> inputs,
                        ArrayRef<Scalar *> outputs) {
  size_t lane = loops.laneLoop();
  std::vector<std::vector<Scalar>> gathered(inputs.size() + outputs.size(),
                                            std::vector<Scalar>(kLanes));
  SmallVector<const Scalar *> arguments(gathered.size());
  SmallVector<int64_t> point(loops.extents.size(), 0);
  SmallVector<int64_t> outer = loops.extents;
  int64_t extent = 1;
  if (!outer.empty())
    extent = std::exchange(outer[lane], 1);

  for (int64_t left = product(outer); left > 0; --left) {
    for (int64_t begin = 0; begin < extent; begin += kLanes) {
      int64_t lanes = std::min(kLanes, extent - begin);
      if (!point.empty())
        point[lane] = begin;
      for (size_t i = 0; i < arguments.size(); ++i) {
        const LinalgLoops::Access &access = loops.accesses[i];
        const Scalar *from =
            (i < inputs.size() ? inputs[i] : outputs[i - inputs.size()]) +
            access.at(point);
        int64_t pitch = point.empty() ? 0 : access.pitches[lane];
        if (pitch == 1) {
          arguments[i] = from;
          continue;
        }
        arguments[i] = gathered[i].data();
        for (int64_t j = 0; j < lanes; ++j)
          gathered[i][j] = from[j * pitch];
      }
      if (Error error = body.run(arguments, point, lane, lanes))
        return error;
      for (size_t i = 0; i < outputs.size(); ++i) {
        const LinalgLoops::Access &access = loops.accesses[inputs.size() + i];
        Scalar *to = outputs[i] + access.at(point);
        int64_t pitch = point.empty() ? 0 : access.pitches[lane];
        const Scalar *from = body.yielded(i);
        for (int64_t j = 0; j < lanes; ++j)
          to[j * pitch] = from[j];
      }
    }
    if (!point.empty())
      point[lane] = 0;
    advance(point, outer);
  }
  return Error::success();
}

/// Runs all points one after another, whatever the body holds.
static Error runPointByPoint(linalg::LinalgOp op, const LinalgLoops &loops,
                             ArrayRef<const Scalar *> inputs,
                             ArrayRef<Scalar *> outputs, Frame &frame) {
  SmallVector<int64_t> point(loops.extents.size(), 0);
  for (int64_t left = product(loops.extents); left > 0; --left) {
    SmallVector<InterpreterValue> arguments;
    for (auto [i, input] : llvm::enumerate(inputs))
      arguments.push_back(input[loops.accesses[i].at(point)]);
    for (auto [i, output] : llvm::enumerate(outputs))
      arguments.push_back(output[loops.accesses[inputs.size() + i].at(point)]);
    SmallVector<int64_t> around = llvm::to_vector(frame.loopIndices);
    frame.loopIndices = point;
    auto results =
        frame.runRegion(*op.getBlock()->getParent(), std::move(arguments));
    frame.loopIndices = around;
    if (!results)
      return results.takeError();
    for (auto [i, output] : llvm::enumerate(outputs))
      output[loops.accesses[inputs.size() + i].at(point)] =
          std::get<Scalar>((*results)[i]);
    advance(point, loops.extents);
  }
  return Error::success();
}

static Error structured(linalg::LinalgOp op, Frame &frame) {
  if (!op.hasPureTensorSemantics())
    return opError(op, "works on memory, expected tensors");
  // Inputs may be scalars, which are tensors of rank 0 here.
  SmallVector<Tensor> inputs, outputs;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (isa<RankedTensorType>(operand->get().getType())) {
      inputs.push_back(frame.tensor(operand->get()));
      continue;
    }
    Tensor scalar({}, operand->get().getType());
    *scalar.overwrite() = frame.scalar(operand->get());
    inputs.push_back(scalar);
  }
  for (OpOperand &operand : op.getDpsInitsMutable())
    outputs.push_back(frame.take(operand));

  Expected<LinalgLoops> loops = LinalgLoops::create(op, inputs, outputs);
  if (!loops)
    return loops.takeError();
  SmallVector<const Scalar *> from;
  SmallVector<Scalar *> to;
  for (Tensor &input : inputs)
    from.push_back(input.data());
  for (Tensor &output : outputs)
    to.push_back(output.mutableData());

  std::optional<LaneBody> body;
  if (loops->hasLaneLoop())
    body = LaneBody::create(*op.getBlock(), frame);
  if (Error error = body ? runInLanes(*body, *loops, from, to)
                         : runPointByPoint(op, *loops, from, to, frame))
    return error;
  for (auto [result, output] : llvm::zip(op->getResults(), outputs))
    if (Error error = frame.set(result, std::move(output)))
      return error;
  return Error::success();
}

static Error loopIndex(linalg::IndexOp op, Frame &frame) {
  return frame.setInteger(op.getResult(), frame.loopIndices[op.getDim()]);
}

namespace {
template <typename OpTy>
struct StructuredModel
    : ReferenceOpInterface::ExternalModel<StructuredModel<OpTy>, OpTy> {
  Error evaluate(Operation *op, Frame &frame) const {
    return structured(llvm::cast<linalg::LinalgOp>(op), frame);
  }
};
} // namespace

template <typename... Ops> static void attachStructured(MLIRContext &context) {
  (Ops::template attachInterface<StructuredModel<Ops>>(context), ...);
}

void registerLinalgModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachStructured<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(*context);
    attach<linalg::IndexOp, loopIndex>(*context);
  });
}

} // namespace mm01::reference
