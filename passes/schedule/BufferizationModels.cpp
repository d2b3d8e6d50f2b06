//===- BufferizationModels.cpp - how mm01 ops become buffer ops ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mm01.weight_part and mm01.weight_scales become exec.weight_part and
// exec.weight_scales: buffers that exist already and that nobody may write,
// because they are a file mapped for reading, or shared. A write makes
// bufferization copy them first. Tested by test/passes/schedule/bufferize.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::bufferization;

// An external model overrides by hiding.
// NOLINTBEGIN(bugprone-derived-method-shadowing-base-method)
namespace {

/// %t = mm01.weight_part %w[%e] : … -> tensor<96x64xbf16>
///   ==>
/// %b = exec.weight_part %w[%e] : … -> memref<96x64xbf16>
template <typename TensorOp, typename BufferOp>
struct WeightModel
    : BufferizableOpInterface::ExternalModel<WeightModel<TensorOp, BufferOp>,
                                             TensorOp> {
  bool isWritable(Operation *, Value, const AnalysisState &) const {
    return false;
  }

  FailureOr<BufferLikeType> getBufferType(Operation *op, Value,
                                          const BufferizationOptions &,
                                          const BufferizationState &,
                                          SmallVector<Value> &) const {
    return cast<BufferLikeType>(Type(bufferType(op)));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    auto read = cast<TensorOp>(op);
    replaceOpWithNewBufferizedOp<BufferOp>(rewriter, op, bufferType(op),
                                           read.getWeight(), read.getPart());
    return success();
  }

  static MemRefType bufferType(Operation *op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return MemRefType::get(type.getShape(), type.getElementType());
  }
};

} // namespace
// NOLINTEND(bugprone-derived-method-shadowing-base-method)

void mm01::registerBufferizationModels(DialectRegistry &registry) {
  registry.insert<exec::ExecDialect>();
  registry.addExtension(+[](MLIRContext *context, Mm01Dialect *) {
    WeightPartOp::attachInterface<
        WeightModel<WeightPartOp, exec::WeightPartOp>>(*context);
    WeightScalesOp::attachInterface<
        WeightModel<WeightScalesOp, exec::WeightScalesOp>>(*context);
    context->loadDialect<exec::ExecDialect>();
  });
}
