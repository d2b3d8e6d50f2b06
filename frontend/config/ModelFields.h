//===- ModelFields.h - fields that take more than one key -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_FRONTEND_CONFIG_MODELFIELDS_H
#define MM01_FRONTEND_CONFIG_MODELFIELDS_H

#include "frontend/config/FieldReader.h"
#include "frontend/config/ModelConfig.h"

namespace mm01 {

// Failures are kept by the reader.

/// From model_type and architectures, which must agree if both are there.
ConfigLayout readLayout(FieldReader &reader);

/// From num_hidden_layers with attn_type_list or layer_types.
std::vector<LayerKind> readLayers(FieldReader &reader);

/// rotary_dim, or head_dim times partial_rotary_factor. A missing one does not
/// mean the whole head: the released checkpoint rotates half of it.
int64_t readRotaryDim(FieldReader &reader, int64_t headDim);

/// Refuses every kind of position scaling: only the plain one is computed.
void checkRope(FieldReader &reader);

} // namespace mm01

#endif // MM01_FRONTEND_CONFIG_MODELFIELDS_H
