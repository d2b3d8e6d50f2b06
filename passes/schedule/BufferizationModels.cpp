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
// bufferization copy them first. tile.program takes buffers instead of tensors.
// mm01.library_linear becomes exec.gemm_device. Tested by
// test/passes/programs/bufferize.mlir.
//
//===----------------------------------------------------------------------===//

#include "dialects/exec/ExecLibraryOps.h"
#include "dialects/mm01/Mm01LibraryOps.h"
#include "dialects/tile/TileDialect.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mm01;

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

/// %y = mm01.library_linear %x, %w into %out above 16
///   ==>
/// %b = exec.weight_part %w[0];  exec.gemm_device %x, %b, %out above 16
struct LibraryLinearModel
    : DstBufferizableOpInterfaceExternalModel<LibraryLinearModel,
                                              LibraryLinearOp> {
  /// With few rows `out` is what it was.
  bool bufferizesToMemoryRead(Operation *, OpOperand &operand,
                              const AnalysisState &) const {
    return isa<TensorType>(operand.get().getType());
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto linear = cast<LibraryLinearOp>(op);
    FailureOr<Value> x = getBuffer(rewriter, linear.getX(), options, state);
    FailureOr<Value> out = getBuffer(rewriter, linear.getOut(), options, state);
    if (failed(x) || failed(out))
      return failure();
    Location loc = op->getLoc();
    RankedTensorType part = linear.getWeight().getType().getPartType();
    Value first = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value weight = exec::WeightPartOp::create(
        rewriter, loc, MemRefType::get(part.getShape(), part.getElementType()),
        linear.getWeight(), first);
    exec::GemmDeviceOp::create(rewriter, loc, *x, weight, *out,
                               linear.getAboveAttr());
    replaceOpWithBufferizedValues(rewriter, op, *out);
    return success();
  }
};

/// %y = tile.program … outs(%x : tensor<…>) {…} -> tensor<…>
///   ==>
/// tile.program … outs(%x : memref<…>) {…}
///
/// Its outputs keep what it does not write, so they are read, too.
struct ProgramModel
    : DstBufferizableOpInterfaceExternalModel<ProgramModel,
                                              mm01::tile::ProgramOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto program = cast<mm01::tile::ProgramOp>(op);
    SmallVector<Value> ins, outs;
    for (auto [from, to] : {std::pair(ValueRange(program.getIns()), &ins),
                            std::pair(ValueRange(program.getOuts()), &outs)})
      for (Value value : from) {
        FailureOr<Value> buffer = value;
        if (isa<TensorType>(value.getType()))
          buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        to->push_back(*buffer);
      }
    auto made = mm01::tile::ProgramOp::create(
        rewriter, op->getLoc(), TypeRange(), program.getNameAttr(),
        program.getGridX(), program.getGridY(), program.getGridZ(), ins, outs,
        program.getClusterAttr(), program.getResidentAttr());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    made.getBody().takeBody(program.getBody());
    replaceOpWithBufferizedValues(rewriter, op, outs);
    return success();
  }
};

} // namespace
// NOLINTEND(bugprone-derived-method-shadowing-base-method)

void mm01::registerBufferizationModels(DialectRegistry &registry) {
  registry.insert<exec::ExecDialect>();
  registry.addExtension(+[](MLIRContext *context, tile::TileDialect *) {
    mm01::tile::ProgramOp::attachInterface<ProgramModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, Mm01Dialect *) {
    WeightPartOp::attachInterface<
        WeightModel<WeightPartOp, exec::WeightPartOp>>(*context);
    WeightScalesOp::attachInterface<
        WeightModel<WeightScalesOp, exec::WeightScalesOp>>(*context);
    LibraryLinearOp::attachInterface<LibraryLinearModel>(*context);
    context->loadDialect<exec::ExecDialect>();
  });
}
