//===- Interpreter.cpp - runs programs on tensors in float64 --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Interpreter.h"

#include "codegen/reference/Frame.h"
#include "codegen/reference/Models.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

void registerReferenceModels(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  Mm01Dialect, scf::SCFDialect, tensor::TensorDialect,
                  ub::UBDialect>();
  registerArithModels(registry);
  registerControlFlowModels(registry);
  registerLinalgModels(registry);
  registerMathModels(registry);
  registerMm01Models(registry);
  registerTensorModels(registry);
}

/// Fails where an argument is not of the kind, extents or element type that the
/// signature says.
static Error checkArgument(func::FuncOp function, unsigned index,
                           const InterpreterValue &argument) {
  Type type = function.getArgumentTypes()[index];
  bool fits;
  if (auto tensorType = dyn_cast<RankedTensorType>(type)) {
    const auto *tensor = std::get_if<Tensor>(&argument);
    fits = tensor && tensor->elementType() == tensorType.getElementType() &&
           compatibleExtents(tensor->shape(), tensorType.getShape());
  } else if (isa<WeightType>(type)) {
    const auto *weight = std::get_if<Weight>(&argument);
    fits = weight && weight->type() == type;
  } else if (isa<RaggedType>(type)) {
    fits = std::holds_alternative<Ragged>(argument);
  } else {
    fits =
        type.isIntOrIndexOrFloat() && std::holds_alternative<Scalar>(argument);
  }
  if (fits)
    return Error::success();
  std::string text;
  raw_string_ostream(text) << type;
  return opError(function, "got another value as argument " + Twine(index) +
                               ", expected " + text);
}

Expected<SmallVector<InterpreterValue>>
interpret(ModuleOp module, StringRef entry,
          SmallVector<InterpreterValue> arguments, const Options &options) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function)
    return opError(module, "has no function @" + entry);
  if (function.getNumArguments() != arguments.size())
    return opError(function, "got " + Twine(arguments.size()) +
                                 " arguments, expected " +
                                 Twine(function.getNumArguments()));
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (Error error = checkArgument(function, index, argument))
      return error;
  Run run{module, options, {}, {}};
  Frame outermost(run);
  auto results = outermost.call(function, std::move(arguments));
  if (results && options.replayRoutes &&
      run.routesTaken != options.replayRoutes->size())
    return opError(function, "took " + Twine(run.routesTaken) + " of the " +
                                 Twine(options.replayRoutes->size()) +
                                 " recorded routes, expected all");
  return results;
}

} // namespace mm01::reference
