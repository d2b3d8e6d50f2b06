//===- Growth.cpp - how an index moves with a loop ------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Growth.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

std::optional<int64_t> mm01::growth(Value value, scf::ForOp loop, Value fixed) {
  if (value == loop.getInductionVar())
    return 1;
  if (value == fixed || loop.isDefinedOutsideOfLoop(value))
    return 0;
  if (auto add = value.getDefiningOp<arith::AddIOp>()) {
    auto left = growth(add.getLhs(), loop, fixed);
    auto right = growth(add.getRhs(), loop, fixed);
    return left && right ? std::optional(*left + *right) : std::nullopt;
  }
  llvm::APInt factor;
  auto product = value.getDefiningOp<arith::MulIOp>();
  if (!product || !matchPattern(product.getRhs(), m_ConstantInt(&factor)))
    return std::nullopt;
  auto left = growth(product.getLhs(), loop, fixed);
  return left ? std::optional(*left * factor.getSExtValue()) : std::nullopt;
}
