//===- ManifestParser.cpp - reads a program's manifest -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/Json.h"
#include "runtime/abi/program.h"
#include "runtime/core/Manifest.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

using namespace mm01;
using nlohmann::json;

namespace {

/// What is wrong and where; leaves this file as a Status.
struct Malformed {
  std::string message;
};

template <typename... Parts>
[[noreturn]] void fail(const std::string &where, const Parts &...parts) {
  throw Malformed{concat(where, ": ", parts...)};
}

/// A value and its path in the manifest: "entries[0].arguments[2].type".
struct Node {
  const json &value;
  std::string where;

  bool has(const char *key) const { return value.contains(key); }

  Node operator[](const char *key) const {
    if (!value.is_object())
      fail(where, "expected an object, found ", value.type_name());
    auto at = value.find(key);
    std::string path = where.empty() ? key : where + "." + key;
    if (at == value.end())
      fail(path, "missing");
    return {*at, path};
  }

  std::vector<Node> elements() const {
    if (!value.is_array())
      fail(where, "expected an array, found ", value.type_name());
    std::vector<Node> nodes;
    for (size_t i = 0; i < value.size(); ++i)
      nodes.push_back({value[i], concat(where, '[', i, ']')});
    return nodes;
  }

  std::string string() const {
    if (!value.is_string())
      fail(where, "expected a string, found ", value.type_name());
    return value.get<std::string>();
  }

  std::string name() const {
    std::string text = string();
    if (text.empty() || text.find('\0') != std::string::npos)
      fail(where, "expected a name, found an empty string or one with zeros");
    return text;
  }

  int64_t integer(int64_t least) const {
    // A number over int64_t is unsigned here; the conversion would wrap.
    bool large = value.is_number_unsigned() &&
                 value.get<uint64_t>() > uint64_t(INT64_MAX);
    if (!value.is_number_integer() || large)
      fail(where, "expected an integer, found ", value.dump());
    int64_t number = value.get<int64_t>();
    if (number < least)
      fail(where, "expected at least ", least, ", found ", number);
    return number;
  }

  std::string oneOf(std::initializer_list<const char *> words) const {
    std::string found = string(), known;
    for (const char *word : words) {
      if (found == word)
        return found;
      known = known.empty() ? word : concat(known, ", ", word);
    }
    fail(where, "expected one of ", known, ", found '", found, "'");
  }

  ElementType type() const {
    std::string found = string();
    if (std::optional<ElementType> type = parseElementType(found))
      return *type;
    fail(where, "expected an element type, found '", found, "'");
  }

