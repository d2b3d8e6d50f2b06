//===- Extents.cpp - extents of arguments that must be equal --------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Extents.h"

#include "codegen/reference/Frame.h"
#include "passes/graph/ExtentRelations.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mlir;

namespace mm01::reference {

static constexpr const char *raggedSizes[] = {"tokens", "sequences",
                                              "pages a sequence"};

static int64_t extentOf(const InterpreterValue &value, int64_t extent) {
  if (const auto *tensor = std::get_if<Tensor>(&value))
    return tensor->extent(extent);
  if (const auto *scalar = std::get_if<Scalar>(&value))
    return scalar->i;
  const auto &ragged = std::get<Ragged>(value);
  const int64_t sizes[] = {ragged.tokens(), ragged.sequences(), ragged.pages()};
  return sizes[extent];
}

/// "argument 2 has extent 1 in dimension 0"
static std::string found(const InterpreterValue &value,
                         const ExtentPort &port) {
  const int64_t size = extentOf(value, port.extent);
  const std::string argument = ("argument " + Twine(port.index)).str();
  if (std::holds_alternative<Tensor>(value))
    return (argument + " has extent " + Twine(size) + " in dimension " +
            Twine(port.extent))
        .str();
  if (std::holds_alternative<Scalar>(value))
    return (argument + " is " + Twine(size)).str();
  return (argument + " has " + Twine(size) + " " + raggedSizes[port.extent])
      .str();
}

/// "argument 0 has in dimension 0"
static std::string expectedLike(const InterpreterValue &value,
                                const ExtentPort &port) {
  const std::string argument = ("argument " + Twine(port.index)).str();
  if (std::holds_alternative<Tensor>(value))
    return (argument + " has in dimension " + Twine(port.extent)).str();
  if (std::holds_alternative<Scalar>(value))
    return argument + " is";
  return argument + " has " + raggedSizes[port.extent];
}

Error checkExtents(FunctionOpInterface function,
                   ArrayRef<InterpreterValue> arguments) {
  ExtentAnalysis analysis;
  for (const ExtentClass &same : analysis.of(function)) {
    const ExtentPort &first = same.ports.front();
    for (const ExtentPort &port : same.ports) {
      if (port.isResult)
        break; // arguments come first
      const InterpreterValue &like = arguments[first.index];
      const int64_t expected =
          same.number ? *same.number : extentOf(like, first.extent);
      if (extentOf(arguments[port.index], port.extent) != expected)
        return opError(function,
                       found(arguments[port.index], port) + ", expected " +
                           Twine(expected) +
                           (same.number ? std::string()
                                        : " as " + expectedLike(like, first)));
    }
  }
  return Error::success();
}

} // namespace mm01::reference
