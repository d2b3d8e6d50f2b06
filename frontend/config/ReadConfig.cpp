//===- ReadConfig.cpp - reads config.json in both layouts -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/config/ReadConfigTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/config/ReadConfig.h"
#include "frontend/config/ConfigKeys.h"
#include "frontend/config/FieldReader.h"
#include "frontend/config/ModelFields.h"
#include "frontend/safetensors/Json.h"
#include "frontend/safetensors/TextFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"

using namespace mm01;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

// Far over any model that could be run, and low enough that no product of two
// of them passes 64 bits.
static constexpr int64_t maxHeads = 1 << 16;
static constexpr int64_t maxExperts = 1 << 16;
static constexpr int64_t maxFeatures = 1 << 24;
static constexpr double maxParameters = 1e16;

static ResidualScale readScale(FieldReader &reader, StringRef released,
                               StringRef v5) {
  constexpr double most = 1e6;
  std::string alpha = ("layernorm_" + released + "_alpha").str();
  std::string beta = ("layernorm_" + released + "_beta").str();
  std::string alphaFactor = (v5 + "_alpha_factor").str();
  std::string betaFactor = (v5 + "_beta_factor").str();
  return {reader.number({alpha, alphaFactor}, 0, most),
          reader.number({beta, betaFactor}, 0, most)};
}

/// Keys that have one value in every model that mm01 computes. They may be
/// absent, except hidden_act.
static void checkFixed(FieldReader &reader) {
  const std::pair<StringRef, json::Value> fixed[] = {
      {"attention_bias", false},   {"mlp_bias", false},
      {"norm_topk_prob", true},    {"quantization_config", nullptr},
      {"scoring_func", "softmax"}, {"shared_intermediate_size", 0},
      {"sliding_window", nullptr}, {"use_qk_norm", false},
      {"hidden_act", "silu"},
  };
  for (const auto &[key, value] : fixed) {
    std::string expected;
    llvm::raw_string_ostream(expected) << value;
    Located at = key == "hidden_act" ? reader.require({key}, expected)
                                     : reader.find({key});
    if (at && *at.value != value)
      reader.failExpected(at, expected);
  }
}

static safetensors::ElementType readStorageType(FieldReader &reader) {
  // With a checkpoint the types are those of its tensors; without one and
  // without this key they are the released model's.
  Located at = reader.find({"torch_dtype", "dtype"});
  if (!at)
    return safetensors::ElementType::BF16;
  StringRef name = at.value->getAsString().value_or("");
  name.consume_front("torch.");
  auto type = llvm::StringSwitch<std::optional<safetensors::ElementType>>(name)
                  .Case("bfloat16", safetensors::ElementType::BF16)
                  .Case("float16", safetensors::ElementType::F16)
                  .Case("float32", safetensors::ElementType::F32)
                  .Default(std::nullopt);
  if (!type)
    reader.failExpected(at, "\"bfloat16\", \"float16\" or \"float32\"");
  return type.value_or(safetensors::ElementType::BF16);
}

/// The v5 class always norms after the residual and has no key for it.
static bool readPostnorm(FieldReader &reader, ConfigLayout layout) {
  if (layout == ConfigLayout::Released)
    return reader.boolean({"postnorm"},
                          " (MiniMax-Text-01: --set postnorm=true)");
  Located at = reader.find({"postnorm"});
  if (!at)
    return true;
  bool value = reader.toBoolean(at);
  if (!value && !at.overridden)
    reader.failExpected(at, "true, which this class implies (--set "
                            "postnorm=false decides)");
  return value;
}

/// Each dimension is within its limits; so must their product be.
static void checkSize(FieldReader &reader, const ModelConfig &config) {
  double layers = static_cast<double>(config.layerCount());
  double hidden = static_cast<double>(config.hidden);
  double inner =
      static_cast<double>(config.heads) * static_cast<double>(config.headDim);
  double mixture = 3.0 * static_cast<double>(config.experts) *
                   static_cast<double>(config.intermediate);
  if (layers * hidden * (5 * inner + mixture) > maxParameters)
    reader.fail(reader.name() +
                ": the dimensions make a model of more than 10^16 parameters");
}

