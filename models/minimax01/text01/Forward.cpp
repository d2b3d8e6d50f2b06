//===- Forward.cpp - the entry of an inference program --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "models/minimax01/text01/Forward.h"

#include "models/minimax01/text01/Parameters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mm01;
using namespace mm01::text01;

namespace {

class ForwardBuilder {
public:
  ForwardBuilder(ModuleOp module, const ModelConfig &config, Type activation,
                 CacheTypes caches, bool givenRoutes)
      : module(module), config(config), caches(caches),
        givenRoutes(givenRoutes),
        b(NameLoc::get(StringAttr::get(module.getContext(), "forward")),
          activation),
        halves(module, config, activation, caches, givenRoutes) {}

  void build(ArrayRef<ParameterOp> parameters) {
    func::FuncOp function = declare(parameters);
    Block *body = function.addEntryBlock();
    b.setInsertionPointToStart(body);
    ValueRange arguments = body->getArguments();
    ids = take(arguments);
    ragged = take(arguments);
    logitRows = take(arguments);
    if (givenRoutes)
      routes = take(arguments);
    if (caches.state)
      state = take(arguments);
    if (caches.keys) {
      keys = take(arguments);
      values = take(arguments);
    }
    weights = arguments;
    tokens = b.tokens(ragged);
    embed();
    for (int64_t layer = 0; layer < config.layerCount(); ++layer)
      addLayer(layer);
    finish();
  }

private:
  static Value take(ValueRange &arguments) {
    Value first = arguments.front();
    arguments = arguments.drop_front();
    return first;
  }

  /// The signature, with the roles and parameters that the manifest names.
  func::FuncOp declare(ArrayRef<ParameterOp> parameters) {
    SmallVector<Type> inputs, results;
    SmallVector<DictionaryAttr> inputAttributes, resultAttributes;
    auto named = [&](StringRef key, Attribute value) {
      return b.getDictionaryAttr(b.getNamedAttr(key, value));
    };
    auto argument = [&](Type type, DictionaryAttr attributes) {
      inputs.push_back(type);
      inputAttributes.push_back(attributes);
    };
    auto result = [&](Type type, StringRef role) {
      results.push_back(type);
      resultAttributes.push_back(named(kRoleAttr, b.getStringAttr(role)));
    };
    int64_t any = ShapedType::kDynamic;
    auto indices = RankedTensorType::get({any}, b.getI32Type());
    argument(indices, named(kRoleAttr, b.getStringAttr("tokens")));
    argument(RaggedType::get(b.getContext()), b.getDictionaryAttr({}));
    argument(indices, named(kRoleAttr, b.getStringAttr("logit_rows")));
    if (givenRoutes)
      argument(halves.routesType(),
               named(kRoleAttr, b.getStringAttr("routes")));
    result(RankedTensorType::get({any, config.vocab}, b.getF32Type()),
           "logits");
    auto cache = [&](Type type, StringRef role) {
      if (!type)
        return;
      argument(type, named(kRoleAttr, b.getStringAttr(role)));
      result(type, role);
    };
    cache(caches.state, "lightning_state");
    cache(caches.keys, "keys");
    cache(caches.values, "values");
    for (ParameterOp parameter : parameters)
      argument(parameter.getType(),
               named(kParameterAttr, FlatSymbolRefAttr::get(parameter)));

    b.setInsertionPointToEnd(module.getBody());
    auto function =
        func::FuncOp::create(b, "forward", b.getFunctionType(inputs, results));
    function.setAllArgAttrs(inputAttributes);
    function.setAllResultAttrs(resultAttributes);
    return function;
  }

  Value hidden() { return b.empty(tokens, {config.hidden}); }

  void embed() {
    Value out = hidden();
    h = EmbeddingOp::create(b, out.getType(), ids, weights.front(), out);
    n = b.rmsNorm(h, weights[1], config.rmsNormEps, hidden());
  }

  void addLayer(int64_t layer) {
    ValueRange own =
        weights.slice(1 + layer * parametersPerLayer, parametersPerLayer + 1);
    if (config.layers[layer] == LayerKind::Lightning)
      callLightning(layer, own.slice(1, 5));
    else
      callSoftmax(own.slice(1, 5));
    SmallVector<Value> before;
    if (givenRoutes)
      before = {arith::ConstantIndexOp::create(b, layer), routes};
    call(LayerHalf::Experts, before, own.slice(6, 5));
  }

  void callLightning(int64_t layer, ValueRange own) {
    SmallVector<float> slopes;
    for (int64_t head = 0; head < config.heads; ++head)
      slopes.push_back(static_cast<float>(config.slope(head, layer)));
    auto type = RankedTensorType::get({config.heads}, b.getF32Type());
    Value constant = arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, ArrayRef<float>(slopes)));
    Value number = arith::ConstantIndexOp::create(b, lightningLayers++);
    state = call(LayerHalf::Lightning, {number, constant, state}, own).front();
  }

  void callSoftmax(ValueRange own) {
    Value number = arith::ConstantIndexOp::create(b, softmaxLayers++);
    ValueRange updated = call(LayerHalf::Softmax, {number, keys, values}, own);
    keys = updated[0];
    values = updated[1];
  }

  /// Calls a half (see LayerFunctions::get) and gives its caches.
  ValueRange call(LayerHalf half, ValueRange before, ValueRange own) {
    SmallVector<Value> states = {n};
    if (!config.postnorm)
      states.push_back(h);
    SmallVector<Value> operands = states;
    operands.push_back(ragged);
    llvm::append_range(operands, before);
    llvm::append_range(operands, own);
    for (size_t i = 0; i < states.size(); ++i)
      operands.push_back(hidden());
    auto call =
        func::CallOp::create(b, halves.get(half, own.getTypes()), operands);
    n = call.getResult(0);
    if (!config.postnorm)
      h = call.getResult(1);
    return call.getResults().drop_front(states.size());
  }

  void finish() {
    Value rows = tensor::DimOp::create(b, logitRows, 0);
    Value out = b.empty(rows, {config.vocab}, b.getF32Type());
    SmallVector<Value> results = {
        HeadOp::create(b, out.getType(), n, logitRows, weights.back(), out)};
    for (Value cache : {state, keys, values})
      if (cache)
        results.push_back(cache);
    func::ReturnOp::create(b, results);
  }

  ModuleOp module;
  const ModelConfig &config;
  CacheTypes caches;
  bool givenRoutes;
  GraphBuilder b;
  LayerFunctions halves;

  Value ids, ragged, logitRows, tokens; // tokens: T
  Value routes;                         // null where the model chooses
  ValueRange weights;
  Value n, h;                // hidden state, normed and not
  Value state, keys, values; // null where the model has none
  int64_t lightningLayers = 0, softmaxLayers = 0;
};

} // namespace

void text01::buildForward(ModuleOp module, const ModelConfig &config,
                          Type activation, CacheTypes caches, bool givenRoutes,
                          ArrayRef<ParameterOp> parameters) {
  ForwardBuilder(module, config, activation, caches, givenRoutes)
      .build(parameters);
}
