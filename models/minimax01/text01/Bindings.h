//===- Bindings.h - a checkpoint's tensors against the parameters ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_MODELS_MINIMAX01_TEXT01_BINDINGS_H
#define MM01_MODELS_MINIMAX01_TEXT01_BINDINGS_H

#include "frontend/safetensors/Checkpoint.h"
#include "models/minimax01/text01/Parameters.h"

namespace mm01::text01 {

/// The element type in which the checkpoint stores each parameter: f32, f16 or
/// bf16, one for all parts of a parameter. Takes the first source whose tensors
/// all exist, as the runtime does. Fails, naming file and tensor, if a tensor
/// is missing, has another shape or a type that no parameter has, or if a
/// tensor is left over that neither a source nor a pattern of `ignored` names.
Result<std::vector<safetensors::ElementType>>
bindParameters(const std::vector<Parameter> &parameters,
               const std::vector<std::string> &ignored,
               const safetensors::Checkpoint &checkpoint);

} // namespace mm01::text01

#endif // MM01_MODELS_MINIMAX01_TEXT01_BINDINGS_H
