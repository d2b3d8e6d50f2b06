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
#include "frontend/safetensors/Json.h"
#include "frontend/safetensors/TextFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"

#include <cmath>

using namespace mm01;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

// Far over any model that could be run, and low enough that no product of two
// of them passes 64 bits.
static constexpr int64_t maxLayers = 10'000;
static constexpr int64_t maxHeads = 1 << 16;
static constexpr int64_t maxExperts = 1 << 16;
static constexpr int64_t maxFeatures = 1 << 24;
static constexpr double maxParameters = 1e16;

static std::optional<ConfigLayout> layoutOfModelType(StringRef type) {
  return llvm::StringSwitch<std::optional<ConfigLayout>>(type)
      .Cases({"minimax_text_01", "MiniMaxText01"}, ConfigLayout::Released)
      .Case("minimax", ConfigLayout::HuggingFaceV5)
      .Default(std::nullopt);
}

static std::optional<ConfigLayout> layoutOfClass(StringRef name) {
  return llvm::StringSwitch<std::optional<ConfigLayout>>(name)
      .Case("MiniMaxText01ForCausalLM", ConfigLayout::Released)
      .Case("MiniMaxForCausalLM", ConfigLayout::HuggingFaceV5)
      .Default(std::nullopt);
}

/// From model_type and architectures, which must agree if both are there.
static ConfigLayout readLayout(FieldReader &reader) {
  std::optional<ConfigLayout> byType, byClass;
  if (Located type = reader.find({"model_type"})) {
    byType = layoutOfModelType(type.value->getAsString().value_or(""));
    if (!byType)
      reader.failExpected(type, "\"minimax_text_01\" or \"minimax\"");
  }
  if (Located classes = reader.find({"architectures"})) {
    const json::Array *names = classes.value->getAsArray();
    if (names && names->size() == 1)
      byClass = layoutOfClass(names->front().getAsString().value_or(""));
    if (!byClass)
      reader.failExpected(classes, "[\"MiniMaxText01ForCausalLM\"] or "
                                   "[\"MiniMaxForCausalLM\"]");
    else if (byType && byType != byClass)
      reader.failExpected(classes, "the class that 'model_type' names");
  }
  if (!byType && !byClass)
    reader.fail(reader.name() + ": key 'model_type' is missing, expected "
                                "\"minimax_text_01\" or \"minimax\"");
  return byType.value_or(byClass.value_or(ConfigLayout::Released));
}

/// One list of layer kinds, 0 and 1 or names.
static std::vector<LayerKind> toLayerKinds(FieldReader &reader,
                                           const Located &at, int64_t count) {
  std::vector<LayerKind> kinds;
  const json::Array *list = at.value->getAsArray();
  if (!list) {
    reader.failExpected(at, "a list of " + Twine(count) + " layer types");
    return kinds;
  }
  if (static_cast<int64_t>(list->size()) != count)
    reader.fail(at.label + ": found " + Twine(list->size()) +
                " layers, expected " + Twine(count) +
                " as in 'num_hidden_layers'");
  for (const json::Value &entry : *list) {
    StringRef name = entry.getAsString().value_or("");
    std::optional<int64_t> number = entry.getAsInteger();
    if (number == 0 || name == "linear_attention")
      kinds.push_back(LayerKind::Lightning);
    else if (number == 1 || name == "full_attention")
      kinds.push_back(LayerKind::Softmax);
    else
      reader.failExpected({&entry, at.label},
                          "0 or \"linear_attention\" for a lightning layer, 1 "
                          "or \"full_attention\" for a softmax layer");
  }
  return kinds;
}

static std::vector<LayerKind> readLayers(FieldReader &reader) {
  int64_t count = reader.integer({"num_hidden_layers"}, 1, maxLayers);
  Located released = reader.find({"attn_type_list"});
  Located v5 = reader.find({"layer_types"});
  if (reader.failed())
    return {};
  if (!released && !v5) {
    reader.require({"attn_type_list", "layer_types"}, "the type of each layer");
    return {};
  }
  std::vector<LayerKind> kinds =
      toLayerKinds(reader, released ? released : v5, count);
  if (released && v5 && !released.overridden &&
      kinds != toLayerKinds(reader, v5, count))
    reader.failExpected(v5, "the same layers as in 'attn_type_list'");
  return kinds;
}

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

/// rotary_dim, or head_dim times partial_rotary_factor. A missing one does not
/// mean the whole head: the released checkpoint rotates half of it.
static int64_t readRotaryDim(FieldReader &reader, int64_t headDim) {
  Located dim = reader.find({"rotary_dim"});
  Located factor = reader.find(
      {"rope_parameters.partial_rotary_factor", "partial_rotary_factor"});
  int64_t rotary = 0, byFactor = 0;
  if (factor && !(dim && dim.overridden)) {
    double product =
        reader.toNumber(factor, 0, 1) * static_cast<double>(headDim);
    byFactor = std::llround(product);
    if (std::abs(product - static_cast<double>(byFactor)) > 1e-6 ||
        byFactor % 2)
      reader.failExpected(factor, "an even number of features of the " +
                                      Twine(headDim) + " of 'head_dim'");
    rotary = byFactor;
  }
  if (dim) {
    rotary = reader.toInteger(dim, 0, headDim);
    if (rotary % 2)
      reader.failExpected(dim, "an even number");
    if (byFactor && byFactor != rotary)
      reader.failExpected(dim, Twine(byFactor) +
                                   " as 'head_dim' times "
                                   "'partial_rotary_factor' (--set "
                                   "rotary_dim=N decides)");
  }
  if (!dim && !factor)
    reader.require({"rotary_dim"}, "the number of rotated features of a head "
                                   "(MiniMax-Text-01: --set rotary_dim=64)");
  return rotary;
}

/// Refuses every kind of position scaling: only the plain one is computed.
static void checkRope(FieldReader &reader) {
  if (Located rope = reader.find({"rope_parameters"}))
    if (!rope.value->getAsObject())
      reader.failExpected(rope, "an object with rope_theta and rope_type");
  if (Located scaling = reader.find({"rope_scaling"})) {
    const json::Object *object = scaling.value->getAsObject();
    if (!object || (object->getString("rope_type") != StringRef("default") &&
                    object->getString("type") != StringRef("default")))
      reader.failExpected(scaling, "null: rotary embedding without scaling");
  }
  if (Located type =
          reader.find({"rope_parameters.rope_type", "rope_parameters.type"}))
    if (type.value->getAsString() != StringRef("default"))
      reader.failExpected(type, "\"default\": rotary embedding without "
                                "scaling");
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
