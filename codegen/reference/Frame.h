//===- Frame.h - the values of a function that is being interpreted -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_FRAME_H
#define MM01_CODEGEN_REFERENCE_FRAME_H

#include "codegen/reference/Interpreter.h"
#include "codegen/reference/LastUses.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <functional>

namespace mm01::reference {

/// Computes `lanes` elements of the result from as many of each operand.
using LaneFunction = std::function<llvm::Error(
    llvm::ArrayRef<const Scalar *> operands, Scalar *result, int64_t lanes)>;

/// What is the same for all functions of one run.
struct Run {
  mlir::ModuleOp module;
  Options options;
  mlir::SymbolTableCollection symbols;
  LastUses lastUses;
  int64_t callDepth = 0;
  /// How many of Options::replayRoutes have been taken.
  size_t routesTaken = 0;
};

/// The values of one function call. An op reads its operands from it and sets
/// its results in it; a value is dropped after the last op that uses it.
class Frame {
public:
  explicit Frame(Run &run) : run(run) {}

  const Options &options() const { return run.options; }

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  /// A copy of the value: cheap, as tensors share their elements.
  const InterpreterValue &value(mlir::Value value) const;
  Scalar scalar(mlir::Value value) const;
  int64_t integer(mlir::Value value) const { return scalar(value).i; }
  Tensor tensor(mlir::Value value) const;
  const Weight &weight(mlir::Value value) const;
  const Ragged &ragged(mlir::Value value) const;

  /// The tensor, given up by the frame where this is its last use, so that
  /// writing it needs no copy. Read the other operands before or after, but
  /// this one only here.
  Tensor take(mlir::OpOperand &operand);
  InterpreterValue takeValue(mlir::OpOperand &operand);

  /// The integers that an op mixes from attributes and operands.
  llvm::SmallVector<int64_t>
  integers(llvm::ArrayRef<mlir::OpFoldResult> mixed) const;

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// Sets a result or block argument. Fails where a tensor's extents are not
  /// those of the static type.
  llvm::Error set(mlir::Value value, InterpreterValue content);
  llvm::Error setInteger(mlir::Value value, int64_t content);
  llvm::Error setAll(mlir::ValueRange values,
                     llvm::SmallVector<InterpreterValue> contents);

  /// Removes a value that set() has set before.
  InterpreterValue remove(mlir::Value value);

  //===--------------------------------------------------------------------===//
  // Nested code
  //===--------------------------------------------------------------------===//

  /// Runs a region of one block on these arguments and gives the operands of
  /// its terminator.
  llvm::Expected<llvm::SmallVector<InterpreterValue>>
  runRegion(mlir::Region &region,
            llvm::SmallVector<InterpreterValue> arguments);

  /// Runs a block up to, not including, its terminator.
  llvm::Error runOps(mlir::Block &block,
                     llvm::SmallVector<InterpreterValue> arguments);

  /// Runs a function in a frame of its own.
  llvm::Expected<llvm::SmallVector<InterpreterValue>>
  call(mlir::FunctionOpInterface function,
       llvm::SmallVector<InterpreterValue> arguments);

  /// The function that `symbol` names where `from` is.
  mlir::FunctionOpInterface lookup(mlir::Operation *from,
                                   mlir::SymbolRefAttr symbol);

  /// The next of Options::replayRoutes, for `op`, which routes `tokens` tokens
  /// to `chosen` experts each; null without such. Fails where none fits.
  llvm::Expected<const Tensor *> takeRoute(mlir::Operation *op, int64_t tokens,
                                           int64_t chosen);

  /// The loop indices of the linalg body that is being run element by element.
  llvm::ArrayRef<int64_t> loopIndices;

private:
  Run &run;
  llvm::DenseMap<mlir::Value, InterpreterValue> values;
};

/// `FILE:LINE:COLUMN: 'dialect.op': message`
llvm::Error opError(mlir::Operation *op, const llvm::Twine &message);

/// Fails unless 0 <= index < extent: `what is INDEX, expected [0, EXTENT)`.
llvm::Error checkIndex(mlir::Operation *op, const llvm::Twine &what,
                       int64_t index, int64_t extent);

/// The extents that an operand must have.
struct ExpectedShape {
  llvm::StringRef name;
  const Tensor &tensor;
  llvm::SmallVector<int64_t, 5> shape;
};

/// Fails unless all operands have these extents. A verifier cannot say this of
/// dynamic extents.
llvm::Error checkShapes(mlir::Operation *op,
                        llvm::ArrayRef<ExpectedShape> operands);

/// Fails for a negative extent and for more than kMaxElements elements.
llvm::Error checkShape(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);

/// Runs an op that has a lane function, on scalars or on whole tensors.
llvm::Error evaluateElementwise(mlir::Operation *op, Frame &frame);

} // namespace mm01::reference

#include "codegen/reference/ReferenceOpInterface.h.inc"

#endif // MM01_CODEGEN_REFERENCE_FRAME_H
