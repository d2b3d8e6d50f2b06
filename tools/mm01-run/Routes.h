//===- Routes.h - recorded experts for mm01-run logits ----------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_TOOLS_MM01_RUN_ROUTES_H
#define MM01_TOOLS_MM01_RUN_ROUTES_H

#include "runtime/core/Manifest.h"
#include "runtime/session/Forward.h"

namespace mm01 {

/// The experts that a run chose: of each layer [tokens, k].
using Routes = std::vector<std::vector<int32_t>>;

/// Reads tensors route0, route1, … [tokens, k] I32 of a safetensors file, as
/// mm01-interpret --record-routes writes it: one for each layer of the program.
/// An empty path is for a program that chooses itself; fails where the program
/// and the path do not fit.
Result<Routes> readRoutes(const std::string &path, const std::string &program,
                          const Manifest &manifest, const ForwardSpec &spec,
                          int64_t tokens);

/// Those of tokens [first, first + count): [layers, count, k].
std::vector<int32_t> sliceRoutes(const Routes &routes, size_t tokens,
                                 size_t first, size_t count);

} // namespace mm01

#endif // MM01_TOOLS_MM01_RUN_ROUTES_H
