//===- Forward.cpp - where an inference entry has its arguments -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/session/Forward.h"

#include "runtime/core/Ragged.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

using namespace mm01;

bool mm01::looksLikeForward(const EntrySpec &entry) {
  return entry.findArgument("tokens") && entry.findArgument("logit_rows") &&
         entry.findResult("logits");
}

/// Shape and type that a role must have; -2 in a shape is any static extent.
static Status checkTensor(const EntrySpec &entry, std::string_view role,
                          const std::vector<int64_t> &actual, ElementType type,
                          std::optional<ElementType> expectedType,
                          const std::vector<int64_t> &expected) {
  bool fits = actual.size() == expected.size() &&
              (!expectedType || type == *expectedType);
  for (size_t i = 0; fits && i < actual.size(); ++i)
    fits = expected[i] == -2 ? actual[i] > 0 : actual[i] == expected[i];
  if (fits)
    return Status();
  return Status::error("entry ", entry.name, ": ", role, " has shape ",
                       shapeText(actual), " and type ", elementName(type),
                       ", which is not what an inference entry has");
}

/// The argument of a role that may be absent.
static Result<std::optional<size_t>>
findCache(const EntrySpec &entry, std::string_view role,
          std::optional<ElementType> type, const std::vector<int64_t> &shape) {
  std::optional<size_t> index = entry.findArgument(role);
  if (!index)
    return index;
  const ArgumentSpec &argument = entry.arguments[*index];
  if (argument.kind != ArgumentKind::Tensor)
    return Status::error("entry ", entry.name, ": ", role, " is no tensor");
  MM01_RETURN_IF_FAILED(
      checkTensor(entry, role, argument.shape, argument.type, type, shape));
  bool tied = std::any_of(
      entry.results.begin(), entry.results.end(), [&](const ResultSpec &r) {
        return r.kind == ResultKind::Tied && r.argument == *index;
      });
  if (!tied)
    return Status::error("entry ", entry.name, ": ", role,
                         " is not updated in place: no result is tied to it");
  return index;
}

static Result<size_t> findIndices(const EntrySpec &entry,
                                  std::string_view role) {
  std::optional<size_t> found = entry.findArgument(role);
  if (!found || entry.arguments[*found].kind != ArgumentKind::Tensor)
    return Status::error("entry ", entry.name, " has no argument of role ",
                         role, ", expected an inference entry");
  const ArgumentSpec &argument = entry.arguments[*found];
  MM01_RETURN_IF_FAILED(checkTensor(entry, role, argument.shape, argument.type,
                                    ElementType::I32, {-1}));
  return *found;
}

/// A number of the configuration that limits what a step may ask for; the
/// largest that 32 bits count where there is none.
static Result<int64_t> readLimit(const nlohmann::json &model, const char *key) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  auto it = model.find(key);
  if (it == model.end() || it->is_null())
    return most;
  if (!it->is_number_integer() || it->get<int64_t>() < 1)
    return Status::error("manifest: model.", key, " is ", it->dump(),
                         ", expected a positive number");
  return std::min(most, it->get<int64_t>());
}

/// Reads what the configuration says about decoding. A configuration is a JSON
/// object when there is one: the manifest's reader has checked that.
static Status readModel(const Manifest &manifest, ForwardSpec &spec) {
  spec.experts = spec.maxPositions = std::numeric_limits<int32_t>::max();
  if (manifest.model.empty())
    return Status();
  nlohmann::json model = nlohmann::json::parse(manifest.model, nullptr,
                                               /*allow_exceptions=*/false);
  if (!model.is_object())
    return Status::error("manifest: model is no JSON object");
  for (auto [key, limit] :
       {std::pair("max_position_embeddings", &ForwardSpec::maxPositions),
        std::pair("num_local_experts", &ForwardSpec::experts)}) {
    Result<int64_t> read = readLimit(model, key);
    MM01_RETURN_IF_FAILED(read);
    spec.*limit = *read;
  }
  auto it = model.find("eos_token_id");
  if (it == model.end() || it->is_null())
    return Status();
  nlohmann::json ids = it->is_array() ? *it : nlohmann::json::array({*it});
  for (const nlohmann::json &id : ids) {
    if (!id.is_number_integer() || id.get<int64_t>() < 0 ||
        id.get<int64_t>() >= spec.vocabulary)
      return Status::error("manifest: model.eos_token_id has ", id.dump(),
                           ", expected token ids below ", spec.vocabulary);
    spec.endOfSequence.push_back(id.get<int32_t>());
  }
  return Status();
}

Result<ForwardSpec> ForwardSpec::find(const Manifest &manifest,
                                      std::string_view name) {
  Result<size_t> index = manifest.findEntry(name);
  MM01_RETURN_IF_FAILED(index);
  const EntrySpec &entry = manifest.entries[*index];
  ForwardSpec spec;
  spec.entry = *index;

  Result<size_t> tokens = findIndices(entry, "tokens");
  MM01_RETURN_IF_FAILED(tokens);
  spec.tokens = *tokens;
  Result<size_t> logitRows = findIndices(entry, "logit_rows");
  MM01_RETURN_IF_FAILED(logitRows);
  spec.logitRows = *logitRows;

  auto ragged = std::find_if(
      entry.arguments.begin(), entry.arguments.end(),
      [](const ArgumentSpec &a) { return a.kind == ArgumentKind::Ragged; });
  if (ragged == entry.arguments.end())
    return Status::error(
        "entry ", name, " has no ragged argument, expected an inference entry");
  spec.ragged = ragged - entry.arguments.begin();

  spec.routes = entry.findArgument("routes");
  if (spec.routes) {
    const ArgumentSpec &routes = entry.arguments[*spec.routes];
    MM01_RETURN_IF_FAILED(checkTensor(entry, "routes", routes.shape,
                                      routes.type, ElementType::I32,
                                      {-2, -1, -2}));
  }

  Result<std::optional<size_t>> cache = findCache(
      entry, "lightning_state", ElementType::F32, {-2, -1, -2, -2, -2});
  MM01_RETURN_IF_FAILED(cache);
  spec.lightningState = *cache;
  for (auto [role, member] : {std::pair("keys", &ForwardSpec::keys),
                              std::pair("values", &ForwardSpec::values)}) {
    cache = findCache(entry, role, std::nullopt, {-2, -1, pageSize, -2, -2});
    MM01_RETURN_IF_FAILED(cache);
    spec.*member = *cache;
  }
  if (spec.keys.has_value() != spec.values.has_value())
    return Status::error("entry ", name, " has only one of keys and values");

  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    bool known = entry.arguments[i].parameter || i == spec.tokens ||
                 i == spec.ragged || i == spec.logitRows || i == spec.routes ||
                 i == spec.lightningState || i == spec.keys || i == spec.values;
    if (!known)
      return Status::error(
          "entry ", name, ": argument ", i,
          " has neither a role nor a parameter of an inference entry");
  }

  std::optional<size_t> logits = entry.findResult("logits");
  if (!logits || entry.results[*logits].kind != ResultKind::Fresh)
    return Status::error("entry ", name,
                         " has no result logits, expected an inference entry");
  spec.logits = *logits;
  const ResultSpec &result = entry.results[*logits];
  MM01_RETURN_IF_FAILED(checkTensor(entry, "logits", result.shape, result.type,
                                    ElementType::F32, {-1, -2}));
  spec.vocabulary = result.shape[1];
  MM01_RETURN_IF_FAILED(readModel(manifest, spec));
  return spec;
}
