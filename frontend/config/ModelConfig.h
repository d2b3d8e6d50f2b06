//===- ModelConfig.h - what config.json says about a model ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What config.json says, resolved and checked: nothing in it is a guess. The
// two layouts of config.json differ in names only and give the same struct.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_CONFIG_MODELCONFIG_H
#define MM01_FRONTEND_CONFIG_MODELCONFIG_H

#include "frontend/safetensors/ElementType.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mm01 {

/// The attention of a layer.
enum class LayerKind { Lightning, Softmax };

/// Who wrote the checkpoint, and so which tensor names to look for first.
enum class ConfigLayout { Released, HuggingFaceV5 };

/// The residual connection alpha * r + beta * f(n).
struct ResidualScale {
  double alpha = 0;
  double beta = 0;
};

/// A model, as readConfig has checked it.
struct ModelConfig {
  ConfigLayout layout = ConfigLayout::Released;

  int64_t hidden = 0; // features of a token between layers
  std::vector<LayerKind> layers;
  int64_t heads = 0;     // query heads; lightning layers have no others
  int64_t kvHeads = 0;   // of softmax layers; divides heads
  int64_t headDim = 0;   // heads * headDim need not be hidden
  int64_t rotaryDim = 0; // first features of a head that rotate; even
  double ropeTheta = 0;
  int64_t experts = 0;
  int64_t expertsPerToken = 0; // the k of top-k
  int64_t intermediate = 0;    // hidden features of one expert
  int64_t vocab = 0;

  ResidualScale lightningScale; // of a lightning layer's attention
  ResidualScale softmaxScale;   // of a softmax layer's attention
  ResidualScale mlpScale;
  bool postnorm = true;  // the residual is the normed state
  double rmsNormEps = 0; // of all norms but those in lightning attention
  bool tieWordEmbeddings = false;

  /// BF16, F16 or F32: the type of weights that come from no checkpoint.
  safetensors::ElementType storageType = safetensors::ElementType::BF16;

  std::vector<int64_t> bosTokens; // empty: the model has none
  std::vector<int64_t> eosTokens; // any of them ends a text
  std::optional<int64_t> maxPositionEmbeddings;

  /// The eps of the norm in lightning attention, which no config has.
  static constexpr double lightningNormEps = 1e-6;

  int64_t layerCount() const { return static_cast<int64_t>(layers.size()); }
  int64_t countLayers(LayerKind kind) const;

  const ResidualScale &attentionScale(LayerKind kind) const {
    return kind == LayerKind::Lightning ? lightningScale : softmaxScale;
  }

  /// Exact number of trained values; tied embeddings count once.
  int64_t parameterCount() const;

  /// The decay rate s of a lightning head: the state decays by exp(-s) a token.
  ///
  ///   s = 2^(-8 (head + 1) / heads) * (1 - layer / (layers - 1) + 1e-5)
  ///
  /// Both indices count from 0, `layer` over all layers of both kinds. For a
  /// number of heads that is no power of two, the first factor is ALiBi's: the
  /// slopes of the next lower power of two, then every other slope of the next
  /// higher one. With a single layer the second factor is 1 + 1e-5.
  double slope(int64_t head, int64_t layer) const;

  /// The resolved configuration under the released key names. readConfig()
  /// reads it back to an equal model.
  llvm::json::Object toJson() const;
};

} // namespace mm01

#endif // MM01_FRONTEND_CONFIG_MODELCONFIG_H
