//===- Support.h - configurations with a few keys changed -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TEST_FRONTEND_CONFIG_SUPPORT_H
#define MM01_TEST_FRONTEND_CONFIG_SUPPORT_H

#include "frontend/config/ReadConfig.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace mm01::test {

/// A key and its JSON; empty text removes the key.
using Change = std::pair<std::string, std::string>;

inline constexpr llvm::StringLiteral released = R"({
  "architectures": ["MiniMaxText01ForCausalLM"],
  "model_type": "minimax_text_01",
  "attn_type_list": [0, 1, 0],
  "head_dim": 32, "hidden_act": "silu", "hidden_size": 64,
  "intermediate_size": 96,
  "layernorm_full_attention_alpha": 2.5,
  "layernorm_full_attention_beta": 1.5,
  "layernorm_linear_attention_alpha": 2.0,
  "layernorm_linear_attention_beta": 1.0,
  "layernorm_mlp_alpha": 3.0, "layernorm_mlp_beta": 0.5,
  "num_attention_heads": 4, "num_experts_per_tok": 2, "num_hidden_layers": 3,
  "num_key_value_heads": 2, "num_local_experts": 4, "postnorm": true,
  "rms_norm_eps": 1e-05, "rope_theta": 10000000, "rotary_dim": 16,
  "shared_intermediate_size": 0, "torch_dtype": "bfloat16", "vocab_size": 256
})";

/// The same model as transformers 5 saves it.
inline constexpr llvm::StringLiteral v5 = R"({
  "architectures": ["MiniMaxForCausalLM"],
  "model_type": "minimax",
  "layer_types": ["linear_attention", "full_attention", "linear_attention"],
  "block_size": 256, "dtype": "bfloat16",
  "head_dim": 32, "hidden_act": "silu", "hidden_size": 64,
  "intermediate_size": 96,
  "full_attn_alpha_factor": 2.5, "full_attn_beta_factor": 1.5,
  "linear_attn_alpha_factor": 2.0, "linear_attn_beta_factor": 1.0,
  "mlp_alpha_factor": 3.0, "mlp_beta_factor": 0.5,
  "num_attention_heads": 4, "num_experts_per_tok": 2, "num_hidden_layers": 3,
  "num_key_value_heads": 2, "num_local_experts": 4,
  "rms_norm_eps": 1e-05, "tie_word_embeddings": false, "vocab_size": 256,
  "rope_parameters": {"rope_theta": 10000000, "rope_type": "default",
                      "partial_rotary_factor": 0.5}
})";

/// `base` with the changes made.
inline std::string changed(llvm::StringRef base,
                           llvm::ArrayRef<Change> changes) {
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(base));
  for (const auto &[key, text] : changes) {
    if (text.empty())
      value.getAsObject()->erase(key);
    else
      (*value.getAsObject())[key] = llvm::cantFail(llvm::json::parse(text));
  }
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// Collects warnings.
struct Warnings {
  std::vector<std::string> lines;
  void operator()(llvm::StringRef line) { lines.push_back(line.str()); }
};

/// The text's model; a failure or a warning fails the test.
inline ModelConfig good(llvm::StringRef text,
                        llvm::ArrayRef<std::string> overrides = {}) {
  Warnings warnings;
  llvm::Expected<ModelConfig> config =
      parseConfig(text, "config.json", overrides, warnings);
  EXPECT_TRUE(warnings.lines.empty()) << warnings.lines.front();
  if (config)
    return *config;
  ADD_FAILURE() << llvm::toString(config.takeError());
  return {};
}

/// The one line that the text is refused with.
inline std::string refusal(llvm::StringRef text,
                           llvm::ArrayRef<std::string> overrides = {}) {
  Warnings warnings;
  llvm::Expected<ModelConfig> config =
      parseConfig(text, "config.json", overrides, warnings);
  if (config) {
    ADD_FAILURE() << "expected a refusal of " << text.str();
    return "";
  }
  std::string message = llvm::toString(config.takeError());
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

inline std::string printed(const ModelConfig &config) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(config.toJson());
  return text;
}

} // namespace mm01::test

#endif // MM01_TEST_FRONTEND_CONFIG_SUPPORT_H
