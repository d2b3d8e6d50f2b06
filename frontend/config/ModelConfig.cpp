//===- ModelConfig.cpp - what config.json says about a model --------------===//
//===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/config/ModelConfigTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/config/ModelConfig.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mm01;
namespace json = llvm::json;

int64_t ModelConfig::countLayers(LayerKind kind) const {
  return llvm::count(layers, kind);
}

int64_t ModelConfig::parameterCount() const {
  int64_t inner = heads * headDim;
  int64_t lightning = 5 * inner * hidden + inner; // qkv, gate, out; norm
  int64_t softmax = 2 * inner * hidden + 2 * kvHeads * headDim * hidden;
  int64_t mixture = experts * hidden + 3 * experts * intermediate * hidden;
  int64_t norms = 2 * hidden;
  return countLayers(LayerKind::Lightning) * lightning +
         countLayers(LayerKind::Softmax) * softmax +
         layerCount() * (mixture + norms) + hidden +
         (tieWordEmbeddings ? 1 : 2) * vocab * hidden;
}

double ModelConfig::slope(int64_t head, int64_t layer) const {
  auto lower =
      static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(heads)));
  double exponent =
      head < lower ? static_cast<double>(head + 1) / lower
                   : static_cast<double>(2 * (head - lower) + 1) / (2 * lower);
  double depth =
      layerCount() > 1 ? static_cast<double>(layer) / (layerCount() - 1) : 0;
  return std::exp2(-8 * exponent) * (1 - depth + 1e-5);
}

static llvm::StringRef torchName(safetensors::ElementType type) {
  switch (type) {
  case safetensors::ElementType::F32:
    return "float32";
  case safetensors::ElementType::F16:
    return "float16";
  default:
    return "bfloat16";
  }
}

/// As config.json has them: null, one token, or a list.
static json::Value tokensToJson(llvm::ArrayRef<int64_t> tokens) {
  if (tokens.empty())
    return nullptr;
  if (tokens.size() == 1)
    return tokens.front();
  return json::Array(tokens);
}

json::Object ModelConfig::toJson() const {
  json::Array kinds;
  for (LayerKind kind : layers)
    kinds.push_back(kind == LayerKind::Softmax ? 1 : 0);
  json::Object object{
      {"architectures", json::Array{"MiniMaxText01ForCausalLM"}},
      {"model_type", "minimax_text_01"},
      {"hidden_size", hidden},
      {"num_hidden_layers", layerCount()},
      {"attn_type_list", std::move(kinds)},
      {"num_attention_heads", heads},
      {"num_key_value_heads", kvHeads},
      {"head_dim", headDim},
      {"rotary_dim", rotaryDim},
      {"rope_theta", ropeTheta},
      {"num_local_experts", experts},
      {"num_experts_per_tok", expertsPerToken},
      {"intermediate_size", intermediate},
      {"shared_intermediate_size", 0},
      {"vocab_size", vocab},
      {"layernorm_linear_attention_alpha", lightningScale.alpha},
      {"layernorm_linear_attention_beta", lightningScale.beta},
      {"layernorm_full_attention_alpha", softmaxScale.alpha},
      {"layernorm_full_attention_beta", softmaxScale.beta},
      {"layernorm_mlp_alpha", mlpScale.alpha},
      {"layernorm_mlp_beta", mlpScale.beta},
      {"postnorm", postnorm},
      {"rms_norm_eps", rmsNormEps},
      {"hidden_act", "silu"},
      {"tie_word_embeddings", tieWordEmbeddings},
      {"torch_dtype", torchName(storageType)},
      {"bos_token_id", tokensToJson(bosTokens)},
      {"eos_token_id", tokensToJson(eosTokens)},
  };
  if (maxPositionEmbeddings)
    object["max_position_embeddings"] = *maxPositionEmbeddings;
  return object;
}
