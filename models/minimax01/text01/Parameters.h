//===- Parameters.h - the parameters of MiniMax-Text-01 -------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which parameters a model has, and which tensors of a checkpoint make them, in
// the released layout of keys and in that of Hugging Face v5.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_MODELS_MINIMAX01_TEXT01_PARAMETERS_H
#define MM01_MODELS_MINIMAX01_TEXT01_PARAMETERS_H

#include "frontend/config/ModelConfig.h"

#include <string>
#include <vector>

namespace mm01::text01 {

/// Where a checkpoint keeps a parameter; what #mm01.source says.
struct Source {
  std::string tensor;
  std::vector<int64_t> shape;
  int64_t firstRow = 0;
  int64_t rowStride = 0;

  bool isStack() const { return tensor.find("{}") != std::string::npos; }
  /// The name of the tensor that holds part i.
  std::string tensorOf(int64_t part) const;
};

struct Parameter {
  std::string name; // "layers.0.attention.qkv"
  std::vector<int64_t> shape;
  std::vector<Source> sources;
  /// Kept in float32 where no checkpoint says otherwise: routing is sensitive
  /// to rounding, and the release stores it so.
  bool router = false;

  int64_t parts() const { return shape.size() == 3 ? shape.front() : 1; }
};

/// The parameters of layer `layer`: the norm before attention, attention, the
/// norm before the experts, the router, and the experts.
std::vector<Parameter> layerParameters(const ModelConfig &config,
                                       int64_t layer);

/// Parameters of one layer of either kind.
inline constexpr int64_t parametersPerLayer = 10;

/// All parameters: embedding, layers in order, final norm, head. So the weights
/// of attention and the norm after it are a run of five, and those of the
/// experts and the norm after them too.
std::vector<Parameter> parameters(const ModelConfig &config);

/// Glob patterns of tensors that a checkpoint may hold besides: buffers that
/// are computed, and the head of a model that reuses its embedding.
std::vector<std::string> ignoredTensors(const ModelConfig &config);

} // namespace mm01::text01

#endif // MM01_MODELS_MINIMAX01_TEXT01_PARAMETERS_H
