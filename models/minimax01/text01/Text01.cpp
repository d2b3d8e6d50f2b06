//===- Text01.cpp - MiniMax-Text-01 as a graph-phase module ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "models/minimax01/text01/Text01.h"

#include "models/minimax01/text01/Bindings.h"
#include "models/minimax01/text01/Forward.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mm01;
using namespace mm01::text01;
using mm01::safetensors::Checkpoint;
using mm01::safetensors::ElementType;

static Type mlirType(MLIRContext *context, ElementType type) {
  switch (type) {
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  default:
    return Float32Type::get(context);
  }
}

/// The caches that the model's layers need. The state is float32 whatever the
/// activations are: it would drift in a narrower type.
static CacheTypes cacheTypes(const ModelConfig &config, Type activation) {
  CacheTypes types;
  int64_t any = ShapedType::kDynamic, d = config.headDim;
  if (int64_t count = config.countLayers(LayerKind::Lightning))
    types.state =
        RankedTensorType::get({count, any, config.heads, d, d},
                              Float32Type::get(activation.getContext()));
  if (int64_t count = config.countLayers(LayerKind::Softmax))
    types.keys = types.values = RankedTensorType::get(
        {count, any, pageSize, config.kvHeads, d}, activation);
  return types;
}

/// The module's attributes (see kModelAttr).
static void describe(ModuleOp module, const ModelConfig &config,
                     const Text01Options &options,
                     const std::vector<std::string> &ignored) {
  Builder b(module.getContext());
  std::string model;
  llvm::raw_string_ostream(model) << llvm::json::Value(config.toJson());
  module->setAttr(kModelAttr, b.getStringAttr(model));
  module->setAttr(kParameterCountAttr,
                  b.getI64IntegerAttr(config.parameterCount()));
  module->setAttr(kMaxTokensAttr, b.getI64IntegerAttr(options.maxTokens));
  module->setAttr(kMaxSequencesAttr, b.getI64IntegerAttr(options.maxSequences));
  SmallVector<StringRef> patterns(ignored.begin(), ignored.end());
  module->setAttr(kIgnoredTensorsAttr, b.getStrArrayAttr(patterns));
}

static ParameterOp declare(OpBuilder &b, const Parameter &parameter,
                           ElementType element) {
  MLIRContext *context = b.getContext();
  SmallVector<Attribute> sources;
  for (const Source &source : parameter.sources)
    sources.push_back(SourceAttr::get(context, source.tensor, source.shape,
                                      source.firstRow, source.rowStride));
  auto type =
      WeightType::get(context, parameter.shape, mlirType(context, element));
  return ParameterOp::create(b, NameLoc::get(b.getStringAttr(parameter.name)),
                             b.getStringAttr(parameter.name),
                             TypeAttr::get(type), b.getArrayAttr(sources),
                             /*stored=*/TypeAttr());
}

/// Types of parameters that no checkpoint says.
static std::vector<ElementType> defaultTypes(const std::vector<Parameter> &list,
                                             ElementType storage) {
  std::vector<ElementType> types;
  for (const Parameter &parameter : list)
    types.push_back(parameter.router ? ElementType::F32 : storage);
  return types;
}

void text01::loadDialects(MLIRContext &context) {
  context.loadDialect<Mm01Dialect, arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect,
                      tensor::TensorDialect>();
}

Result<OwningOpRef<ModuleOp>>
text01::buildText01(MLIRContext &context, const ModelConfig &config,
                    const Checkpoint *checkpoint,
                    const Text01Options &options) {
  std::vector<Parameter> list = parameters(config);
  std::vector<std::string> ignored = ignoredTensors(config);
  std::vector<ElementType> types = defaultTypes(list, config.storageType);
  if (checkpoint) {
    auto bound = bindParameters(list, ignored, *checkpoint);
    MM01_RETURN_IF_FAILED(bound);
    types = *std::move(bound);
  }

  loadDialects(context);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(NameLoc::get(StringAttr::get(&context, "text01")));
  describe(*module, config, options, ignored);
  auto builder = OpBuilder::atBlockEnd(module->getBody());
  SmallVector<ParameterOp> declared;
  for (auto [parameter, type] : llvm::zip_equal(list, types))
    declared.push_back(declare(builder, parameter, type));
  Type activation = mlirType(&context, options.activation);
  buildForward(*module, config, activation, cacheTypes(config, activation),
               options.givenRoutes, declared);
  return module;
}
