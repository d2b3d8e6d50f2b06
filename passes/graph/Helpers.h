//===- Helpers.h - functions that the runtime calls -------------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_GRAPH_HELPERS_H
#define MM01_PASSES_GRAPH_HELPERS_H

#include "llvm/ADT/StringRef.h"

namespace mm01 {

/// On a public function that is no entry of the user's but one that the runtime
/// calls: the manifest lists it under `helpers`.
inline constexpr llvm::StringLiteral kHelperAttr = "mm01.helper";

/// "random_weights_bf16" is the helper that makes weights of bf16.
inline constexpr llvm::StringLiteral kRandomWeightsPrefix = "random_weights_";

/// "quantize_rows_bf16" is the helper that makes int8 weights of bf16 ones.
inline constexpr llvm::StringLiteral kQuantizeRowsPrefix = "quantize_rows_";

/// "sample_256" is the helper that chooses tokens of a vocabulary of 256.
inline constexpr llvm::StringLiteral kSamplingPrefix = "sample_";

/// The role of a result that is logits.
inline constexpr llvm::StringLiteral kLogitsRole = "logits";

} // namespace mm01

#endif // MM01_PASSES_GRAPH_HELPERS_H
