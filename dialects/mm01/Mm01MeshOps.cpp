//===- Mm01MeshOps.cpp - meshes, process groups and tokens ------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mm01/Mm01OpSupport.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mm01;

//===----------------------------------------------------------------------===//
// Meshes and groups
//===----------------------------------------------------------------------===//

int64_t MeshOp::getSize() {
  int64_t size = 1;
  for (int64_t extent : getExtents())
    size *= extent;
  return size;
}

LogicalResult MeshOp::verify() {
  llvm::SmallPtrSet<Attribute, 8> names(getAxes().begin(), getAxes().end());
  ArrayRef<int64_t> extents = getExtents();
  if (failed(require(*this,
                     !names.empty() && names.size() == getAxes().size() &&
                         extents.size() == names.size(),
                     "C1",
                     "expected at least one axis, each with a name of its own "
                     "and an extent")))
    return failure();
  int64_t ranks = 1;
  bool fits = llvm::all_of(extents, [&](int64_t extent) {
    return extent > 0 && !llvm::MulOverflow(ranks, extent, ranks) &&
           ranks <= std::numeric_limits<int32_t>::max();
  });
  if (failed(require(*this, fits, "C2",
                     "extents must be positive and their product less than "
                     "2^31")))
    return failure();
  if (Region *region = (*this)->getParentRegion())
    for (MeshOp other : region->getOps<MeshOp>()) {
      if (other == *this)
        break; // It compares itself with this one.
      if (failed(require(*this, other.getSize() == ranks, "C3",
                         "expected as many ranks as mesh " +
                             other.getSymName() + " has, " +
                             Twine(other.getSize()) + ", found " +
                             Twine(ranks))))
        return failure();
    }
  return success();
}

LogicalResult ProcessGroupOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto mesh = symbols.lookupNearestSymbolFrom<MeshOp>(*this, getMeshAttr());
  if (failed(require(*this, bool(mesh), "C1",
                     "no mm01.mesh is named @" + getMesh())))
    return failure();
  // In the mesh's order: each is found after the one before.
  auto next = mesh.getAxes().begin();
  bool ordered = !getAxes().empty();
  for (Attribute axis : getAxes()) {
    next = std::find(next, mesh.getAxes().end(), axis);
    if (next == mesh.getAxes().end()) {
      ordered = false;
      break;
    }
    ++next;
  }
  return require(*this, ordered, "C2",
                 "expected axes of mesh @" + getMesh() + ", in its order");
}

int64_t ProcessGroupOp::getSize() {
  auto mesh =
      SymbolTable::lookupNearestSymbolFrom<MeshOp>(*this, getMeshAttr());
  if (!mesh)
    return 0;
  int64_t size = 1;
  for (Attribute axis : getAxes()) {
    auto found = llvm::find(mesh.getAxes(), axis);
    if (found == mesh.getAxes().end())
      return 0;
    size *= mesh.getExtents()[found - mesh.getAxes().begin()];
  }
  return size;
}

FailureOr<ProcessGroupOp> mm01::lookUpGroup(Operation *op,
                                            FlatSymbolRefAttr name,
                                            SymbolTableCollection &symbols) {
  auto group = symbols.lookupNearestSymbolFrom<ProcessGroupOp>(op, name);
  if (failed(require(op, bool(group), "C1",
                     "no mm01.process_group is named @" + name.getValue())))
    return failure();
  return group;
}

LogicalResult RankOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(succeeded(lookUpGroup(*this, getGroupAttr(), symbols)));
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

bool mm01::isUsedOnceType(Type type) {
  return isa<TokenType, PendingType>(type);
}

LogicalResult mm01::verifyUsedOnce(Operation *op, Value value) {
  if (!isUsedOnceType(value.getType()))
    return success();
  if (!value.hasOneUse())
    return op->emitOpError("a value of type ")
           << value.getType() << " is used exactly once, found "
           << std::distance(value.use_begin(), value.use_end()) << " uses";
  if ((*value.user_begin())->getBlock() != value.getParentBlock())
    return op->emitOpError("a value of type ")
           << value.getType()
           << " is used in the block that makes it, found a use in another";
  return success();
}

LogicalResult TokenStartOp::verifySymbolUses(SymbolTableCollection &symbols) {
  TokenType type = getType();
  if (failed(lookUpGroup(*this, type.getGroup(), symbols)))
    return failure();
  auto function = (*this)->getParentOfType<FunctionOpInterface>();
  if (!function)
    return success();
  bool only = !llvm::is_contained(function.getArgumentTypes(), type);
  function->walk([&](TokenStartOp other) {
    only &= other == *this || other.getType() != type;
  });
  return require(*this, only, "C2",
                 "the function has another chain of tokens of @" +
                     type.getGroup().getValue());
}
