//===- Models.h - the reference implementations, by dialect ---------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_MODELS_H
#define MM01_CODEGEN_REFERENCE_MODELS_H

#include "codegen/reference/Frame.h"

#include "mlir/IR/MLIRContext.h"

namespace mm01::reference {

// Each adds the external models of one group of ops to the registry, to be
// attached when their dialect is loaded.
void registerArithModels(mlir::DialectRegistry &registry);
void registerControlFlowModels(mlir::DialectRegistry &registry);
void registerLinalgModels(mlir::DialectRegistry &registry);
void registerMathModels(mlir::DialectRegistry &registry);
void registerMm01Models(mlir::DialectRegistry &registry);
void registerTensorModels(mlir::DialectRegistry &registry);

// The parts of registerMm01Models.
void attachMm01AttentionModels(mlir::MLIRContext &context);
void attachMm01DenseModels(mlir::MLIRContext &context);
void attachMm01ModelModels(mlir::MLIRContext &context);
void attachMm01MoeModels(mlir::MLIRContext &context);
void attachMm01SamplingModels(mlir::MLIRContext &context);

/// Makes `Evaluate(op, frame)` the reference implementation of an op: one
/// readable function an op.
template <typename OpTy, llvm::Error (*Evaluate)(OpTy, Frame &)>
struct Model
    : ReferenceOpInterface::ExternalModel<Model<OpTy, Evaluate>, OpTy> {
  llvm::Error evaluate(mlir::Operation *op, Frame &frame) const {
    return Evaluate(llvm::cast<OpTy>(op), frame);
  }
};

template <typename OpTy, llvm::Error (*Evaluate)(OpTy, Frame &)>
void attach(mlir::MLIRContext &context) {
  OpTy::template attachInterface<Model<OpTy, Evaluate>>(context);
}

/// The same for an op that works element by element.
template <typename OpTy, LaneFunction (*Lanes)(OpTy, const Options &)>
struct LaneModel
    : ReferenceOpInterface::ExternalModel<LaneModel<OpTy, Lanes>, OpTy> {
  LaneFunction getLaneFunction(mlir::Operation *op,
                               const Options &options) const {
    return Lanes(llvm::cast<OpTy>(op), options);
  }
};

template <typename OpTy, LaneFunction (*Lanes)(OpTy, const Options &)>
void attachLanes(mlir::MLIRContext &context) {
  OpTy::template attachInterface<LaneModel<OpTy, Lanes>>(context);
}

/// Lane functions from functions of one, two or three floats.
template <typename OpTy, auto Function>
LaneFunction unaryFloat(OpTy, const Options &) {
  return [](llvm::ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].f = Function(in[0][i].f);
    return llvm::Error::success();
  };
}

template <typename OpTy, auto Function>
LaneFunction binaryFloat(OpTy, const Options &) {
  return [](llvm::ArrayRef<const Scalar *> in, Scalar *out, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i)
      out[i].f = Function(in[0][i].f, in[1][i].f);
    return llvm::Error::success();
  };
}

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_MODELS_H
