//===- RoleSlices.cpp - what a role of a program needs --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/RoleSlices.h"

#include "passes/tile/Passes.h"

using namespace mlir;
using namespace mm01;

void Slice::add(Operation *op) {
  if (!ops.insert(op).second)
    return;
  // Loops and branches are needed for their control; which of their values are,
  // is asked result by result.
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    need(loop.getLowerBound());
    need(loop.getUpperBound());
    need(loop.getStep());
  } else {
    for (Value operand : op->getOperands())
      need(operand);
    // Other operations with regions are taken whole, and what they capture.
    if (!isa<scf::IfOp>(op))
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
            need(operand);
      });
  }
  Operation *parent = op->getParentOp();
  if (isa<scf::ForOp, scf::IfOp>(parent))
    add(parent);
}

void Slice::need(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return;
    add(loop);
    if (argument != loop.getInductionVar())
      needResult(loop, argument.getArgNumber() - 1);
    return;
  }
  Operation *op = value.getDefiningOp();
  add(op);
  if (isa<scf::ForOp, scf::IfOp>(op))
    needResult(op, cast<OpResult>(value).getResultNumber());
}

void Slice::needResult(Operation *op, unsigned index) {
  if (!results.insert({op, index}).second)
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    need(loop.getInitArgs()[index]);
  for (Region &region : op->getRegions())
    if (!region.empty())
      need(region.front().getTerminator()->getOperand(index));
}

static StringAttr roleOf(Operation *op) {
  return op->getAttrOfType<StringAttr>(kTileRoleAttr);
}

llvm::SetVector<StringRef> mm01::allRoles(Operation *kernel) {
  llvm::SetVector<StringRef> roles;
  kernel->walk([&](Operation *op) {
    if (StringAttr role = roleOf(op))
      roles.insert(role.getValue());
  });
  return roles;
}

Slice mm01::sliceOf(Operation *kernel, StringRef role) {
  Slice slice;
  kernel->walk([&](Operation *op) {
    if (StringAttr own = roleOf(op); own && own.getValue() == role)
      slice.add(op);
  });
  return slice;
}

SmallVector<StringRef> mm01::rolesOf(Operation *op) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  SmallVector<StringRef> roles;
  for (StringRef role : allRoles(kernel))
    if (sliceOf(kernel, role).contains(op))
      roles.push_back(role);
  return roles;
}
