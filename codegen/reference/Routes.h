//===- Routes.h - which experts a run chose -------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two runs that differ by rounding alone may send a token to other experts,
// where two logits of a router are nearly equal, and then differ by much. With
// the experts of one run recorded and replayed in the other, what is left is
// the rounding.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_ROUTES_H
#define MM01_CODEGEN_REFERENCE_ROUTES_H

#include "codegen/reference/InterpreterValue.h"

#include "llvm/Support/Error.h"

namespace mm01::reference {

/// The experts that each execution of mm01.route chose, in order: [T, k], i32.
using Routes = std::vector<Tensor>;

/// Reads or writes tensors route0, route1, … of a safetensors file, I32.
llvm::Expected<Routes> readRoutes(mlir::MLIRContext &context,
                                  const std::string &path);
llvm::Error writeRoutes(const Routes &routes, const std::string &path);

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_ROUTES_H
