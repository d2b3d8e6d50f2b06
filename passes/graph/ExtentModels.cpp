//===- ExtentModels.cpp - what ops say of extents -------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The extents of each op's description (dialects/mm01/Mm01*Ops.td), read as
// equations. Destinations need not be tied to results here.
//
// Test: test/passes/graph/relate-extents.mlir
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01LibraryOps.h"
#include "dialects/mm01/Mm01SamplingOps.h"
#include "passes/graph/ExtentRelations.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mm01;

namespace {

/// The extents of a weight's part or stack.
ArrayRef<int64_t> shapeOf(Value weight) {
  return cast<WeightType>(weight.getType()).getShape();
}

/// An op's equations as a function, made a model of the interface.
template <typename Model, typename Op>
struct ModelOf : ExtentOpInterface::ExternalModel<Model, Op> {
  void relateExtents(Operation *op, ExtentRelations &relations) const {
    Model::relate(cast<Op>(op), relations);
  }
};

//===----------------------------------------------------------------------===//
// mm01
//===----------------------------------------------------------------------===//

struct Embedding : ModelOf<Embedding, EmbeddingOp> {
  static void relate(EmbeddingOp op, ExtentRelations &relations) {
    relations.equate(op.getTokens(), 0, op.getOut(), 0);
    relations.equate(op.getOut(), 1, shapeOf(op.getTable())[1]);
  }
};

struct RmsNorm : ModelOf<RmsNorm, RmsNormOp> {
  static void relate(RmsNormOp op, ExtentRelations &relations) {
    relations.equateAll(op.getX(), op.getOut());
    relations.equate(op.getX(), 1, shapeOf(op.getWeight())[0]);
  }
};

template <typename Op> struct Linear : ModelOf<Linear<Op>, Op> {
  static void relate(Op op, ExtentRelations &relations) {
    relations.equate(op.getX(), 0, op.getOut(), 0);
    relations.equate(op.getOut(), 1, shapeOf(op.getWeight())[0]);
    relations.equate(op.getX(), 1, shapeOf(op.getWeight())[1]);
  }
};

struct Head : ModelOf<Head, HeadOp> {
  static void relate(HeadOp op, ExtentRelations &relations) {
    relations.equate(op.getRows(), 0, op.getOut(), 0);
    relations.equate(op.getOut(), 1, shapeOf(op.getWeight())[0]);
    relations.equate(op.getX(), 1, shapeOf(op.getWeight())[1]);
  }
};

struct Rotary : ModelOf<Rotary, RotaryOp> {
  static void relate(RotaryOp op, ExtentRelations &relations) {
    relations.equateAll(op.getX(), op.getOut());
    relations.equate(op.getX(), 0, op.getRagged(), RaggedExtent::tokens);
  }
};

struct LightningAttention : ModelOf<LightningAttention, LightningAttentionOp> {
  static void relate(LightningAttentionOp op, ExtentRelations &relations) {
    for (Value same : {op.getK(), op.getV(), op.getOut()})
      relations.equateAll(op.getQ(), same);
    relations.equate(op.getQ(), 0, op.getRagged(), RaggedExtent::tokens);
    relations.equate(op.getQ(), 1, op.getSlopes(), 0);
    relations.equate(op.getQ(), 1, op.getState(), 2);
    relations.equate(op.getQ(), 2, op.getState(), 3);
    relations.equate(op.getQ(), 2, op.getState(), 4);
  }
};

struct CacheUpdate : ModelOf<CacheUpdate, CacheUpdateOp> {
  static void relate(CacheUpdateOp op, ExtentRelations &relations) {
    relations.equateAll(op.getK(), op.getV());
    relations.equateAll(op.getKeys(), op.getValues());
    relations.equate(op.getK(), 0, op.getRagged(), RaggedExtent::tokens);
    relations.equate(op.getK(), 1, op.getKeys(), 3);
    relations.equate(op.getK(), 2, op.getKeys(), 4);
  }
};

struct SoftmaxAttention : ModelOf<SoftmaxAttention, SoftmaxAttentionOp> {
  static void relate(SoftmaxAttentionOp op, ExtentRelations &relations) {
    relations.equateAll(op.getQ(), op.getOut());
    relations.equateAll(op.getKeys(), op.getValues());
    relations.equate(op.getQ(), 0, op.getRagged(), RaggedExtent::tokens);
    relations.equate(op.getQ(), 2, op.getKeys(), 4);
  }
};

struct Route : ModelOf<Route, RouteOp> {
  static void relate(RouteOp op, ExtentRelations &relations) {
    relations.equate(op.getLogits(), 0, op.getWeights(), 0);
    relations.equateAll(op.getWeights(), op.getExperts());
  }
};

struct Sample : ModelOf<Sample, SampleOp> {
  static void relate(SampleOp op, ExtentRelations &relations) {
    for (Value vector : {op.getDraws(), op.getTokens(), op.getProblems()})
      relations.equate(op.getLogits(), 0, vector, 0);
  }
};

struct Dispatch : ModelOf<Dispatch, DispatchOp> {
  static void relate(DispatchOp op, ExtentRelations &relations) {
    relations.equate(op.getX(), 0, op.getExperts(), 0);
    relations.equate(op.getX(), 1, op.getRows(), 1);
    relations.equateAll(op.getExperts(), op.getPositions());
  }
};

struct GroupedLinear : ModelOf<GroupedLinear, GroupedLinearOp> {
  static void relate(GroupedLinearOp op, ExtentRelations &relations) {
    relations.equate(op.getRows(), 0, op.getOut(), 0);
    relations.equate(op.getOffsets(), 0, shapeOf(op.getWeight())[0] + 1);
    relations.equate(op.getOut(), 1, shapeOf(op.getWeight())[1]);
    relations.equate(op.getRows(), 1, shapeOf(op.getWeight())[2]);
  }
};

struct Combine : ModelOf<Combine, CombineOp> {
  static void relate(CombineOp op, ExtentRelations &relations) {
    relations.equateAll(op.getPositions(), op.getWeights());
    relations.equate(op.getPositions(), 0, op.getOut(), 0);
    relations.equate(op.getRows(), 1, op.getOut(), 1);
  }
};

struct RaggedSize : ModelOf<RaggedSize, RaggedSizeOp> {
  static void relate(RaggedSizeOp op, ExtentRelations &relations) {
    relations.equate(op.getResult(), 0, op.getRagged(), op.getExtent());
  }
};

//===----------------------------------------------------------------------===//
// tensor
//===----------------------------------------------------------------------===//

struct Dim : ModelOf<Dim, tensor::DimOp> {
  static void relate(tensor::DimOp op, ExtentRelations &relations) {
    std::optional<int64_t> dimension = op.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (type && dimension && *dimension >= 0 && *dimension < type.getRank())
      relations.equate(op.getResult(), 0, op.getSource(), *dimension);
  }
};

struct Empty : ModelOf<Empty, tensor::EmptyOp> {
  static void relate(tensor::EmptyOp op, ExtentRelations &relations) {
    auto sizes = op.getDynamicSizes().begin();
    for (int64_t extent = 0; extent < op.getType().getRank(); ++extent)
      if (op.getType().isDynamicDim(extent))
        relations.equate(op.getResult(), extent, *sizes++, 0);
  }
};

struct ExtractSlice : ModelOf<ExtractSlice, tensor::ExtractSliceOp> {
  static void relate(tensor::ExtractSliceOp op, ExtentRelations &relations) {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    int64_t kept = 0;
    for (auto [i, size] : llvm::enumerate(op.getMixedSizes())) {
      if (dropped[i])
        continue;
      if (auto value = dyn_cast<Value>(size))
        relations.equate(op.getResult(), kept, value, 0);
      ++kept;
    }
  }
};

/// A cast that is wrong about an extent is no valid execution.
struct Cast : ModelOf<Cast, tensor::CastOp> {
  static void relate(tensor::CastOp op, ExtentRelations &relations) {
    relations.equateAll(op.getSource(), op.getResult());
  }
};

/// Dimensions that are neither split nor joined.
void relateReshape(Value narrow, Value wide,
                   ArrayRef<ReassociationIndices> groups,
                   ExtentRelations &relations) {
  for (auto [extent, group] : llvm::enumerate(groups))
    if (group.size() == 1)
      relations.equate(narrow, extent, wide, group.front());
}

struct ExpandShape : ModelOf<ExpandShape, tensor::ExpandShapeOp> {
  static void relate(tensor::ExpandShapeOp op, ExtentRelations &relations) {
    relateReshape(op.getSrc(), op.getResult(), op.getReassociationIndices(),
                  relations);
  }
};

struct CollapseShape : ModelOf<CollapseShape, tensor::CollapseShapeOp> {
  static void relate(tensor::CollapseShapeOp op, ExtentRelations &relations) {
    relateReshape(op.getResult(), op.getSrc(), op.getReassociationIndices(),
                  relations);
  }
};

} // namespace

