//===- VectorizeRows.cpp - elementwise ops on short rows in vectors -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over a long row becomes vectors later on. One over a short row is
// unrolled before, and what then looks like a loop of vectors may be the one
// around it, whose elements lie rows apart. So a short row is written as the
// few vectors that it is:
//
// Before: linalg.generic ins(%x) outs(%y) {%r = arith.mulf %in, %s}
//           : memref<32xf32>, memref<32xf32>
// After:  %a = vector.load %x[0] : vector<16xf32>
//         %b = arith.mulf %a, %s, …
//         vector.store %b, %y[0]
//         … the same at 16
//
// Requires bufferized kernels. Tested by test/codegen/x86/vectorize-rows.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Isa.h"
#include "codegen/x86/Passes.h"
#include "codegen/x86/VectorBody.h"
#include "dialects/exec/ExecDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mm01 {
#define GEN_PASS_DEF_VECTORIZEROWSPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;

/// Lanes of the vectors that a row of `size` elements is, at most `most`; 0
/// where no vector divides it, or where it is long: where it and another row
/// leave few registers, of which there are 32 with vectors of 16 lanes,
/// else 16.
static int64_t lanesFor(int64_t size, int64_t most) {
  int64_t lanes = most;
  while (lanes >= 4 && size % lanes != 0)
    lanes /= 2;
  int64_t vectors = most == 16 ? 8 : 4;
  return lanes >= 4 && size / lanes <= vectors ? lanes : 0;
}

/// Writes loops over the rows of `op`'s result, and the vectors of a row.
static void write(linalg::LinalgOp op, int64_t lanes) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value out = op.getDpsInitOperand(0)->get();
  ArrayRef<int64_t> shape = cast<MemRefType>(out.getType()).getShape();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  SmallVector<Value> at;
  for (int64_t extent : shape.drop_back()) {
    auto loop = scf::ForOp::create(b, index(0), index(extent), index(1));
    b.setInsertionPointToStart(loop.getBody());
    at.push_back(loop.getInductionVar());
  }
  auto type = VectorType::get({lanes}, b.getF32Type());
  at.push_back({});
  for (int64_t column = 0; column < shape.back(); column += lanes) {
    at.back() = index(column);
    vector::StoreOp::create(b, mm01::computeVector(b, op, at, type), out, at);
  }
}

namespace {

struct VectorizeRowsPass
    : mm01::impl::VectorizeRowsPassBase<VectorizeRowsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!mm01::exec::isKernel(getOperation()))
      return;
    int64_t most =
        mm01::lanesOf(mm01::isaOf(getOperation()->getParentOfType<ModuleOp>()));
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (mm01::hasVectorBody(op))
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      Value out = op.getDpsInitOperand(0)->get();
      int64_t lanes =
          lanesFor(cast<MemRefType>(out.getType()).getShape().back(), most);
      if (lanes == 0)
        continue;
      write(op, lanes);
      op->erase();
    }
  }
};

} // namespace
