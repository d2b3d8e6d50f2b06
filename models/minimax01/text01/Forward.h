//===- Forward.h - the entry of an inference program ------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_MODELS_MINIMAX01_TEXT01_FORWARD_H
#define MM01_MODELS_MINIMAX01_TEXT01_FORWARD_H

#include "models/minimax01/text01/Layers.h"

namespace mm01::text01 {

/// Adds the public function `forward` of docs/contract.md and the layer
/// functions it calls. With `givenRoutes` it takes the experts of each token,
/// `routes` [layers, T, k] i32, and computes their shares alone. `parameters`
/// are the module's, in the order of text01::parameters(). Every layer is a
/// call, so that the number of functions does not grow with the number of
/// layers.
void buildForward(mlir::ModuleOp module, const ModelConfig &config,
                  mlir::Type activation, CacheTypes caches, bool givenRoutes,
                  llvm::ArrayRef<ParameterOp> parameters);

} // namespace mm01::text01

#endif // MM01_MODELS_MINIMAX01_TEXT01_FORWARD_H
