//===- Routes.cpp - which experts a run chose -----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/reference/Routes.h"

#include "codegen/reference/Widen.h"
#include "frontend/safetensors/File.h"
#include "frontend/safetensors/Writer.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace llvm;
using namespace mlir;
using mm01::safetensors::ElementType;
using mm01::safetensors::TensorInfo;

namespace mm01::reference {

static std::string nameOf(size_t route) {
  return "route" + std::to_string(route);
}

Expected<Routes> readRoutes(MLIRContext &context, const std::string &path) {
  Result<safetensors::File> file = safetensors::File::open(path);
  if (!file)
    return createStringError(Twine(file.message()));
  Routes routes;
  for (size_t i = 0; i < file->tensors().size(); ++i) {
    const TensorInfo *info = file->find(nameOf(i));
    if (!info || info->type != ElementType::I32 || info->shape.size() != 2)
      return createStringError(Twine(path) + ": expected a tensor '" +
                               nameOf(i) +
                               "' I32 [tokens, experts a token], "
                               "and no tensor but such");
    std::vector<int64_t> experts(info->elements());
    widen(info->data, info->type, 0, experts);
    routes.push_back(
        Tensor::integers(info->shape, IntegerType::get(&context, 32), experts));
  }
  return routes;
}

Error writeRoutes(const Routes &routes, const std::string &path) {
  safetensors::Writer writer;
  std::vector<std::vector<int32_t>> contents(routes.size());
  for (size_t i = 0; i < routes.size(); ++i) {
    const Tensor &route = routes[i];
    for (int64_t e = 0; e < route.elements(); ++e)
      contents[i].push_back(static_cast<int32_t>(route.data()[e].i));
    writer.add(nameOf(i), ElementType::I32, route.shape().vec(),
               contents[i].data());
  }
  Status status = writer.write(path);
  return status.ok() ? Error::success()
                     : createStringError(Twine(status.message()));
}

} // namespace mm01::reference
