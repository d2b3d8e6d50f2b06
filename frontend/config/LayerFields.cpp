//===- LayerFields.cpp - the layout and the kinds of the layers -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/config/BadConfigTest.cpp, ReadConfigTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/config/ModelFields.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mm01;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static constexpr int64_t maxLayers = 10'000;

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

ConfigLayout mm01::readLayout(FieldReader &reader) {
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

std::vector<LayerKind> mm01::readLayers(FieldReader &reader) {
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
