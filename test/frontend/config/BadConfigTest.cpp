//===- BadConfigTest.cpp - each refused configuration and its line --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mm01;
using namespace mm01::test;

namespace {

struct Bad {
  const char *name;
  llvm::StringRef base;
  std::vector<Change> changes;
  const char *message; // the whole line after "config.json: "
};

void PrintTo(const Bad &bad, std::ostream *out) { *out << bad.name; }

class BadConfigTest : public testing::TestWithParam<Bad> {};

const Bad badConfigs[] = {
    // Who wrote it.
    {"NoModelType",
     released,
     {{"model_type", ""}, {"architectures", ""}},
     "key 'model_type' is missing, expected \"minimax_text_01\" or "
     "\"minimax\""},
    {"OtherModel",
     released,
     {{"model_type", "\"llama\""}},
     "key 'model_type': found \"llama\", expected \"minimax_text_01\" or "
     "\"minimax\""},
    {"OtherClass",
     v5,
     {{"architectures", "[\"MiniMaxForSequenceClassification\"]"}},
     "key 'architectures': found [\"MiniMaxForSequenceClassification\"], "
     "expected [\"MiniMaxText01ForCausalLM\"] or [\"MiniMaxForCausalLM\"]"},
    {"TypeAgainstClass",
     released,
     {{"model_type", "\"minimax\""}},
     "key 'architectures': found [\"MiniMaxText01ForCausalLM\"], expected the "
     "class that 'model_type' names"},

    // Keys without which the model is another one.
    {"NoPostnorm",
     released,
     {{"postnorm", ""}},
     "key 'postnorm' is missing, expected true or false (MiniMax-Text-01: "
     "--set postnorm=true)"},
    {"NoRotaryDim",
     released,
     {{"rotary_dim", ""}},
     "key 'rotary_dim' is missing, expected the number of rotated features of "
     "a head (MiniMax-Text-01: --set rotary_dim=64)"},
    {"NoRotaryDimV5",
     v5,
     {{"rope_parameters", R"({"rope_theta": 1e7, "rope_type": "default"})"}},
     "key 'rotary_dim' is missing, expected the number of rotated features of "
     "a head (MiniMax-Text-01: --set rotary_dim=64)"},
    {"NoHeadDim",
     released,
     {{"head_dim", ""}},
     "key 'head_dim' is missing, expected a whole number from 1 to 65536"},
    {"NoLayerTypes",
     v5,
     {{"layer_types", ""}},
     "key 'attn_type_list' or 'layer_types' is missing, expected the type of "
     "each layer"},
    {"NoEps",
     released,
     {{"rms_norm_eps", ""}},
     "key 'rms_norm_eps' is missing, expected a number"},
    {"NoTheta",
     released,
     {{"rope_theta", ""}},
     "key 'rope_theta' or 'rope_parameters.rope_theta' is missing, expected a "
     "number"},
    {"NoAlpha",
     released,
     {{"layernorm_mlp_alpha", ""}},
     "key 'layernorm_mlp_alpha' or 'mlp_alpha_factor' is missing, expected a "
     "number"},
    {"NoBetaV5",
     v5,
     {{"full_attn_beta_factor", ""}},
     "key 'layernorm_full_attention_beta' or 'full_attn_beta_factor' is "
     "missing, expected a number"},
    {"NoActivation",
     released,
     {{"hidden_act", ""}},
     "key 'hidden_act' is missing, expected \"silu\""},
    {"NoExperts",
     released,
     {{"num_local_experts", "null"}},
     "key 'num_local_experts' is missing, expected a whole number from 1 to "
     "65536"},

    // Wrong types and ranges.
    {"NegativeHidden",
     released,
     {{"hidden_size", "-64"}},
     "key 'hidden_size': found -64, expected a whole number from 1 to "
     "16777216"},
    {"HugeHidden",
     released,
     {{"hidden_size", "99999999999999999999"}},
     "key 'hidden_size': found 1e+20, expected a whole number from 1 to "
     "16777216"},
    {"FractionalHeads",
     released,
     {{"num_attention_heads", "4.5"}},
     "key 'num_attention_heads': found 4.5, expected a whole number from 1 to "
     "65536"},
    {"StringVocab",
     released,
     {{"vocab_size", "\"256\""}},
     "key 'vocab_size': found \"256\", expected a whole number from 1 to "
     "16777216"},
    {"ZeroVocab",
     released,
     {{"vocab_size", "0"}},
     "key 'vocab_size': found 0, expected a whole number from 1 to 16777216"},
    {"ZeroLayers",
     released,
     {{"num_hidden_layers", "0"}, {"attn_type_list", "[]"}},
     "key 'num_hidden_layers': found 0, expected a whole number from 1 to "
     "10000"},
    {"NegativeAlpha",
     released,
     {{"layernorm_mlp_alpha", "-1"}},
     "key 'layernorm_mlp_alpha': found -1, expected a number over 0 and at "
     "most 1e+06"},
    {"ListAlpha",
     released,
     {{"layernorm_mlp_alpha", "[1]"}},
     "key 'layernorm_mlp_alpha': found [1], expected a number over 0 and at "
     "most 1e+06"},
    {"ZeroEps",
     released,
     {{"rms_norm_eps", "0"}},
     "key 'rms_norm_eps': found 0, expected a number over 0 and at most 1"},
    {"NumberPostnorm",
     released,
     {{"postnorm", "1"}},
     "key 'postnorm': found 1, expected true or false"},
    {"NumberTied",
     released,
     {{"tie_word_embeddings", "0"}},
     "key 'tie_word_embeddings': found 0, expected true or false"},
    {"EosPastVocab",
     released,
     {{"eos_token_id", "[1, 256]"}},
     "key 'eos_token_id': found 256, expected a whole number from 0 to 255"},
    {"BosString",
     released,
     {{"bos_token_id", "\"<s>\""}},
     "key 'bos_token_id': found \"<s>\", expected a whole number from 0 to "
     "255"},
    {"TooManyParameters",
     released,
     {{"hidden_size", "16777216"},
      {"intermediate_size", "16777216"},
      {"num_local_experts", "65536"}},
     "the dimensions make a model of more than 10^16 parameters"},

    // Layers.
    {"LayerCount",
     released,
     {{"num_hidden_layers", "4"}},
     "key 'attn_type_list': found 3 layers, expected 4 as in "
     "'num_hidden_layers'"},
    {"LayersNoList",
     released,
     {{"attn_type_list", "8"}},
     "key 'attn_type_list': found 8, expected a list of 3 layer types"},
    {"LayerNumber",
     released,
     {{"attn_type_list", "[0, 1, 2]"}},
     "key 'attn_type_list': found 2, expected 0 or \"linear_attention\" for a "
     "lightning layer, 1 or \"full_attention\" for a softmax layer"},
    {"LayerName",
     v5,
     {{"layer_types",
       R"(["full_attention", "sliding_attention", "full_attention"])"}},
     "key 'layer_types': found \"sliding_attention\", expected 0 or "
     "\"linear_attention\" for a lightning layer, 1 or \"full_attention\" for "
     "a softmax layer"},

    // Keys against each other.
    {"BothLayerLists",
     v5,
     {{"attn_type_list", "[0, 0, 0]"}},
     "key 'layer_types': found [\"linear_attention\",\"full_attention\","
     "\"linear_attention\"], expected the same layers as in 'attn_type_list'"},
    {"BothAlphas",
     v5,
     {{"layernorm_mlp_alpha", "3.5"}},
     "key 'mlp_alpha_factor': found 3, expected 3.5 as in key "
     "'layernorm_mlp_alpha'"},
    {"BothThetas",
     v5,
     {{"rope_theta", "10000"}},
     "key 'rope_parameters.rope_theta': found 10000000, expected 10000 as in "
     "key 'rope_theta'"},
    {"BothTypes",
     released,
     {{"dtype", "\"float16\""}},
     "key 'dtype': found \"float16\", expected \"bfloat16\" as in key "
     "'torch_dtype'"},
    {"RotaryAgainstFactor",
     v5,
     {{"rotary_dim", "32"}},
     "key 'rotary_dim': found 32, expected 16 as 'head_dim' times "
     "'partial_rotary_factor' (--set rotary_dim=N decides)"},
    {"PostnormV5",
     v5,
     {{"postnorm", "false"}},
     "key 'postnorm': found false, expected true, which this class implies "
     "(--set postnorm=false decides)"},
    {"KvHeads",
     released,
     {{"num_key_value_heads", "3"}},
     "key 'num_key_value_heads': found 3, expected a divisor of "
     "'num_attention_heads', 4"},
    {"TopK",
     released,
     {{"num_experts_per_tok", "5"}},
     "key 'num_experts_per_tok': found 5, expected a whole number from 1 to "
     "4"},
    {"RotaryOdd",
     released,
     {{"rotary_dim", "15"}},
     "key 'rotary_dim': found 15, expected an even number"},
    {"RotaryPastHead",
     released,
     {{"rotary_dim", "34"}},
     "key 'rotary_dim': found 34, expected a whole number from 0 to 32"},
    {"FactorFraction",
     v5,
     {{"rope_parameters",
       R"({"rope_theta": 1e7, "partial_rotary_factor": 0.4})"}},
     "key 'rope_parameters.partial_rotary_factor': found 0.4, expected an even "
     "number of features of the 32 of 'head_dim'"},

    // What is not computed.
    {"SharedExpert",
     released,
     {{"shared_intermediate_size", "96"}},
     "key 'shared_intermediate_size': found 96, expected 0"},
    {"Gelu",
     released,
     {{"hidden_act", "\"gelu\""}},
     "key 'hidden_act': found \"gelu\", expected \"silu\""},
    {"SlidingWindow",
     released,
     {{"sliding_window", "4096"}},
     "key 'sliding_window': found 4096, expected null"},
    {"AttentionBias",
     released,
     {{"attention_bias", "true"}},
     "key 'attention_bias': found true, expected false"},
    {"Quantized",
     released,
     {{"quantization_config", R"({"bits": 4})"}},
     "key 'quantization_config': found {\"bits\":4}, expected null"},
    {"RopeScaling",
     released,
     {{"rope_scaling", R"({"type": "yarn", "factor": 4})"}},
     "key 'rope_scaling': found {\"factor\":4,\"type\":\"yarn\"}, expected "
     "null: rotary embedding without scaling"},
    {"RopeType",
     v5,
     {{"rope_parameters",
       R"({"rope_theta": 1e7, "rope_type": "linear", "factor": 2})"}},
     "key 'rope_parameters.rope_type': found \"linear\", expected \"default\": "
     "rotary embedding without scaling"},
    {"RopeParametersList",
     v5,
     {{"rope_parameters", "[1]"}},
     "key 'rope_parameters': found [1], expected an object with rope_theta and "
     "rope_type"},
    {"Float8",
     released,
     {{"torch_dtype", "\"float8_e4m3fn\""}},
     "key 'torch_dtype': found \"float8_e4m3fn\", expected \"bfloat16\", "
     "\"float16\" or \"float32\""},
};

TEST_P(BadConfigTest, GivesOneLine) {
  const Bad &bad = GetParam();
  std::string message = refusal(changed(bad.base, bad.changes));
  EXPECT_EQ(message.find("config.json: "), 0u) << message;
  EXPECT_EQ(message, std::string("config.json: ") + bad.message);
}

INSTANTIATE_TEST_SUITE_P(Config, BadConfigTest, testing::ValuesIn(badConfigs),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(BadTextTest, GivesOneLine) {
  EXPECT_NE(refusal("").find("is not valid JSON"), std::string::npos);
  EXPECT_EQ(refusal("[]"), "config.json: is no JSON object, expected a model's "
                           "configuration");
  EXPECT_NE(refusal("{\"postnorm\": true, \"postnorm\": false}")
                .find("has the key 'postnorm' twice"),
            std::string::npos);
  // What other writers of JSON make of values that are no numbers.
  EXPECT_NE(refusal("{\"rms_norm_eps\": NaN}").find("is not valid JSON"),
            std::string::npos);
  EXPECT_NE(refusal("{\"rms_norm_eps\": 1e999}").find("is not valid JSON"),
            std::string::npos);
  EXPECT_NE(refusal(std::string(1'000'000, '[')).find("levels deep"),
            std::string::npos);
}

} // namespace
