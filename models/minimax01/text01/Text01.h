//===- Text01.h - MiniMax-Text-01 as a graph-phase module -------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_MODELS_MINIMAX01_TEXT01_TEXT01_H
#define MM01_MODELS_MINIMAX01_TEXT01_TEXT01_H

#include "frontend/config/ModelConfig.h"
#include "frontend/safetensors/Checkpoint.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mm01::text01 {

struct Text01Options {
  /// Of hidden states, keys and values: F32 for target cpu, BF16 for sm_90a.
  safetensors::ElementType activation = safetensors::ElementType::F32;
  /// Whether the caller chooses the experts of each token (see Forward.h).
  bool givenRoutes = false;
  int64_t maxTokens = 8192;   // T of a call, at most
  int64_t maxSequences = 256; // N of a call, at most
};

/// Positions that one page of keys and values holds.
inline constexpr int64_t pageSize = 64;

/// Loads the dialects that a built module uses.
void loadDialects(mlir::MLIRContext &context);

/// Builds the inference program of a model: the public function
///
///   forward(tokens [T], ragged, logit_rows [R], [routes], caches…,
///   parameters…)
///     -> (logits [R, vocab], caches…)
///
/// of docs/contract.md, one private function for each kind of layer half, and
/// the parameters with their sources. The element types of the parameters are
/// those of the checkpoint if there is one; else the model's storage type, and
/// float32 for routers. Fails where the checkpoint does not fit the model.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
buildText01(mlir::MLIRContext &context, const ModelConfig &config,
            const safetensors::Checkpoint *checkpoint,
            const Text01Options &options);

} // namespace mm01::text01

#endif // MM01_MODELS_MINIMAX01_TEXT01_TEXT01_H
