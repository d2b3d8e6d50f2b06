//===- BlockReduction.cpp - one value from all threads of a block ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/BlockReduction.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mm01;

static bool isAssociative(Operation *op) {
  if (auto sum = dyn_cast<arith::ArithFastMathInterface>(op);
      sum && isa<arith::AddFOp, arith::MulFOp>(op))
    return arith::bitEnumContainsAll(sum.getFastMathFlagsAttr().getValue(),
                                     arith::FastMathFlags::reassoc);
  return isa<arith::AddIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp,
             arith::XOrIOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
             arith::MinUIOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp>(op);
}

std::optional<Combiner> Combiner::match(ArrayRef<BlockArgument> carried,
                                        unsigned index) {
  SmallVector<Operation *> ops;
  Type type = carried[index].getType();
  if (!isa<FloatType, IntegerType>(type) ||
      !llvm::is_contained({32u, 64u}, type.getIntOrFloatBitWidth()) ||
      !matchReduction(carried, index, ops) || ops.size() != 1 ||
      !isAssociative(ops.front()))
    return std::nullopt;
  std::optional<TypedAttr> neutral = arith::getNeutralElement(ops.front());
  if (!neutral)
    return std::nullopt;
  return Combiner{ops.front(), *neutral};
}

Value Combiner::combine(OpBuilder &builder, Value a, Value b) const {
  Operation *clone = op->cloneWithoutRegions();
  clone->setOperands({a, b});
  builder.insert(clone);
  return clone->getResult(0);
}

Value mm01::reduceWarp(ImplicitLocOpBuilder &b, const Combiner &combiner,
                       Value value) {
  for (int32_t offset = kWarpThreads / 2; offset > 0; offset /= 2) {
    auto other = gpu::ShuffleOp::create(b, value, offset, kWarpThreads,
                                        gpu::ShuffleMode::XOR);
    value = combiner.combine(b, value, other.getShuffleResult());
  }
  return value;
}

Value mm01::reduceBlock(ImplicitLocOpBuilder &b, const Combiner &combiner,
                        Value value, Value thread, Value slots) {
  auto index = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, number);
  };
  value = reduceWarp(b, combiner, value);
  Value warp = arith::DivUIOp::create(b, thread, index(kWarpThreads));
  Value lane = arith::RemUIOp::create(b, thread, index(kWarpThreads));
  Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, index(0));
  // The slots may still be read for the reduction before.
  gpu::BarrierOp::create(b);
  scf::IfOp::create(b, first, [&](OpBuilder &nested, Location loc) {
    memref::StoreOp::create(nested, loc, value, slots, warp);
    scf::YieldOp::create(nested, loc);
  });
  gpu::BarrierOp::create(b);
  Value all = memref::LoadOp::create(b, slots, index(0));
  for (int64_t i = 1; i < kBlockThreads / kWarpThreads; ++i)
    all = combiner.combine(b, all, memref::LoadOp::create(b, slots, index(i)));
  return all;
}
