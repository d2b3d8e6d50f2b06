//===- DescribeProgram.cpp - write the manifest of the program ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes down what a program is for those that only read it: the runtime before
// it loads the program, and `mm01-run info`.
//
// Before: module {
//           func.func @f(%x: memref<?xf32>)
//               attributes {exec.results = [#exec.tied<0>]} …
// After:  module attributes {exec.manifest = "{\"abi\":3,…}"} { … }
//
// Requires the scheduled phase. Tested by
// test/codegen/host/describe-program.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/Passes.h"
#include "dialects/exec/ExecDialect.h"
#include "dialects/mm01/Mm01Extents.h"
#include "passes/graph/Helpers.h"
#include "passes/tile/Chips.h"
#include "runtime/abi/program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

namespace mm01 {
#define GEN_PASS_DEF_DESCRIBEPROGRAMPASS
#include "codegen/host/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;
namespace json = llvm::json;

/// The limits of a module that does not say its own.
static constexpr int64_t kMaxTokens = 8192;
static constexpr int64_t kMaxSequences = 256;

/// The manifest's name of an element type, or nothing.
static std::optional<std::string> getElementName(Type type) {
  static const llvm::StringLiteral names[] = {"f32", "f16", "bf16", "i8",
                                              "i32", "i64", "index"};
  std::string name;
  llvm::raw_string_ostream(name) << type;
  if (llvm::is_contained(names, name))
    return name;
  return std::nullopt;
}

static json::Array getShape(ArrayRef<int64_t> shape) {
  json::Array extents;
  for (int64_t extent : shape)
    extents.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  return extents;
}

/// {"kind", "shape", "type"} of a buffer, or a diagnostic.
static FailureOr<json::Object> describeBuffer(Operation *op, StringRef kind,
                                              MemRefType type) {
  auto element = getElementName(type.getElementType());
  if (!element)
    return op->emitError("element type ")
           << type.getElementType() << " has no name in a manifest";
  int64_t bytes = 8;
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) &&
        llvm::MulOverflow(bytes, extent, bytes))
      return op->emitError("tensor of shape [")
             << type.getShape() << "] is too large for 64-bit offsets";
  return json::Object{
      {"kind", kind}, {"shape", getShape(type.getShape())}, {"type", *element}};
}

static FailureOr<json::Object> describeArgument(func::FuncOp function,
                                                unsigned number) {
  Type type = function.getArgumentTypes()[number];
  if (isa<RaggedType>(type))
    return json::Object{{"kind", "ragged"}};
  if (auto weight = dyn_cast<WeightType>(type)) {
    json::Object object{{"kind", "weight"},
                        {"shape", getShape(weight.getShape())},
                        {"type", *getElementName(weight.getElementType())}};
    if (auto parameter = function.getArgAttrOfType<FlatSymbolRefAttr>(
            number, kParameterAttr))
      object["parameter"] = parameter.getValue();
    return object;
  }
  FailureOr<json::Object> object = failure();
  if (auto buffer = dyn_cast<MemRefType>(type))
    object = describeBuffer(function, "tensor", buffer);
  else if (auto element = getElementName(type))
    object = json::Object{{"kind", "scalar"}, {"type", *element}};
  else
    return function.emitError("argument ")
           << number << " has type " << type
           << ", which has no name in a manifest";
  auto role = function.getArgAttrOfType<StringAttr>(number, kRoleAttr);
  if (succeeded(object) && role)
    (*object)["role"] = role.getValue();
  return object;
}

/// The elements of `mm01.extents`: names, numbers, and null for any.
static json::Array describeExtents(ArrayAttr extents) {
  json::Array described;
  for (Attribute extent : extents) {
    if (auto name = dyn_cast<StringAttr>(extent))
      described.push_back(name.getValue());
    else if (auto number = dyn_cast<IntegerAttr>(extent))
      described.push_back(number.getInt());
    else
      described.push_back(nullptr);
  }
  return described;
}

/// The elements of `mm01.cache_uses`.
static json::Array describeCacheUses(ArrayAttr uses) {
  json::Array described;
  for (auto use : uses.getAsRange<DictionaryAttr>()) {
    json::Object object{{"rows", use.getAs<StringAttr>("rows").getValue()}};
    for (StringRef name : {"batch", "layer", "layers"})
      if (auto number = use.getAs<IntegerAttr>(name))
        object[name] = number.getInt();
    described.push_back(std::move(object));
  }
  return described;
}

static FailureOr<json::Object> describeResult(func::FuncOp function,
                                              Attribute result) {
  if (auto tied = dyn_cast<exec::TiedAttr>(result))
    return json::Object{{"kind", "tied"}, {"argument", tied.getArgument()}};
  auto fresh = cast<exec::FreshAttr>(result);
  auto object = describeBuffer(function, "fresh", fresh.getType());
  if (succeeded(object) && !fresh.getRole().empty())
    (*object)["role"] = fresh.getRole();
  return object;
}

