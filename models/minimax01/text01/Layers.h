//===- Layers.h - one function for each kind of layer -----------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decoder layer is two calls: its attention half (lightning or softmax), then
// its experts half. A half is cut after the norm: it takes the normed hidden
// state n and gives the next one,
//
//     h' = alpha · r + beta · f(n),   n' = rms_norm(h', next norm)
//
// with r = n, or r = h where the model has no post-norm; then h travels too.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_MODELS_MINIMAX01_TEXT01_LAYERS_H
#define MM01_MODELS_MINIMAX01_TEXT01_LAYERS_H

#include "frontend/config/ModelConfig.h"
#include "models/minimax01/text01/GraphBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace mm01::text01 {

enum class LayerHalf { Lightning, Softmax, Experts };

/// The caches of a program; a type is null where the model has no such layer.
struct CacheTypes {
  mlir::RankedTensorType state;  // [layers, ?, H, d, d] f32
  mlir::RankedTensorType keys;   // [layers, ?, page size, KV, d]
  mlir::RankedTensorType values; // as keys
};

/// Makes the layer functions of a module when they are first asked for. Layers
/// whose weights have the same types share one.
class LayerFunctions {
public:
  LayerFunctions(mlir::ModuleOp module, const ModelConfig &config,
                 mlir::Type activation, CacheTypes caches, bool givenRoutes)
      : module(module), config(config), activation(activation), caches(caches),
        givenRoutes(givenRoutes) {}

  /// The function of a half, destination-passing:
  ///
  ///   (n, [h], ragged, own…, weights…, n out, [h out]) -> (n, [h], caches…)
  ///
  /// with h where the model has no post-norm, `own` (layer, slopes, state) for
  /// lightning, (layer, keys, values) for softmax, where layer counts the
  /// layers of that kind, and for experts, where their choice is given, (layer,
  /// routes) with layer counting all; and as weights, lightning: qkv, gate,
  /// norm, out; softmax: q, k, v, o; experts: router, w1, w2, w3; then the next
  /// norm.
  mlir::func::FuncOp get(LayerHalf half, mlir::TypeRange weights);

  /// The experts of each layer, token and choice: [layers, T, k] i32.
  mlir::RankedTensorType routesType() const;

private:
  mlir::FunctionType signature(LayerHalf half, mlir::TypeRange weights);
  mlir::func::FuncOp create(LayerHalf half, mlir::FunctionType type);

  mlir::ModuleOp module;
  const ModelConfig &config;
  mlir::Type activation;
  CacheTypes caches;
  bool givenRoutes;
  std::map<std::pair<LayerHalf, const void *>, mlir::func::FuncOp> functions;
};

} // namespace mm01::text01

#endif // MM01_MODELS_MINIMAX01_TEXT01_LAYERS_H
