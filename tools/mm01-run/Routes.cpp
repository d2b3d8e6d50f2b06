//===- Routes.cpp - recorded experts for mm01-run logits ------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/mm01-run/Routes.h"

#include "frontend/safetensors/File.h"

#include <cstring>
#include <set>

using namespace mm01;

Result<Routes> mm01::readRoutes(const std::string &path,
                                const std::string &program,
                                const Manifest &manifest,
                                const ForwardSpec &spec, int64_t tokens) {
  if (!spec.routes) {
    if (path.empty())
      return Routes();
    return Status::error(program,
                         ": chooses experts itself, expected one "
                         "compiled with --given-routes to replay ",
                         path);
  }
  if (path.empty())
    return Status::error(program, ": is told the experts of each token, "
                                  "expected --replay-routes FILE");
  const std::vector<int64_t> &shape =
      manifest.entries[spec.entry].arguments[*spec.routes].shape;
  Result<safetensors::File> file = safetensors::File::open(path);
  MM01_RETURN_IF_FAILED(file);
  const std::vector<int64_t> expected = {tokens, shape[2]};
  Routes routes;
  std::set<std::string> names;
  for (int64_t layer = 0; layer < shape[0]; ++layer) {
    std::string name = concat("route", layer);
    const safetensors::TensorInfo *tensor = file->find(name);
    if (!tensor)
      return Status::error(path, ": no tensor ", name,
                           ", expected one for each of ", shape[0], " layers");
    if (tensor->shape != expected ||
        tensor->type != safetensors::ElementType::I32)
      return Status::error(path, ": ", name, " has shape ",
                           safetensors::shapeText(tensor->shape), " and type ",
                           safetensors::dtypeName(tensor->type), ", expected ",
                           safetensors::shapeText(expected), " and I32");
    routes.emplace_back(tensor->elements());
    std::memcpy(routes.back().data(), tensor->data, tensor->bytes);
    names.insert(name);
  }
  for (const safetensors::TensorInfo &tensor : file->tensors())
    if (!names.contains(tensor.name))
      return Status::error(path, ": found tensor ", tensor.name,
                           ", expected route0 to route", shape[0] - 1,
                           " alone, one for each of ", shape[0], " layers");
  return routes;
}

std::vector<int32_t> mm01::sliceRoutes(const Routes &routes, size_t tokens,
                                       size_t first, size_t count) {
  std::vector<int32_t> slice;
  for (const std::vector<int32_t> &layer : routes) {
    size_t chosen = layer.size() / tokens;
    auto from = layer.begin() + static_cast<ptrdiff_t>(first * chosen);
    slice.insert(slice.end(), from,
                 from + static_cast<ptrdiff_t>(count * chosen));
  }
  return slice;
}
