//===- RelateExtents.cpp - says which extents of arguments are equal ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels index all their operands by one set of loops and check nothing, so
// that an entry whose arguments do not fit would read beyond them. What must
// fit is plain while the ops are still whole, and is kept for the runtime.
//
// Requires nothing. From
//
//   func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
//     %z = arith.addf %x, %y : tensor<?xf32>
//
// it makes
//
//   func.func @f(%x: tensor<?xf32> {mm01.extents = ["e0"]},
//                %y: tensor<?xf32> {mm01.extents = ["e0"]}) -> ...
//
// Test: test/passes/graph/relate-extents.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/graph/ExtentRelations.h"
#include "passes/graph/Passes.h"

#include "dialects/mm01/Mm01Extents.h"

#include "mlir/IR/Builders.h"

namespace mm01 {
#define GEN_PASS_DEF_RELATEEXTENTSPASS
#include "passes/graph/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

struct RelateExtentsPass
    : public mm01::impl::RelateExtentsPassBase<RelateExtentsPass> {
  using Base::Base;

  void runOnOperation() override {
    ExtentAnalysis analysis;
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (function.isPublic())
        annotate(function, analysis.of(function));
  }

private:
  /// The name or number of a class, where it says something of the arguments.
  Attribute label(const ExtentClass &same, unsigned &names) {
    Builder builder(&getContext());
    if (same.number)
      return builder.getI64IntegerAttr(*same.number);
    const bool relates = llvm::count_if(same.ports, [](const ExtentPort &port) {
                           return !port.isResult;
                         }) > 1;
    return relates ? builder.getStringAttr("e" + Twine(names++)) : Attribute();
  }

  void annotate(FunctionOpInterface function, ArrayRef<ExtentClass> classes) {
    const UnitAttr any = UnitAttr::get(&getContext());
    std::map<unsigned, SmallVector<Attribute>> labels; // by argument
    unsigned names = 0;
    for (const ExtentClass &same : classes) {
      const Attribute name = label(same, names);
      for (const ExtentPort &port : same.ports) {
        if (!name || port.isResult || isStatic(function, port))
          continue;
        SmallVector<Attribute> &extents = labels[port.index];
        Type type = function.getArgumentTypes()[port.index];
        extents.resize(*countExtents(type), any);
        extents[port.extent] = name;
      }
    }
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, kExtentsAttr);
    for (auto &[argument, extents] : labels)
      function.setArgAttr(argument, kExtentsAttr,
                          ArrayAttr::get(&getContext(), extents));
  }

  /// The type says it already.
  static bool isStatic(FunctionOpInterface function, const ExtentPort &port) {
    auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[port.index]);
    return type && !type.isDynamicDim(port.extent);
  }
};

} // namespace
