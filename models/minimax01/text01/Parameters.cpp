//===- Parameters.cpp - the parameters of MiniMax-Text-01 -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "models/minimax01/text01/Parameters.h"

using namespace mm01;
using namespace mm01::text01;

std::string Source::tensorOf(int64_t part) const {
  size_t at = tensor.find("{}");
  if (at == std::string::npos)
    return tensor;
  return tensor.substr(0, at) + std::to_string(part) + tensor.substr(at + 2);
}

namespace {

/// Collects the parameters of one layer under their common prefixes.
class LayerParameters {
public:
  LayerParameters(int64_t layer)
      : name("layers." + std::to_string(layer) + "."),
        key("model.layers." + std::to_string(layer) + ".") {}

  /// A parameter that is one tensor, whose key both layouts share.
  void add(const char *parameter, const char *tensor,
           std::vector<int64_t> shape) {
    list.push_back({name + parameter, shape, {{key + tensor, shape}}});
  }

  void addAttention(const ModelConfig &c, bool softmax) {
    int64_t width = c.heads * c.headDim;
    int64_t kvWidth = c.kvHeads * c.headDim;
    if (softmax) {
      add("attention.q", "self_attn.q_proj.weight", {width, c.hidden});
      add("attention.k", "self_attn.k_proj.weight", {kvWidth, c.hidden});
      add("attention.v", "self_attn.v_proj.weight", {kvWidth, c.hidden});
      add("attention.o", "self_attn.o_proj.weight", {c.hidden, width});
      return;
    }
    add("attention.qkv", "self_attn.qkv_proj.weight", {3 * width, c.hidden});
    add("attention.gate", "self_attn.output_gate.weight", {width, c.hidden});
    add("attention.norm", "self_attn.norm.weight", {width});
    add("attention.out", "self_attn.out_proj.weight", {c.hidden, width});
  }

  void addRouter(const ModelConfig &c) {
    std::vector<int64_t> shape = {c.experts, c.hidden};
    list.push_back({name + "router",
                    shape,
                    {{key + "block_sparse_moe.gate.weight", shape},
                     {key + "mlp.gate.weight", shape}},
                    /*router=*/true});
  }

  /// The released layout has one tensor an expert; v5 has all experts in one
  /// tensor, and w1 above w3 in each expert's rows.
  void addExperts(const ModelConfig &c) {
    int64_t inner = c.intermediate;
    std::vector<int64_t> both = {c.experts, 2 * inner, c.hidden};
    std::vector<int64_t> down = {c.experts, c.hidden, inner};
    auto expert = [&](const char *w, int64_t rows, int64_t columns,
                      Source merged) {
      Source released{key + "block_sparse_moe.experts.{}." + w + ".weight",
                      {rows, columns}};
      list.push_back({name + "experts." + w,
                      {c.experts, rows, columns},
                      {released, std::move(merged)}});
    };
    std::string gateUp = key + "mlp.experts.gate_up_proj";
    expert("w1", inner, c.hidden, {gateUp, both, 0, 2 * inner});
    expert("w2", c.hidden, inner,
           {key + "mlp.experts.down_proj", down, 0, c.hidden});
    expert("w3", inner, c.hidden, {gateUp, both, inner, 2 * inner});
  }

  std::vector<Parameter> take() { return std::move(list); }

private:
  std::string name, key;
  std::vector<Parameter> list;
};

} // namespace

std::vector<Parameter> text01::layerParameters(const ModelConfig &config,
                                               int64_t layer) {
  LayerParameters list(layer);
  list.add("input_norm", "input_layernorm.weight", {config.hidden});
  list.addAttention(config, config.layers[layer] == LayerKind::Softmax);
  list.add("post_norm", "post_attention_layernorm.weight", {config.hidden});
  list.addRouter(config);
  list.addExperts(config);
  return list.take();
}

std::vector<Parameter> text01::parameters(const ModelConfig &config) {
  std::vector<int64_t> table = {config.vocab, config.hidden};
  std::vector<Parameter> all;
  all.push_back({"embedding", table, {{"model.embed_tokens.weight", table}}});
  for (int64_t layer = 0; layer < config.layerCount(); ++layer)
    for (Parameter &parameter : layerParameters(config, layer))
      all.push_back(std::move(parameter));
  all.push_back({"final_norm",
                 {config.hidden},
                 {{"model.norm.weight", {config.hidden}}}});
  const char *head =
      config.tieWordEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight";
  all.push_back({"head", table, {{head, table}}});
  return all;
}

std::vector<std::string> text01::ignoredTensors(const ModelConfig &config) {
  std::vector<std::string> patterns = {"*.slope_rate", "*.query_decay",
                                       "*.key_decay", "*.diagonal_decay",
                                       "*rotary_emb.inv_freq"};
  if (config.tieWordEmbeddings)
    patterns.push_back("lm_head.weight");
  return patterns;
}
