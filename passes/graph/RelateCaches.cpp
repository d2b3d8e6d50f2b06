//===- RelateCaches.cpp - says what addresses the caches of an entry ------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels go where a batch's slots and pages and the number of a layer send
// them and check nothing. A model's caches are known by their roles; those of
// other entries by the operations that address them.
//
// Requires nothing. From
//
//   func.func @f(…, %r: !mm01.ragged, %layer: index, …, %state: tensor<…>) {
//     %o, %s = mm01.lightning_attention …, %r, %layer into …, %state
//
// it makes
//
//   %state: tensor<…> {mm01.cache_uses = [{batch = 4, layer = 5,
//                                          rows = "slots"}]}
//
// Test: test/passes/graph/relate-caches.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Passes.h"

#include "dialects/mm01/Mm01Dialect.h"
#include "dialects/mm01/Mm01Extents.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mm01 {
#define GEN_PASS_DEF_RELATECACHESPASS
#include "passes/graph/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// A cache in an op: its content before and after, and what addresses it.
struct CacheOperand {
  Value before, after, ragged, layer;
  StringRef rows;
};

SmallVector<CacheOperand> cachesOf(Operation *op) {
  using Found = SmallVector<CacheOperand>;
  return TypeSwitch<Operation *, Found>(op)
      .Case([](LightningAttentionOp op) -> Found {
        return {{op.getState(), op.getNewState(), op.getRagged(), op.getLayer(),
                 "slots"}};
      })
      .Case([](CacheUpdateOp op) -> Found {
        return {{op.getKeys(), op.getNewKeys(), op.getRagged(), op.getLayer(),
                 "pages"},
                {op.getValues(), op.getNewValues(), op.getRagged(),
                 op.getLayer(), "pages"}};
      })
      .Case([](SoftmaxAttentionOp op) -> Found {
        return {
            {op.getKeys(), nullptr, op.getRagged(), op.getLayer(), "pages"},
            {op.getValues(), nullptr, op.getRagged(), op.getLayer(), "pages"}};
      })
      .Default([](Operation *) -> Found { return {}; });
}

/// The uses of one entry's arguments, in the functions that it calls, too.
class CacheUses {
public:
  explicit CacheUses(FunctionOpInterface entry) : builder(entry.getContext()) {
    for (BlockArgument argument : entry.getArguments())
      roots[argument] = argument.getArgNumber();
    look(entry);
  }

  /// By argument, each use once.
  llvm::MapVector<unsigned, SetVector<Attribute>> uses;

private:
  void look(FunctionOpInterface function) {
    if (!open.insert(function).second)
      return;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (const CacheOperand &cache : cachesOf(op))
        note(cache);
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        follow(loop);
      if (auto call = dyn_cast<func::CallOp>(op))
        enter(call);
    });
    open.erase(function);
  }

  void note(const CacheOperand &cache) {
    auto argument = roots.find(cache.before);
    if (argument == roots.end())
      return;
    if (cache.after)
      roots[cache.after] = argument->second;
    auto batch = roots.find(cache.ragged);
    if (batch == roots.end())
      return;
    NamedAttrList use;
    use.set("rows", builder.getStringAttr(cache.rows));
    use.set("batch", builder.getI64IntegerAttr(batch->second));
    APInt number;
    if (matchPattern(cache.layer, m_ConstantInt(&number)))
      use.set("layers", builder.getI64IntegerAttr(number.getSExtValue() + 1));
    else if (auto layer = roots.find(cache.layer); layer != roots.end())
      use.set("layer", builder.getI64IntegerAttr(layer->second));
    uses[argument->second].insert(use.getDictionary(builder.getContext()));
  }

  /// A loop updates a cache in place.
  void follow(LoopLikeOpInterface loop) {
    for (auto [i, init] : llvm::enumerate(loop.getInits())) {
      auto root = roots.find(init);
      if (root == roots.end())
        continue;
      unsigned argument = root->second;
      if (i < loop.getRegionIterArgs().size())
        roots[loop.getRegionIterArgs()[i]] = argument;
      if (auto results = loop.getLoopResults(); results && i < results->size())
        roots[(*results)[i]] = argument;
    }
  }

  /// A function may be called several times: its values mean what they do in
  /// this call.
  void enter(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return;
    for (auto [inside, given] :
         llvm::zip_equal(callee.getArguments(), call.getOperands())) {
      auto root = roots.find(given);
      if (root != roots.end())
        roots[inside] = root->second;
      else
        roots.erase(inside);
    }
    look(callee);
    Operation *end = callee.getBody().back().getTerminator();
    for (auto [result, inside] :
         llvm::zip_equal(call.getResults(), end->getOperands()))
      if (auto root = roots.find(inside); root != roots.end())
        roots[result] = root->second;
  }

  Builder builder;
  /// The argument of the entry that a value is, or is the new content of.
  std::map<Value, unsigned, decltype([](Value a, Value b) {
             return a.getAsOpaquePointer() < b.getAsOpaquePointer();
           })>
      roots;
  SmallPtrSet<Operation *, 8> open;
};

struct RelateCachesPass
    : public mm01::impl::RelateCachesPassBase<RelateCachesPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.removeArgAttr(i, kCacheUsesAttr);
      for (auto &[argument, uses] : CacheUses(function).uses)
        if (!function.getArgAttr(argument, kRoleAttr))
          function.setArgAttr(
              argument, kCacheUsesAttr,
              ArrayAttr::get(&getContext(), uses.getArrayRef()));
    }
  }
};

} // namespace
