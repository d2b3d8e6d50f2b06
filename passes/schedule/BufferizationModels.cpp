//===- BufferizationModels.cpp - how mm01 ops become buffer ops ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mm01.weight_part becomes exec.weight_part: a buffer that exists already and
// that nobody may write, because it is a file mapped for reading. A write makes
// bufferization copy it first. Tested by test/passes/schedule/bufferize.mlir.
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
struct WeightPartModel
    : BufferizableOpInterface::ExternalModel<WeightPartModel,
                                             mm01::WeightPartOp> {
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
    auto part = cast<mm01::WeightPartOp>(op);
    replaceOpWithNewBufferizedOp<mm01::exec::WeightPartOp>(
        rewriter, op, bufferType(op), part.getWeight(), part.getPart());
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
    WeightPartOp::attachInterface<WeightPartModel>(*context);
    context->loadDialect<exec::ExecDialect>();
  });
}
