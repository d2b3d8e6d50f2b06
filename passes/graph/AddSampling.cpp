//===- AddSampling.cpp - adds what chooses tokens ---------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of logits of a large vocabulary is most of a megabyte, and all that a
// step needs of it is a token: it is chosen where the logits are. For each
// size of vocabulary, the module gets one function, which the runtime calls
// after a step.
//
//     func.func @forward(…) -> (tensor<?x256xf32> {mm01.role = "logits"}, …)
//   ->
//     func.func @forward(…) -> (tensor<?x256xf32> {mm01.role = "logits"}, …)
//     func.func @sample_256(%logits: tensor<?x256xf32>, %draws: tensor<?xi64>,
//         %temperature: f32, %top_k: i64, %top_p: f32, %tokens: tensor<?xi32>,
//         %problems: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>)
//         attributes {mm01.helper} {
//       … mm01.sample …
//     }
//
// Test: test/passes/graph/add-sampling.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Helpers.h"
#include "passes/graph/Passes.h"

#include "dialects/mm01/Mm01SamplingOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace mm01 {
#define GEN_PASS_DEF_ADDSAMPLINGPASS
#include "passes/graph/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// The size of the vocabulary of a result that is logits as mm01.sample takes
/// them.
static std::optional<int64_t> getVocabulary(func::FuncOp function,
                                            unsigned result) {
  auto role = function.getResultAttrOfType<StringAttr>(result, kRoleAttr);
  auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[result]);
  if (!role || role.getValue() != kLogitsRole || !type || type.getRank() != 2 ||
      !type.getElementType().isF32() || type.isDynamicDim(1) ||
      type.getDimSize(1) < 1 || type.getDimSize(1) > kMaxVocabulary)
    return std::nullopt;
  return type.getDimSize(1);
}

namespace {

struct AddSamplingPass : mm01::impl::AddSamplingPassBase<AddSamplingPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::SetVector<int64_t> vocabularies;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        if (std::optional<int64_t> vocabulary = getVocabulary(function, i))
          vocabularies.insert(*vocabulary);
    }
    for (int64_t vocabulary : vocabularies)
      if (failed(addFunction(vocabulary)))
        return signalPassFailure();
  }

private:
  LogicalResult addFunction(int64_t vocabulary) {
    std::string name = (kSamplingPrefix + Twine(vocabulary)).str();
    if (Operation *other = SymbolTable::lookupSymbolIn(getOperation(), name)) {
      if (other->hasAttr(kHelperAttr))
        return success();
      return other->emitError("'")
             << name << "' is the name of a function that the runtime calls "
             << "to choose tokens, expected another";
    }
    auto b = ImplicitLocOpBuilder::atBlockEnd(getOperation().getLoc(),
                                              getOperation().getBody());
    constexpr int64_t any = ShapedType::kDynamic;
    Type f32 = b.getF32Type(), i64 = b.getI64Type();
    auto logits = RankedTensorType::get({any, vocabulary}, f32);
    auto draws = RankedTensorType::get({any}, i64);
    auto numbers = RankedTensorType::get({any}, b.getI32Type());
    auto function = func::FuncOp::create(
        b, name,
        b.getFunctionType({logits, draws, f32, i64, f32, numbers, numbers},
                          {numbers, numbers}));
    function->setAttr(kHelperAttr, b.getUnitAttr());
    Block *body = function.addEntryBlock();
    b.setInsertionPointToStart(body);
    auto made =
        SampleOp::create(b, TypeRange{numbers, numbers}, body->getArguments());
    func::ReturnOp::create(b, made.getResults());
    return success();
  }
};

} // namespace