  /// Extents of at least `least`: -1 where they may be dynamic.
  std::vector<int64_t> shape(int64_t least) const {
    std::vector<int64_t> extents;
    for (const Node &extent : elements())
      extents.push_back(extent.integer(least));
    std::vector<int64_t> known = extents;
    std::erase(known, -1);
    if (!tensorBytes(ElementType::I64, known))
      fail(where, "too large: ", shapeText(extents));
    return extents;
  }
};

using ParameterIndex = std::map<std::string, size_t>;

/// Rows of a tensor seen as a matrix [rows, last extent].
int64_t rowsOf(const std::vector<int64_t> &shape) {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    rows *= shape[i];
  return rows;
}

SourceSpec readSource(const Node &node, const ParameterSpec &parameter) {
  SourceSpec source;
  source.tensor = node["tensor"].name();
  source.shape = node["shape"].shape(1);
  if (node.has("first_row"))
    source.firstRow = node["first_row"].integer(0);
  if (node.has("row_stride"))
    source.rowStride = node["row_stride"].integer(0);

  std::vector<int64_t> part = parameter.partShape();
  if (source.isStack()) {
    if (parameter.shape.size() != 3)
      fail(node["tensor"].where, "expected no {} for a parameter of shape ",
           shapeText(parameter.shape));
    if (source.tensor.find("{}") != source.tensor.rfind("{}"))
      fail(node["tensor"].where, "expected {} once, found '", source.tensor,
           "'");
    if (source.shape != part || source.firstRow || source.rowStride)
      fail(node.where, "expected whole tensors of shape ", shapeText(part));
    return source;
  }
  if (source.shape.empty() || source.shape.back() != part.back())
    fail(node["shape"].where, "expected a last extent of ", part.back(),
         ", found ", shapeText(source.shape));
  int64_t end = 0;
  bool overflow = __builtin_mul_overflow(parameter.partCount() - 1,
                                         source.rowStride, &end) ||
                  __builtin_add_overflow(end, source.firstRow, &end) ||
                  __builtin_add_overflow(end, rowsOf(part), &end);
  if (overflow || end > rowsOf(source.shape))
    fail(node.where, "expected the last part to end at row ",
         rowsOf(source.shape), " or before, found ",
         overflow ? "an overflow" : std::to_string(end));
  return source;
}

/// A type that a checkpoint's tensor may have.
ElementType readStoredType(const Node &node) {
  ElementType type = node.type();
  if (type != ElementType::F32 && type != ElementType::F16 &&
      type != ElementType::BF16)
    fail(node.where, "expected f32, f16 or bf16, found ", elementName(type));
  return type;
}

/// Of an i8 parameter `stored` is the type of its tensors; of others `type` is.
void readTypes(const Node &node, ParameterSpec &parameter) {
  parameter.type = node["type"].type();
  if (parameter.type == ElementType::I8) {
    parameter.stored = readStoredType(node["stored"]);
    return;
  }
  parameter.type = parameter.stored = readStoredType(node["type"]);
  if (node.has("stored"))
    fail(node["stored"].where, "expected none for a parameter of type ",
         elementName(parameter.type));
}

ParameterSpec readParameter(const Node &node) {
  ParameterSpec parameter;
  parameter.name = node["name"].name();
  parameter.shape = node["shape"].shape(1);
  if (parameter.shape.empty() || parameter.shape.size() > 3)
    fail(node["shape"].where, "expected 1 to 3 extents, found ",
         parameter.shape.size());
  readTypes(node, parameter);
  for (const Node &source : node["sources"].elements())
    parameter.sources.push_back(readSource(source, parameter));
  if (parameter.sources.empty())
    fail(node["sources"].where, "expected at least one source");
  return parameter;
}

ArgumentSpec readArgument(const Node &node, const Manifest &manifest,
                          const ParameterIndex &parameters) {
  ArgumentSpec argument;
  std::string kind =
      node["kind"].oneOf({"tensor", "scalar", "ragged", "weight"});
  if (node.has("role"))
    argument.role = node["role"].name();
  if (kind == "ragged") {
    argument.kind = ArgumentKind::Ragged;
    return argument;
  }
  argument.type = node["type"].type();
  if (kind == "scalar") {
    argument.kind = ArgumentKind::Scalar;
    return argument;
  }
  if (kind == "tensor") {
    argument.shape = node["shape"].shape(-1);
    return argument;
  }
  argument.kind = ArgumentKind::Weight;
  argument.shape = node["shape"].shape(1);
  if (!node.has("parameter"))
    return argument;
  std::string name = node["parameter"].name();
  auto found = parameters.find(name);
  if (found == parameters.end())
    fail(node["parameter"].where, "no parameter '", name, "'");
  argument.parameter = found->second;
  const ParameterSpec &parameter = manifest.parameters[found->second];
  if (argument.shape != parameter.shape || argument.type != parameter.type)
    fail(node.where, "expected ", shapeText(parameter.shape), ' ',
         elementName(parameter.type), " as parameter '", name, "', found ",
         shapeText(argument.shape), ' ', elementName(argument.type));
  return argument;
}

/// The extents that an argument has, as ExtentPlace counts them.
size_t countExtents(const ArgumentSpec &argument) {
  switch (argument.kind) {
  case ArgumentKind::Tensor:
    return argument.shape.size();
  case ArgumentKind::Ragged:
    return 3;
  case ArgumentKind::Scalar:
    return argument.type == ElementType::Index ? 1 : 0;
  case ArgumentKind::Weight:
    break;
  }
  return 0;
}

/// Reads "extents" of an argument, the last of the entry. A name is a rule from
/// its second place on; `named` has the first.
void readExtents(const Node &node, EntrySpec &entry,
                 std::map<std::string, ExtentPlace> &named) {
  const size_t argument = entry.arguments.size() - 1;
  const std::vector<Node> extents = node.elements();
  const size_t expected = countExtents(entry.arguments.back());
  if (extents.size() != expected)
    fail(node.where, "expected ", expected, " extents, found ", extents.size());
  for (size_t i = 0; i < extents.size(); ++i) {
    const ExtentPlace place{argument, i};
    if (extents[i].value.is_null())
      continue;
    if (extents[i].value.is_number()) {
      entry.extentRules.push_back({place, std::nullopt, extents[i].integer(0)});
      continue;
    }
    auto [first, isFirst] = named.emplace(extents[i].name(), place);
    if (!isFirst)
      entry.extentRules.push_back({place, first->second});
  }
}

ResultSpec readResult(const Node &node, const EntrySpec &entry,
                      std::set<size_t> &tied) {
  ResultSpec result;
  if (node["kind"].oneOf({"fresh", "tied"}) == "fresh") {
    if (node.has("role"))
      result.role = node["role"].name();
    result.shape = node["shape"].shape(-1);
    result.type = node["type"].type();
    return result;
  }
  Node index = node["argument"];
  size_t argument = index.integer(0);
  if (argument >= entry.arguments.size() ||
      entry.arguments[argument].kind != ArgumentKind::Tensor)
    fail(index.where, "expected the index of a tensor argument, found ",
         argument);
  if (!tied.insert(argument).second)
    fail(index.where, "argument ", argument, " is tied to two results");
  const ArgumentSpec &spec = entry.arguments[argument];
  result = {ResultKind::Tied, spec.role, spec.shape, spec.type, argument};
  return result;
}

/// Reads "cache_uses" of argument `cache`, when all arguments are known.
void readCacheUses(const Node &node, EntrySpec &entry, size_t cache) {
  const ArgumentSpec &spec = entry.arguments[cache];
  if (spec.kind != ArgumentKind::Tensor || spec.shape.size() != 5)
    fail(node.where, "expected none but on a tensor of 5 dimensions");
  auto index = [&](const Node &number, ArgumentKind kind, const char *what) {
    size_t found = number.integer(0);
    if (found >= entry.arguments.size() ||
        entry.arguments[found].kind != kind ||
        (kind == ArgumentKind::Scalar &&
         entry.arguments[found].type != ElementType::Index))
      fail(number.where, "expected the number of ", what, " argument, found ",
           found);
    return found;
  };
  for (const Node &read : node.elements()) {
    CacheUse use;
    use.cache = cache;
    if (read["rows"].oneOf({"slots", "pages"}) == "pages")
      use.rows = CacheUse::Rows::Pages;
    use.batch = index(read["batch"], ArgumentKind::Ragged, "a ragged");
    if (read.has("layer"))
      use.layer = index(read["layer"], ArgumentKind::Scalar, "an index");
    if (read.has("layers"))
      use.layers = read["layers"].integer(std::numeric_limits<int64_t>::min());
    entry.cacheUses.push_back(use);
  }
}

EntrySpec readEntry(const Node &node, const Manifest &manifest,
                    const ParameterIndex &parameters) {
  EntrySpec entry;
  entry.name = node["name"].name();
  std::map<std::string, ExtentPlace> named;
  for (const Node &argument : node["arguments"].elements()) {
    entry.arguments.push_back(readArgument(argument, manifest, parameters));
    if (argument.has("extents"))
      readExtents(argument["extents"], entry, named);
  }
  const std::vector<Node> arguments = node["arguments"].elements();
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].has("cache_uses"))
      readCacheUses(arguments[i]["cache_uses"], entry, i);
  std::set<size_t> tied;
  for (const Node &result : node["results"].elements())
    entry.results.push_back(readResult(result, entry, tied));
  return entry;
}

