//===- ReadConfigTest.cpp - both layouts, overrides, files ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <cmath>
#include <sys/stat.h>
#include <unistd.h>

using namespace mm01;
using namespace mm01::test;

namespace {

TEST(ReadConfigTest, Released) {
  ModelConfig config = good(released);
  EXPECT_EQ(config.layout, ConfigLayout::Released);
  EXPECT_EQ(config.hidden, 64);
  EXPECT_EQ(config.layers,
            (std::vector<LayerKind>{LayerKind::Lightning, LayerKind::Softmax,
                                    LayerKind::Lightning}));
  EXPECT_EQ(config.heads, 4);
  EXPECT_EQ(config.kvHeads, 2);
  EXPECT_EQ(config.headDim, 32);
  EXPECT_EQ(config.rotaryDim, 16);
  EXPECT_EQ(config.ropeTheta, 1e7);
  EXPECT_EQ(config.experts, 4);
  EXPECT_EQ(config.expertsPerToken, 2);
  EXPECT_EQ(config.intermediate, 96);
  EXPECT_EQ(config.vocab, 256);
  EXPECT_EQ(config.attentionScale(LayerKind::Lightning).alpha, 2);
  EXPECT_EQ(config.attentionScale(LayerKind::Lightning).beta, 1);
  EXPECT_EQ(config.attentionScale(LayerKind::Softmax).alpha, 2.5);
  EXPECT_EQ(config.attentionScale(LayerKind::Softmax).beta, 1.5);
  EXPECT_EQ(config.mlpScale.alpha, 3);
  EXPECT_EQ(config.mlpScale.beta, 0.5);
  EXPECT_TRUE(config.postnorm);
  EXPECT_EQ(config.rmsNormEps, 1e-5);
  EXPECT_FALSE(config.tieWordEmbeddings);
  EXPECT_EQ(config.storageType, safetensors::ElementType::BF16);
  EXPECT_TRUE(config.bosTokens.empty());
  EXPECT_EQ(config.maxPositionEmbeddings, std::nullopt);
}

TEST(ReadConfigTest, LayoutsGiveTheSameModel) {
  ModelConfig config = good(v5);
  EXPECT_EQ(config.layout, ConfigLayout::HuggingFaceV5);
  EXPECT_EQ(printed(config), printed(good(released)));
}

TEST(ReadConfigTest, KeysOfBothLayoutsThatAgree) {
  ModelConfig config = good(changed(v5, {{"attn_type_list", "[0, 1, 0]"},
                                         {"layernorm_mlp_alpha", "3"},
                                         {"rotary_dim", "16"},
                                         {"rope_theta", "1e7"},
                                         {"postnorm", "true"},
                                         {"torch_dtype", "\"bfloat16\""}}));
  EXPECT_EQ(printed(config), printed(good(v5)));
}

TEST(ReadConfigTest, ReadsBackWhatItPrints) {
  std::string text = printed(
      good(changed(released, {{"eos_token_id", "[1, 2]"},
                              {"bos_token_id", "0"},
                              {"tie_word_embeddings", "true"},
                              {"torch_dtype", "\"float32\""},
                              {"max_position_embeddings", "4096"},
                              {"layernorm_mlp_alpha", "3.5565588200778455"}})));
  ModelConfig config = good(text);
  EXPECT_EQ(printed(config), text);
  EXPECT_EQ(config.mlpScale.alpha, 3.5565588200778455);
  EXPECT_EQ(config.eosTokens, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(config.bosTokens, (std::vector<int64_t>{0}));
  EXPECT_EQ(config.maxPositionEmbeddings, 4096);
  EXPECT_EQ(config.storageType, safetensors::ElementType::F32);
}

TEST(ReadConfigTest, WhatMayBeAbsentOrNull) {
  good(changed(released, {{"torch_dtype", ""},
                          {"shared_intermediate_size", ""},
                          {"architectures", ""},
                          {"sliding_window", "null"},
                          {"rope_scaling", "null"},
                          {"quantization_config", "null"},
                          {"eos_token_id", "null"}}));
  good(changed(released, {{"model_type", ""}}));
  good(changed(released, {{"rope_scaling", R"({"rope_type": "default"})"}}));
}

TEST(ReadConfigTest, DimensionsAtTheirEdges) {
  EXPECT_EQ(good(changed(released, {{"rotary_dim", "0"}})).rotaryDim, 0);
  EXPECT_EQ(good(changed(released, {{"rotary_dim", "32"}})).rotaryDim, 32);
  EXPECT_EQ(
      good(changed(released, {{"num_experts_per_tok", "4"}})).expertsPerToken,
      4);
  EXPECT_EQ(good(changed(released, {{"num_hidden_layers", "1"},
                                    {"attn_type_list", "[1]"}}))
                .countLayers(LayerKind::Lightning),
            0);
  EXPECT_FALSE(good(changed(released, {{"postnorm", "false"}})).postnorm);
}

TEST(ReadConfigTest, IgnoredAndUnknownKeys) {
  Warnings warnings;
  std::string text = changed(released, {{"transformers_version", "\"4.45\""},
                                        {"initializer_range", "0.02"},
                                        {"router_jitter_noise", "0"},
                                        {"zeta\\n", "1"},
                                        {"new_key", "true"}});
  llvm::Expected<ModelConfig> config =
      parseConfig(text, "config.json", {}, warnings);
  ASSERT_TRUE(bool(config)) << llvm::toString(config.takeError());
  EXPECT_EQ(warnings.lines,
            (std::vector<std::string>{
                "config.json: key 'new_key' is unknown and ignored",
                "config.json: key 'zeta\\n' is unknown and ignored"}));
}

TEST(OverrideTest, ReplacesEitherLayout) {
  EXPECT_EQ(good(released, {"rotary_dim=8"}).rotaryDim, 8);
  // Also the key that the v5 layout says it with, and a missing one.
  EXPECT_EQ(good(v5, {"rotary_dim=8"}).rotaryDim, 8);
  EXPECT_EQ(good(v5, {"layernorm_mlp_alpha=4"}).mlpScale.alpha, 4);
  EXPECT_EQ(
      good(v5, {"attn_type_list=[1,1,1]"}).countLayers(LayerKind::Softmax), 3);
  EXPECT_FALSE(good(v5, {"postnorm=false"}).postnorm);
  EXPECT_EQ(good(v5, {"torch_dtype=float16"}).storageType,
            safetensors::ElementType::F16);
  EXPECT_TRUE(
      good(changed(released, {{"postnorm", ""}}), {"postnorm=true"}).postnorm);
  EXPECT_TRUE(
      good(changed(released, {{"eos_token_id", "2"}}), {"eos_token_id=null"})
          .eosTokens.empty());
}

TEST(OverrideTest, Refusals) {
  EXPECT_EQ(refusal(released, {"rotary_dim"}),
            "--set rotary_dim: expected KEY=VALUE");
  EXPECT_EQ(refusal(released, {"=3"}), "--set =3: expected KEY=VALUE");
  EXPECT_EQ(refusal(released, {"rotary=3"})
                .find("--set rotary: no such key, expected one of: "
                      "attention_bias attn_type_list"),
            0u);
  EXPECT_EQ(refusal(released, {"rotary_dim=8", "rotary_dim=16"}),
            "--set rotary_dim: given twice");
  EXPECT_EQ(refusal(released, {"rotary_dim=7"}),
            "--set rotary_dim: found 7, expected an even number");
  EXPECT_EQ(refusal(released, {"rotary_dim="}),
            "--set rotary_dim: found \"\", expected a whole number from 0 to "
            "32");
  EXPECT_EQ(refusal(released, {"rms_norm_eps=NaN"}),
            "--set rms_norm_eps: found \"NaN\", expected a number over 0 and "
            "at most 1");
  EXPECT_EQ(refusal(released, {"num_hidden_layers=5"}),
            "config.json: key 'attn_type_list': found 3 layers, expected 5 as "
            "in 'num_hidden_layers'");
  refusal(released, {"hidden_act=" + std::string(100'000, '[')});
}

std::string refusedFile(const std::string &path) {
  Warnings warnings;
  llvm::Expected<ModelConfig> config = readConfig(path, {}, warnings);
  if (config)
    return "";
  return llvm::toString(config.takeError());
}

TEST(ConfigFileTest, Golden) {
  Warnings warnings;
  for (const char *path : {MM01_GOLDEN "/tiny-a", MM01_GOLDEN "/tiny-a/",
                           MM01_GOLDEN "/tiny-a/config.json"}) {
    llvm::Expected<ModelConfig> config = readConfig(path, {}, warnings);
    ASSERT_TRUE(bool(config)) << llvm::toString(config.takeError());
    EXPECT_EQ(config->parameterCount(), 937'920);
    EXPECT_EQ(config->countLayers(LayerKind::Lightning), 7);
    EXPECT_EQ(config->layers.back(), LayerKind::Softmax);
  }
  EXPECT_TRUE(warnings.lines.empty());
}

TEST(ConfigFileTest, Refusals) {
  EXPECT_EQ(refusedFile("/none"),
            "/none: cannot be opened: No such file or directory");
  EXPECT_EQ(refusedFile(MM01_GOLDEN),
            MM01_GOLDEN "/config.json: cannot be opened: No such file or "
                        "directory");
  EXPECT_EQ(refusedFile("/dev/zero"),
            "/dev/zero: is a device, expected a regular file");
}

} // namespace