static ModelConfig readFields(FieldReader &reader) {
  ModelConfig config;
  config.layout = readLayout(reader);
  config.hidden = reader.integer({"hidden_size"}, 1, maxFeatures);
  config.layers = readLayers(reader);
  config.heads = reader.integer({"num_attention_heads"}, 1, maxHeads);
  Located kvHeads = reader.require({"num_key_value_heads"}, "a whole number");
  if (kvHeads)
    config.kvHeads = reader.toInteger(kvHeads, 1, maxHeads);
  config.headDim = reader.integer({"head_dim"}, 1, maxHeads);
  config.experts = reader.integer({"num_local_experts"}, 1, maxExperts);
  config.expertsPerToken = reader.integer({"num_experts_per_tok"}, 1,
                                          reader.failed() ? 1 : config.experts);
  config.intermediate = reader.integer({"intermediate_size"}, 1, maxFeatures);
  config.vocab = reader.integer({"vocab_size"}, 1, maxFeatures);
  if (reader.failed())
    return config; // the rest depends on these
  if (config.heads % config.kvHeads)
    reader.failExpected(kvHeads, "a divisor of 'num_attention_heads', " +
                                     Twine(config.heads));
  checkRope(reader);
  config.rotaryDim = readRotaryDim(reader, config.headDim);
  config.ropeTheta =
      reader.number({"rope_theta", "rope_parameters.rope_theta"}, 0, 1e30);
  config.lightningScale = readScale(reader, "linear_attention", "linear_attn");
  config.softmaxScale = readScale(reader, "full_attention", "full_attn");
  config.mlpScale = readScale(reader, "mlp", "mlp");
  config.postnorm = readPostnorm(reader, config.layout);
  config.rmsNormEps = reader.number({"rms_norm_eps"}, 0, 1);
  if (Located tied = reader.find({"tie_word_embeddings"}))
    config.tieWordEmbeddings = reader.toBoolean(tied);
  config.storageType = readStorageType(reader);
  config.bosTokens = reader.tokens({"bos_token_id"}, config.vocab);
  config.eosTokens = reader.tokens({"eos_token_id"}, config.vocab);
  if (Located most = reader.find({"max_position_embeddings"}))
    config.maxPositionEmbeddings = reader.toInteger(most, 1, INT64_MAX);
  checkFixed(reader);
  checkSize(reader, config);
  return config;
}

static void warnOfUnknownKeys(const FieldReader &reader, ConfigWarning warn) {
  std::vector<std::string> unknown;
  for (const auto &[key, value] : reader.object())
    if (!isReadKey(key) && !isIgnoredKey(key))
      unknown.push_back(key.str());
  llvm::sort(unknown); // the object has no order of its own
  for (StringRef key : unknown)
    warn(llvm::toString(configError(reader.name() + ": key '" + key +
                                    "' is unknown and ignored")));
}

llvm::Expected<ModelConfig>
mm01::parseConfig(StringRef text, StringRef where,
                  llvm::ArrayRef<std::string> overrides, ConfigWarning warn) {
  if (Status status = checkJson(where, text); status.failed())
    return configError(status.message());
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return configError(
        where + ": is not valid JSON: " + llvm::toString(value.takeError()));
  json::Object *object = value->getAsObject();
  if (!object)
    return configError(where + ": is no JSON object, expected a model's "
                               "configuration");
  llvm::Expected<FieldReader> reader =
      FieldReader::create(where, std::move(*object), overrides);
  if (!reader)
    return reader.takeError();
  ModelConfig config = readFields(*reader);
  if (reader->failed())
    return reader->takeError();
  warnOfUnknownKeys(*reader, warn);
  return config;
}

llvm::Expected<ModelConfig>
mm01::readConfig(StringRef path, llvm::ArrayRef<std::string> overrides,
                 ConfigWarning warn) {
  constexpr uint64_t maxBytes = 16 << 20;
  std::string file = path.str();
  if (llvm::sys::fs::is_directory(path))
    file += path.ends_with("/") ? "config.json" : "/config.json";
  Result<std::string> text = readTextFile(file, maxBytes);
  if (!text)
    return configError(text.message());
  return parseConfig(*text, file, overrides, warn);
}