void readModel(const Node &node, Manifest &manifest) {
  if (!node.value.is_object())
    fail(node.where, "expected an object, found ", node.value.type_name());
  manifest.model = node.value.dump();
  if (node.has("vocab_size"))
    manifest.vocabularySize = node["vocab_size"].integer(1);
}

Manifest read(const Node &root) {
  Manifest manifest;
  manifest.abi = root["abi"].integer(1);
  if (manifest.abi != MM01_ABI_VERSION)
    fail("abi", "expected ", MM01_ABI_VERSION, ", found ", manifest.abi);
  manifest.compiler = root["compiler"].string();
  manifest.target = root["target"].oneOf({"cpu", "sm_90a"});
  if (root.has("chip"))
    manifest.chip = root["chip"].string();
  manifest.mode = root["mode"].oneOf({"inference", "train"});
  manifest.isa =
      root["isa"].oneOf({"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"});
  Node limits = root["limits"];
  manifest.maxTokens = limits["max_tokens"].integer(1);
  manifest.maxSequences = limits["max_sequences"].integer(1);
  if (root.has("model"))
    readModel(root["model"], manifest);
  manifest.parameterCount = root["parameter_count"].integer(0);
  for (const Node &pattern : root["ignored_tensors"].elements())
    manifest.ignoredTensors.push_back(pattern.name());

  ParameterIndex parameters;
  for (const Node &node : root["parameters"].elements()) {
    manifest.parameters.push_back(readParameter(node));
    const std::string &name = manifest.parameters.back().name;
    if (!parameters.emplace(name, manifest.parameters.size() - 1).second)
      fail(node["name"].where, "a second parameter '", name, "'");
  }
  std::set<std::string> entries;
  auto add = [&](const Node &node, bool isHelper) {
    manifest.entries.push_back(readEntry(node, manifest, parameters));
    EntrySpec &entry = manifest.entries.back();
    entry.isHelper = isHelper;
    if (!entries.insert(entry.name).second)
      fail(node["name"].where, "a second entry '", entry.name, "'");
  };
  for (const Node &node : root["entries"].elements())
    add(node, false);
  if (manifest.entries.empty())
    fail("entries", "expected at least one entry");
  if (root.has("helpers"))
    for (const Node &node : root["helpers"].elements())
      add(node, true);
  return manifest;
}

} // namespace

Result<Manifest> mm01::parseManifest(std::string_view text,
                                     const std::string &file) {
  std::string where = file + ": manifest";
  MM01_RETURN_IF_FAILED(checkJson(where, text));
  try {
    json root = json::parse(text);
    if (!root.is_object())
      return Status::error(where, ": expected an object, found ",
                           root.type_name());
    Manifest manifest = read({root, ""});
    manifest.text = text;
    return manifest;
  } catch (const Malformed &malformed) {
    return Status::error(where, ": ", malformed.message);
  } catch (const json::exception &error) {
    return Status::error(where, ": ", error.what());
  }
}
