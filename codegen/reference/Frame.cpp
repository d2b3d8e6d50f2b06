//===- Frame.cpp - the values of a function that is being interpreted -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Frame.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace llvm;
using namespace mlir;

#include "codegen/reference/ReferenceOpInterface.cpp.inc"

namespace mm01::reference {

/// Deeper calls are refused before they overflow the interpreter's own stack.
static constexpr int64_t kMaxCallDepth = 200;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

const InterpreterValue &Frame::value(mlir::Value value) const {
  auto found = values.find(value);
  assert(found != values.end() && "dominance was verified");
  return found->second;
}

Scalar Frame::scalar(mlir::Value value) const {
  return std::get<Scalar>(this->value(value));
}

Tensor Frame::tensor(mlir::Value value) const {
  return std::get<Tensor>(this->value(value));
}

const Weight &Frame::weight(mlir::Value value) const {
  return std::get<Weight>(this->value(value));
}

const Ragged &Frame::ragged(mlir::Value value) const {
  return std::get<Ragged>(this->value(value));
}

InterpreterValue Frame::takeValue(OpOperand &operand) {
  if (run.lastUses.isLast(operand))
    return remove(operand.get());
  return value(operand.get());
}

Tensor Frame::take(OpOperand &operand) {
  return std::get<Tensor>(takeValue(operand));
}

SmallVector<int64_t> Frame::integers(ArrayRef<OpFoldResult> mixed) const {
  return llvm::map_to_vector(mixed, [&](OpFoldResult each) {
    if (auto attribute = dyn_cast<Attribute>(each))
      return cast<IntegerAttr>(attribute).getInt();
    return integer(cast<mlir::Value>(each));
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Fails where a tensor is not what a static type says of it.
static Error checkType(mlir::Value value, const Tensor &tensor) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || compatibleExtents(tensor.shape(), type.getShape()))
    return Error::success();
  Operation *op = value.getDefiningOp();
  return opError(op ? op : value.getParentBlock()->getParentOp(),
                 "a tensor has the shape " + shapeText(tensor.shape()) +
                     ", expected " + shapeText(type.getShape()));
}

Error Frame::set(mlir::Value value, InterpreterValue content) {
  if (auto *tensor = std::get_if<Tensor>(&content)) {
    if (Error error = checkType(value, *tensor))
      return error;
    if (options().roundStorage)
      tensor->roundToStorage();
  }
  values[value] = std::move(content);
  return Error::success();
}

Error Frame::setInteger(mlir::Value value, int64_t content) {
  Scalar scalar;
  scalar.i = wrapToType(content, value.getType());
  return set(value, scalar);
}

Error Frame::setAll(ValueRange to, SmallVector<InterpreterValue> contents) {
  for (auto [value, content] : llvm::zip_equal(to, contents))
    if (Error error = set(value, std::move(content)))
      return error;
  return Error::success();
}

InterpreterValue Frame::remove(mlir::Value value) {
  auto found = values.find(value);
  InterpreterValue content = std::move(found->second);
  values.erase(found);
  return content;
}

//===----------------------------------------------------------------------===//
// Nested code
//===----------------------------------------------------------------------===//

Error Frame::runOps(Block &block, SmallVector<InterpreterValue> arguments) {
  if (Error error = setAll(block.getArguments(), std::move(arguments)))
    return error;
  for (Operation &op : block.without_terminator()) {
    auto reference = dyn_cast<ReferenceOpInterface>(op);
    if (!reference)
      return opError(&op, "has no reference implementation");
    if (Error error = reference.evaluate(*this))
      return error;
    for (mlir::Value value : run.lastUses.endingAt(&op))
      values.erase(value);
  }
  return Error::success();
}

Expected<SmallVector<InterpreterValue>>
Frame::runRegion(Region &region, SmallVector<InterpreterValue> arguments) {
  if (!region.hasOneBlock())
    return opError(region.getParentOp(),
                   "has branches between blocks, expected structured control "
                   "flow (scf)");
  Block &block = region.front();
  if (Error error = runOps(block, std::move(arguments)))
    return error;
  SmallVector<InterpreterValue> results;
  for (OpOperand &operand : block.getTerminator()->getOpOperands())
    results.push_back(takeValue(operand));
  return results;
}

Expected<SmallVector<InterpreterValue>>
Frame::call(FunctionOpInterface function,
            SmallVector<InterpreterValue> arguments) {
  if (function.isExternal())
    return opError(function, "has no body to run");
  if (run.callDepth == kMaxCallDepth)
    return opError(function, "is called recursively, or more than " +
                                 Twine(kMaxCallDepth) + " calls deep");
  ++run.callDepth;
  Frame callee(run);
  auto results =
      callee.runRegion(function.getFunctionBody(), std::move(arguments));
  --run.callDepth;
  return results;
}

FunctionOpInterface Frame::lookup(Operation *from, SymbolRefAttr symbol) {
  return run.symbols.lookupNearestSymbolFrom<FunctionOpInterface>(from, symbol);
}

Expected<const Tensor *> Frame::takeRoute(Operation *op, int64_t tokens,
                                          int64_t chosen) {
  const Routes *routes = options().replayRoutes;
  if (!routes)
    return nullptr;
  size_t number = run.routesTaken++;
  if (number >= routes->size())
    return opError(op, "is execution " + Twine(number) +
                           ", expected no more than the " +
                           Twine(routes->size()) + " recorded routes");
  const Tensor &route = (*routes)[number];
  if (route.shape() != ArrayRef<int64_t>({tokens, chosen}))
    return opError(op, "recorded route " + Twine(number) + " has the shape " +
                           shapeText(route.shape()) + ", expected " +
                           shapeText({tokens, chosen}));
  return &route;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Error opError(Operation *op, const Twine &message) {
  std::string text;
  raw_string_ostream stream(text);
  if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
    stream << file.getFilename().getValue() << ":" << file.getLine() << ":"
           << file.getColumn();
  else
    stream << op->getLoc();
  stream << ": '" << op->getName() << "' ";
  if (auto name =
          op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    stream << "@" << name.getValue() << " ";
  stream << message;
  return createStringError(Twine(text));
}

Error checkIndex(Operation *op, const Twine &what, int64_t index,
                 int64_t extent) {
  if (index >= 0 && index < extent)
    return Error::success();
  return opError(op, what + " is " + Twine(index) +
                         ", expected a number in [0, " + Twine(extent) + ")");
}

Error checkShapes(Operation *op, ArrayRef<ExpectedShape> operands) {
  for (const ExpectedShape &operand : operands)
    if (operand.tensor.shape() != ArrayRef<int64_t>(operand.shape))
      return opError(op, operand.name + " has the shape " +
                             shapeText(operand.tensor.shape()) + ", expected " +
                             shapeText(operand.shape));
  return Error::success();
}

Error checkShape(Operation *op, ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    if (extent < 0)
      return opError(op, "a tensor of the shape " + shapeText(shape) +
                             " has a negative extent");
  for (int64_t extent : shape)
    if (extent == 0)
      return Error::success();
  for (int64_t extent : shape) {
    if (extent > kMaxElements / product)
      return opError(op, "a tensor of the shape " + shapeText(shape) +
                             " has more than " + Twine(kMaxElements) +
                             " elements");
    product *= extent;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

Error evaluateElementwise(Operation *op, Frame &frame) {
  mlir::Value result = op->getResult(0);
  LaneFunction function =
      cast<ReferenceOpInterface>(op).getLaneFunction(frame.options());
  SmallVector<const Scalar *> operands;
  if (!isa<ShapedType>(result.getType())) {
    SmallVector<Scalar> scalars;
    for (mlir::Value operand : op->getOperands())
      scalars.push_back(frame.scalar(operand));
    for (Scalar &scalar : scalars)
      operands.push_back(&scalar);
    Scalar computed;
    if (Error error = function(operands, &computed, 1))
      return error;
    return frame.set(result, computed);
  }
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type)
    return opError(op, "works on vectors, expected scalars or tensors");

  // A scalar among tensors (the condition of a select) is the same in each
  // lane.
  SmallVector<Tensor> tensors;
  SmallVector<int64_t> shape;
  for (mlir::Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType())) {
      Tensor tensor = frame.tensor(operand);
      shape.assign(tensor.shape().begin(), tensor.shape().end());
    }
  for (mlir::Value operand : op->getOperands()) {
    if (isa<RankedTensorType>(operand.getType())) {
      tensors.push_back(frame.tensor(operand));
      if (tensors.back().shape() != ArrayRef<int64_t>(shape))
        return opError(op, "an operand has the shape " +
                               shapeText(tensors.back().shape()) +
                               ", expected " + shapeText(shape));
      continue;
    }
    Tensor spread(shape, operand.getType());
    std::fill_n(spread.overwrite(), spread.elements(), frame.scalar(operand));
    tensors.push_back(spread);
  }
  for (Tensor &tensor : tensors)
    operands.push_back(tensor.data());
  Tensor computed(shape, type.getElementType());
  if (Error error =
          function(operands, computed.overwrite(), computed.elements()))
    return error;
  return frame.set(result, std::move(computed));
}

} // namespace mm01::reference