static FailureOr<json::Object> describeEntry(func::FuncOp function) {
  json::Array arguments, results;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto argument = describeArgument(function, i);
    if (failed(argument))
      return failure();
    if (auto extents = function.getArgAttrOfType<ArrayAttr>(i, kExtentsAttr))
      (*argument)["extents"] = describeExtents(extents);
    if (auto uses = function.getArgAttrOfType<ArrayAttr>(i, kCacheUsesAttr))
      (*argument)["cache_uses"] = describeCacheUses(uses);
    arguments.push_back(std::move(*argument));
  }
  auto described = function->getAttrOfType<ArrayAttr>(exec::kResultsAttr);
  if (!described)
    return function.emitError("public function has no 'exec.results', expected "
                              "a scheduled module");
  for (Attribute attribute : described) {
    auto result = describeResult(function, attribute);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  return json::Object{{"name", function.getSymName()},
                      {"arguments", std::move(arguments)},
                      {"results", std::move(results)}};
}

static json::Object describeParameter(ParameterOp parameter) {
  json::Array sources;
  for (Attribute attribute : parameter.getSources()) {
    auto source = cast<SourceAttr>(attribute);
    json::Object object{{"tensor", source.getTensor()},
                        {"shape", getShape(source.getShape())}};
    if (source.getFirstRow() || source.getRowStride()) {
      object["first_row"] = source.getFirstRow();
      object["row_stride"] = source.getRowStride();
    }
    sources.push_back(std::move(object));
  }
  json::Object object{
      {"name", parameter.getSymName()},
      {"shape", getShape(parameter.getType().getShape())},
      {"type", *getElementName(parameter.getType().getElementType())},
      {"sources", std::move(sources)}};
  if (std::optional<Type> stored = parameter.getStored())
    object["stored"] = *getElementName(*stored);
  return object;
}

namespace {

struct DescribeProgramPass
    : mm01::impl::DescribeProgramPassBase<DescribeProgramPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    int64_t elements = 0;
    json::Array entries, helpers, parameters, ignored;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      auto entry = describeEntry(function);
      if (failed(entry))
        return signalPassFailure();
      json::Array &list = function->hasAttr(kHelperAttr) ? helpers : entries;
      list.push_back(std::move(*entry));
    }
    if (entries.empty())
      return refuse("module has no public function, expected one or more "
                    "entries of the program");
    for (auto parameter : module.getOps<ParameterOp>()) {
      elements += parameter.getType().getNumElements();
      parameters.push_back(describeParameter(parameter));
    }
    for (Attribute pattern :
         getOr(kIgnoredTensorsAttr, ArrayAttr::get(&getContext(), {}))) {
      auto glob = dyn_cast<StringAttr>(pattern);
      if (!glob)
        return refuse("'mm01.ignored_tensors' must hold strings");
      ignored.push_back(glob.getValue());
    }
    json::Object manifest{
        {"abi", MM01_ABI_VERSION},
        {"compiler", MM01_VERSION},
        {"target", getText(exec::kTargetAttr, "cpu")},
        {"mode", "inference"},
        {"limits",
         json::Object{
             {"max_tokens", getNumber(kMaxTokensAttr, kMaxTokens)},
             {"max_sequences", getNumber(kMaxSequencesAttr, kMaxSequences)}}},
        {"parameter_count", getNumber(kParameterCountAttr, elements)},
        {"ignored_tensors", std::move(ignored)},
        {"entries", std::move(entries)},
        {"parameters", std::move(parameters)}};
    if (getText(exec::kTargetAttr, "cpu") != "cpu") {
      FailureOr<const Chip *> chip = chipOf(module);
      if (failed(chip))
        return signalPassFailure();
      manifest["chip"] = (*chip)->name;
    }
    if (!helpers.empty())
      manifest["helpers"] = std::move(helpers);
    if (auto model = module->getAttrOfType<StringAttr>(kModelAttr)) {
      auto parsed = json::parse(model.getValue());
      if (!parsed)
        return refuse("'mm01.model' is no JSON: " +
                      llvm::toString(parsed.takeError()));
      if (!parsed->getAsObject())
        return refuse("'mm01.model' is no JSON object");
      manifest["model"] = std::move(*parsed);
    }
    std::string text;
    llvm::raw_string_ostream(text) << json::Value(std::move(manifest));
    module->setAttr(exec::kManifestAttr, StringAttr::get(&getContext(), text));
  }

  void refuse(const Twine &message) {
    getOperation().emitError(message);
    signalPassFailure();
  }

  /// A module attribute of the kind of `otherwise`, or that.
  template <typename Attr> Attr getOr(StringRef name, Attr otherwise) {
    auto value = getOperation()->getAttrOfType<Attr>(name);
    return value ? value : otherwise;
  }

  StringRef getText(StringRef name, StringRef otherwise) {
    auto text = getOperation()->getAttrOfType<StringAttr>(name);
    return text ? text.getValue() : otherwise;
  }

  int64_t getNumber(StringRef name, int64_t otherwise) {
    auto number = getOperation()->getAttrOfType<IntegerAttr>(name);
    return number && number.getType().isSignlessInteger(64) ? number.getInt()
                                                            : otherwise;
  }
};

} // namespace
