//===- Layers.cpp - one function for each kind of layer -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "models/minimax01/text01/Layers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mm01;
using namespace mm01::text01;

namespace {

/// Writes the body of one half. Takes the function's arguments in order.
class HalfBuilder {
public:
  HalfBuilder(func::FuncOp function, const ModelConfig &config, Type activation)
      : config(config), b(function.getLoc(), activation),
        arguments(function.addEntryBlock()->getArguments()) {
    b.setInsertionPointToStart(&function.getBody().front());
    n = next();
    h = config.postnorm ? Value() : next();
    ragged = next();
    rows = b.tokens(ragged);
  }

  void lightning() {
    Value layer = next(), slopes = next(), state = next();
    Value qkvWeight = next(), gateWeight = next(), norm = next(), out = next();
    int64_t d = config.headDim, width = config.heads * d;

    // SiLU before the split: it belongs to q, k and v. The split is
    // head-major: each head has its q, k and v side by side.
    Value qkv = b.linear(n, qkvWeight, temporary({3 * width}));
    qkv = b.splitHeads(b.silu(qkv), rows, config.heads);
    Value q = b.features(qkv, rows, 0, d);
    Value k = b.features(qkv, rows, d, d);
    Value v = b.features(qkv, rows, 2 * d, d);
    Value attended = temporary({config.heads, d});
    auto attention = LightningAttentionOp::create(b, q, k, v, slopes, ragged,
                                                  layer, attended, state);
    Value merged = b.mergeHeads(attention.getResult());
    Value normed = b.rmsNorm(merged, norm, ModelConfig::lightningNormEps,
                             temporary({width}));
    Value gate = b.linear(n, gateWeight, temporary({width}));
    Value gated = b.sigmoidTimes(gate, normed);
    finish(config.lightningScale,
           [&](Value y) { return b.linear(gated, out, y); },
           {attention.getNewState()});
  }

  void softmax() {
    Value layer = next(), keys = next(), values = next();
    Value qWeight = next(), kWeight = next(), vWeight = next(), out = next();
    int64_t d = config.headDim;

    auto project = [&](Value weight, int64_t heads) {
      Value x = b.linear(n, weight, temporary({heads * d}));
      return b.splitHeads(x, rows, heads);
    };
    Value q = rotate(project(qWeight, config.heads));
    Value k = rotate(project(kWeight, config.kvHeads));
    Value v = project(vWeight, config.kvHeads);
    auto cache = CacheUpdateOp::create(b, k, v, ragged, layer, keys, values);
    Value attended = temporary({config.heads, d});
    attended = SoftmaxAttentionOp::create(
        b, attended.getType(), q, cache.getNewKeys(), cache.getNewValues(),
        ragged, layer, attended,
        b.getF64FloatAttr(1.0 / std::sqrt(static_cast<double>(d))));
    Value merged = b.mergeHeads(attended);
    finish(config.softmaxScale,
           [&](Value y) { return b.linear(merged, out, y); },
           {cache.getNewKeys(), cache.getNewValues()});
  }

  void experts(bool givenRoutes) {
    Value layer, routes;
    if (givenRoutes) {
      layer = next();
      routes = next();
    }
    Value router = next(), w1 = next(), w2 = next(), w3 = next();
    int64_t k = config.expertsPerToken;

    // Routing is in float32, whatever the activations are.
    Type f32 = b.getF32Type(), i32 = b.getI32Type();
    Value logits = b.linear(n, router, temporary({config.experts}, f32));
    if (givenRoutes)
      logits = b.keepChosen(logits, routes, layer, k);
    Value shares = temporary({k}, f32);
    Value chosen = temporary({k}, i32);
    auto route = RouteOp::create(b, logits, shares, chosen);
    Value perToken = arith::ConstantIndexOp::create(b, k);
    Value copies = arith::MulIOp::create(b, rows, perToken);
    Value ordered = b.empty(copies, {config.hidden});
    Value offsets =
        tensor::EmptyOp::create(b, ArrayRef(config.experts + 1), i32);
    Value positions = temporary({k}, i32);
    auto dispatch = DispatchOp::create(b, n, route.getNewExperts(), ordered,
                                       offsets, positions);
    auto grouped = [&](Value x, Value weight, int64_t width) -> Value {
      Value out = b.empty(copies, {width});
      return GroupedLinearOp::create(b, out.getType(), x,
                                     dispatch.getNewOffsets(), weight, out);
    };
    Value gate = grouped(dispatch.getNewRows(), w1, config.intermediate);
    Value up = grouped(dispatch.getNewRows(), w3, config.intermediate);
    Value down = grouped(b.siluTimes(gate, up), w2, config.hidden);
    finish(config.mlpScale, [&](Value y) -> Value {
      return CombineOp::create(b, y.getType(), down, dispatch.getNewPositions(),
                               route.getNewWeights(), y);
    });
  }

private:
  Value next() { return arguments[taken++]; }

