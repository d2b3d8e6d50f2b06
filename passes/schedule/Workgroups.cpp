//===- Workgroups.cpp - numbers of workgroups and indices of loops --------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/Workgroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

Value mm01::countWorkgroups(OpBuilder &builder, Location loc,
                            ArrayRef<Value> extents) {
  Value count = extents.front();
  for (Value extent : extents.drop_front())
    count = arith::MulIOp::create(builder, loc, count, extent);
  return count;
}

SmallVector<Value> mm01::unpackWorkgroup(OpBuilder &builder, Location loc,
                                         Value workgroup,
                                         ArrayRef<Value> extents) {
  SmallVector<Value> indices(extents.size());
  for (size_t i = extents.size() - 1; i > 0; --i) {
    indices[i] = arith::RemUIOp::create(builder, loc, workgroup, extents[i]);
    workgroup = arith::DivUIOp::create(builder, loc, workgroup, extents[i]);
  }
  indices[0] = workgroup;
  return indices;
}
