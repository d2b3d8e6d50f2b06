//===- Mm01Collectives.h - effects and order of collectives -----*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the generated classes of the collective ops need: included by
// Mm01Dialect.h, never alone.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_MM01_MM01COLLECTIVES_H
#define MM01_DIALECTS_MM01_MM01COLLECTIVES_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mm01 {

/// What collectives read and write. Their tensors are values: nothing that only
/// touches memory needs to keep its place relative to them.
struct CommunicatorResource
    : mlir::SideEffects::Resource::Base<CommunicatorResource> {
  llvm::StringRef getName() final { return "Communicator"; }
};

/// True for the types whose values are used exactly once, in the block that
/// makes them: `!mm01.token` and `!mm01.pending`.
bool isUsedOnceType(mlir::Type type);

/// Fails, with an error at `op`, unless the uses of `value` are as its type
/// demands.
mlir::LogicalResult verifyUsedOnce(mlir::Operation *op, mlir::Value value);

/// The trait of ops that make or take such values. It checks their results, and
/// those operands that other ops or functions make.
template <typename ConcreteOp>
class VerifyUsedOnce
    : public mlir::OpTrait::TraitBase<ConcreteOp, VerifyUsedOnce> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    for (mlir::Value result : op->getResults())
      if (failed(verifyUsedOnce(op, result)))
        return mlir::failure();
    for (mlir::Value operand : op->getOperands()) {
      mlir::Operation *maker = operand.getDefiningOp();
      if ((!maker || !maker->hasTrait<VerifyUsedOnce>()) &&
          failed(verifyUsedOnce(op, operand)))
        return mlir::failure();
    }
    return mlir::success();
  }
};

} // namespace mm01

#endif // MM01_DIALECTS_MM01_MM01COLLECTIVES_H