void mm01::registerExtentModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, Mm01Dialect *) {
    EmbeddingOp::attachInterface<Embedding>(*context);
    RmsNormOp::attachInterface<RmsNorm>(*context);
    LinearOp::attachInterface<Linear<LinearOp>>(*context);
    LibraryLinearOp::attachInterface<Linear<LibraryLinearOp>>(*context);
    HeadOp::attachInterface<Head>(*context);
    RotaryOp::attachInterface<Rotary>(*context);
    LightningAttentionOp::attachInterface<LightningAttention>(*context);
    CacheUpdateOp::attachInterface<CacheUpdate>(*context);
    SoftmaxAttentionOp::attachInterface<SoftmaxAttention>(*context);
    RouteOp::attachInterface<Route>(*context);
    DispatchOp::attachInterface<Dispatch>(*context);
    GroupedLinearOp::attachInterface<GroupedLinear>(*context);
    CombineOp::attachInterface<Combine>(*context);
    RaggedSizeOp::attachInterface<RaggedSize>(*context);
    SampleOp::attachInterface<Sample>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::DimOp::attachInterface<Dim>(*context);
    tensor::EmptyOp::attachInterface<Empty>(*context);
    tensor::ExtractSliceOp::attachInterface<ExtractSlice>(*context);
    tensor::CastOp::attachInterface<Cast>(*context);
    tensor::ExpandShapeOp::attachInterface<ExpandShape>(*context);
    tensor::CollapseShapeOp::attachInterface<CollapseShape>(*context);
  });
}