  Value temporary(ArrayRef<int64_t> inner, Type element = {}) {
    return b.empty(rows, inner, element);
  }

  Value rotate(Value x) {
    // Not over x itself: a pair's first half is written before its second is
    // computed from both.
    auto type = cast<RankedTensorType>(x.getType());
    Value out = temporary(type.getShape().drop_front());
    return RotaryOp::create(b, out.getType(), x, ragged, out,
                            b.getI64IntegerAttr(config.rotaryDim),
                            b.getF64FloatAttr(config.ropeTheta));
  }

  /// The residual connection and the next norm; `f` writes f(n) into its
  /// argument.
  void finish(const ResidualScale &scale, llvm::function_ref<Value(Value)> f,
              ValueRange caches = {}) {
    Value norm = next(), nOut = next();
    Value y = f(config.postnorm ? temporary({config.hidden}) : next());
    Value sum = b.residual(y, config.postnorm ? n : h, scale.alpha, scale.beta);
    SmallVector<Value> results = {
        b.rmsNorm(sum, norm, config.rmsNormEps, nOut)};
    if (!config.postnorm)
      results.push_back(sum);
    llvm::append_range(results, caches);
    func::ReturnOp::create(b, results);
  }

  const ModelConfig &config;
  GraphBuilder b;
  ValueRange arguments;
  size_t taken = 0;
  Value n, h, ragged, rows;
};

} // namespace

RankedTensorType LayerFunctions::routesType() const {
  return RankedTensorType::get(
      {config.layerCount(), ShapedType::kDynamic, config.expertsPerToken},
      IntegerType::get(activation.getContext(), 32));
}

FunctionType LayerFunctions::signature(LayerHalf half, TypeRange weights) {
  MLIRContext *context = module.getContext();
  Builder b(context);
  auto hidden =
      RankedTensorType::get({ShapedType::kDynamic, config.hidden}, activation);
  SmallVector<Type> states(config.postnorm ? 1 : 2, hidden);
  SmallVector<Type> inputs = states, results = states;
  inputs.push_back(RaggedType::get(context));
  if (half == LayerHalf::Lightning) {
    auto slopes = RankedTensorType::get({config.heads}, b.getF32Type());
    inputs.append({b.getIndexType(), slopes, caches.state});
    results.push_back(caches.state);
  } else if (half == LayerHalf::Softmax) {
    inputs.append({b.getIndexType(), caches.keys, caches.values});
    results.append({caches.keys, caches.values});
  }
  if (half == LayerHalf::Experts && givenRoutes)
    inputs.append({b.getIndexType(), routesType()});
  llvm::append_range(inputs, weights);
  llvm::append_range(inputs, states);
  return b.getFunctionType(inputs, results);
}

func::FuncOp LayerFunctions::get(LayerHalf half, TypeRange weights) {
  FunctionType type = signature(half, weights);
  func::FuncOp &function = functions[{half, type.getAsOpaquePointer()}];
  if (!function)
    function = create(half, type);
  return function;
}

static StringRef nameOf(LayerHalf half) {
  switch (half) {
  case LayerHalf::Lightning:
    return "lightning_layer";
  case LayerHalf::Softmax:
    return "softmax_layer";
  case LayerHalf::Experts:
    return "moe_layer";
  }
  llvm_unreachable("a half without a name");
}

func::FuncOp LayerFunctions::create(LayerHalf half, FunctionType type) {
  // Functions of the same half, for weights of other types, get a number.
  unsigned same = llvm::count_if(functions, [&](const auto &entry) {
    return entry.first.first == half && entry.second;
  });
  std::string name = nameOf(half).str();
  if (same)
    name = (name + "_" + Twine(same)).str();
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = NameLoc::get(builder.getStringAttr(name));
  auto function = func::FuncOp::create(builder, loc, name, type);
  function.setPrivate();

  HalfBuilder body(function, config, activation);
  switch (half) {
  case LayerHalf::Lightning:
    body.lightning();
    break;
  case LayerHalf::Softmax:
    body.softmax();
    break;
  case LayerHalf::Experts:
    body.experts(givenRoutes);
    break;
  }
  return function;
}
