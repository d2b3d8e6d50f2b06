//===- Bindings.cpp - a checkpoint's tensors against the parameters -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "models/minimax01/text01/Bindings.h"

#include <algorithm>
#include <set>

using namespace mm01;
using namespace mm01::text01;
using mm01::safetensors::Checkpoint;
using mm01::safetensors::ElementType;
using mm01::safetensors::shapeText;
using mm01::safetensors::TensorInfo;

/// Whether the name matches a pattern in which only `*` is special.
static bool matches(std::string_view pattern, std::string_view name) {
  size_t star = pattern.find('*');
  if (star == std::string_view::npos)
    return pattern == name;
  if (!name.starts_with(pattern.substr(0, star)))
    return false;
  for (size_t skip = star; skip <= name.size(); ++skip)
    if (matches(pattern.substr(star + 1), name.substr(skip)))
      return true;
  return false;
}

/// How many tensors of the checkpoint a source reads.
static int64_t tensorsOf(const Parameter &parameter, const Source &source) {
  return source.isStack() ? parameter.parts() : 1;
}

static bool isBound(const Parameter &parameter, const Source &source,
                    const Checkpoint &checkpoint) {
  for (int64_t part = 0; part < tensorsOf(parameter, source); ++part)
    if (!checkpoint.find(source.tensorOf(part)))
      return false;
  return true;
}

/// The line for a parameter of which no source is complete. Names the first
/// tensor that is missing in the layout of which most tensors are there.
static Status missing(const Parameter &parameter,
                      const Checkpoint &checkpoint) {
  std::string name;
  const Source *nearest = nullptr;
  int64_t most = -1;
  for (const Source &source : parameter.sources) {
    int64_t found = 0;
    std::string first;
    for (int64_t part = 0; part < tensorsOf(parameter, source); ++part) {
      if (checkpoint.find(source.tensorOf(part)))
        ++found;
      else if (first.empty())
        first = source.tensorOf(part);
    }
    if (found > most) {
      most = found;
      name = first;
      nearest = &source;
    }
  }
  return Status::error(checkpoint.path(), ": no tensor '", name,
                       "', expected one of shape ", shapeText(nearest->shape));
}

static bool isParameterType(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F16 ||
         type == ElementType::BF16;
}

/// Checks the tensors of a source that are all there, and gives their type.
static Result<ElementType> check(const Parameter &parameter,
                                 const Source &source,
                                 const Checkpoint &checkpoint) {
  const TensorInfo *first = checkpoint.find(source.tensorOf(0));
  for (int64_t part = 0; part < tensorsOf(parameter, source); ++part) {
    const TensorInfo *tensor = checkpoint.find(source.tensorOf(part));
    if (tensor->shape != source.shape)
      return Status::error(tensor->file, ": tensor '", tensor->name,
                           "' has shape ", shapeText(tensor->shape),
                           ", expected ", shapeText(source.shape));
    if (!isParameterType(tensor->type))
      return Status::error(tensor->file, ": tensor '", tensor->name,
                           "' has type ", dtypeName(tensor->type),
                           ", expected F32, F16 or BF16");
    if (tensor->type != first->type)
      return Status::error(tensor->file, ": tensor '", tensor->name,
                           "' has type ", dtypeName(tensor->type),
                           ", expected ", dtypeName(first->type), " as '",
                           first->name, "' has");
  }
  return first->type;
}

Result<std::vector<ElementType>>
text01::bindParameters(const std::vector<Parameter> &parameters,
                       const std::vector<std::string> &ignored,
                       const Checkpoint &checkpoint) {
  std::set<std::string, std::less<>> used;
  std::vector<ElementType> types;
  for (const Parameter &parameter : parameters) {
    auto source = std::find_if(
        parameter.sources.begin(), parameter.sources.end(),
        [&](const Source &s) { return isBound(parameter, s, checkpoint); });
    if (source == parameter.sources.end())
      return missing(parameter, checkpoint);
    Result<ElementType> type = check(parameter, *source, checkpoint);
    MM01_RETURN_IF_FAILED(type);
    types.push_back(*type);
    for (int64_t part = 0; part < tensorsOf(parameter, *source); ++part)
      used.insert(source->tensorOf(part));
  }
  for (const TensorInfo *tensor : checkpoint.tensors())
    if (!used.contains(tensor->name) &&
        std::none_of(ignored.begin(), ignored.end(),
                     [&](const std::string &pattern) {
                       return matches(pattern, tensor->name);
                     }))
      return Status::error(tensor->file, ": tensor '", tensor->name,
                           "' belongs to no parameter of the model, expected "
                           "only tensors that the configuration calls for");
  return types;
}
