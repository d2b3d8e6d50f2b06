//===- ExtentRelations.h - which extents of a function are equal ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types leave dynamic extents open; ops do not: an addition needs its operands
// to have one shape. Here such needs are collected over the ops of a function
// that are executed in every call, and over the functions that they call.
//
//   func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
//     %z = arith.addf %x, %y : tensor<?xf32>        // %x and %y have one
//     extent return %z : tensor<?xf32>
//   }
//
//   ExtentAnalysis().of(f) = {{argument 0 dimension 0, argument 1 dimension 0,
//                              result 0 dimension 0}}
//
// Test: test/passes/graph/relate-extents.mlir
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_GRAPH_EXTENTRELATIONS_H
#define MM01_PASSES_GRAPH_EXTENTRELATIONS_H

#include "dialects/mm01/Mm01Dialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>

namespace mm01 {

/// Classes of equal extents within one function. The extents of a value are
/// those of countExtents(): dimensions of a tensor, sizes of a ragged batch, an
/// index itself. A static extent and a constant index are their number.
class ExtentRelations {
public:
  void equate(mlir::Value a, int64_t extentOfA, mlir::Value b,
              int64_t extentOfB);
  void equate(mlir::Value value, int64_t extent, int64_t number);
  void equate(mlir::Value value, int64_t extent, mlir::Value ragged,
              RaggedExtent size) {
    equate(value, extent, ragged, static_cast<int64_t>(size));
  }
  /// All extents of two values, if they have as many.
  void equateAll(mlir::Value a, mlir::Value b);

  /// The class of an extent, a number that means nothing else.
  unsigned classOf(mlir::Value value, int64_t extent);
  /// What the extents of a class must be, where that is known.
  std::optional<int64_t> numberOf(unsigned extentClass) const;

private:
  unsigned nodeOf(mlir::Value value, int64_t extent);
  unsigned nodeOf(int64_t number);
  unsigned makeNode(std::optional<int64_t> number);
  unsigned rootOf(unsigned node) const;
  void join(unsigned a, unsigned b);

  llvm::DenseMap<std::pair<mlir::Value, int64_t>, unsigned> extents;
  std::map<int64_t, unsigned> numbers;
  std::vector<unsigned> parents;
  std::vector<std::optional<int64_t>> known; // of roots
};

/// An extent at the border of a function.
struct ExtentPort {
  bool isResult = false;
  unsigned index = 0; // of the argument or result
  int64_t extent = 0;
};

/// Extents that are equal, and the number that they are, if one is known.
struct ExtentClass {
  llvm::SmallVector<ExtentPort> ports; // arguments first, in order
  std::optional<int64_t> number;
};

/// Relates the extents of functions' arguments and results, callees first.
class ExtentAnalysis {
public:
  /// The classes that say something: of several ports, or of a known number.
  /// None for a function without a body, or one that is being looked at (a
  /// recursion).
  llvm::ArrayRef<ExtentClass> of(mlir::FunctionOpInterface function);

private:
  void relate(mlir::Operation *op, ExtentRelations &relations);

  std::map<mlir::Operation *, llvm::SmallVector<ExtentClass>> classes;
};

/// Registers the implementations of ExtentOpInterface.
void registerExtentModels(mlir::DialectRegistry &registry);

} // namespace mm01

#include "passes/graph/ExtentOpInterface.h.inc"

#endif // MM01_PASSES_GRAPH_EXTENTRELATIONS_H
