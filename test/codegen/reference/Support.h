//===- Support.h - running snippets of MLIR in tests ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TEST_CODEGEN_REFERENCE_SUPPORT_H
#define MM01_TEST_CODEGEN_REFERENCE_SUPPORT_H

#include "codegen/reference/Interpreter.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

namespace mm01::reference {

using Values = llvm::SmallVector<InterpreterValue>;

/// Parses modules and runs their function @f.
class ReferenceTest : public testing::Test {
protected:
  ReferenceTest();

  /// Parses the module to run next. A weight, tensor or ragged type in it can
  /// be named by the helpers below only after it.
  void parse(llvm::StringRef text);

  /// The results of @f; an empty list, and a test failure, on an error.
  Values run(Values arguments, const Options &options = {});

  /// What the interpreter says when it refuses these arguments.
  std::string refusal(Values arguments);

  mlir::Type type(llvm::StringRef text);
  InterpreterValue floats(llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<double> elements,
                          llvm::StringRef elementType = "f32");
  InterpreterValue integers(llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<int64_t> elements,
                            llvm::StringRef elementType = "i32");
  InterpreterValue weight(llvm::StringRef type,
                          llvm::ArrayRef<double> elements);
  static InterpreterValue index(int64_t number);
  static InterpreterValue number(double number);

  /// A batch whose sequence n has lengths[n] tokens after past[n] others.
  static InterpreterValue ragged(llvm::ArrayRef<int64_t> lengths,
                                 std::vector<int64_t> past,
                                 std::vector<int64_t> slot,
                                 std::vector<int64_t> pageTable = {});

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The elements of a tensor, or a scalar as one element.
std::vector<double> floatElements(const InterpreterValue &value);
std::vector<int64_t> integerElements(const InterpreterValue &value);
std::vector<int64_t> shapeOf(const InterpreterValue &value);

/// Fails unless both have the same elements up to 1e-12.
void expectNear(const InterpreterValue &value,
                const std::vector<double> &expected);

} // namespace mm01::reference

#endif // MM01_TEST_CODEGEN_REFERENCE_SUPPORT_H
