//===- VectorizeSums.cpp - many sums over a row in vectors ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dot products of several rows with the rows of a weight compute for as long as
// the weight takes to come from memory, and the processor looks too little
// ahead to do both at a time. A loop that asks for memory is none that LLVM
// turns into vectors, so it is written in vectors, and asks for what is needed
// some kilobytes later:
//
// Before: scf.for %n … {
//           %sums:8 = scf.for %k = 0 to 768 iter_args(%s = 0, …) {
//             %w = memref.load %weight[%n, %k] : bf16
//             %x = memref.load %rows[%r, %k] : f32
//             … %s + %x * %w …
// After:  scf.for %n … {
//           %vectors:8 = scf.for %k = 0 to 768 step 32 iter_args(%s = zeros, …)
//           {
//             memref.prefetch %weight[%n + 2, %k + 512], or behind its row
//             the body for vectors from %k and %k + 16 on
//           }
//           %sums = vector.reduction <add>, %vectors
//
// A step is a cache line of the narrowest memory that the loop loads, or one
// vector where lines do not divide the row.
//
// Requires bufferized kernels. Tested by test/codegen/x86/vectorize-sums.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/x86/Growth.h"
#include "codegen/x86/Isa.h"
#include "codegen/x86/Passes.h"
#include "codegen/x86/VectorBody.h"
#include "dialects/exec/ExecDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

#include <optional>

namespace mm01 {
#define GEN_PASS_DEF_VECTORIZESUMSPASS
#include "codegen/x86/Passes.h.inc"
} // namespace mm01

using namespace mlir;

/// With fewer sums the processor looks far enough ahead on its own.
static constexpr size_t kSums = 8;
static constexpr int64_t kCacheLine = 64;
/// By how many bytes memory is asked for before its use.
static constexpr int64_t kAhead = 4096;
/// To the first cache.
static constexpr unsigned kLocality = 3;

/// Numbers of which vectors are loaded and made float32 by instructions that
/// every level of x86 has.
static bool isElement(Type type) {
  return type.isF32() || type.isBF16() || type.isInteger(8);
}

/// Whether `load` takes the element at the loop's variable of a row.
static bool isAlongRow(memref::LoadOp load, scf::ForOp loop) {
  MemRefType type = load.getMemRefType();
  return isElement(type.getElementType()) &&
         type.areTrailingDimsContiguous(1) &&
         loop.isDefinedOutsideOfLoop(load.getMemRef()) &&
         load.getIndices().back() == loop.getInductionVar() &&
         llvm::all_of(load.getIndices().drop_back(), [&](Value index) {
           return loop.isDefinedOutsideOfLoop(index);
         });
}

/// Whether the loop adds terms made of elements of rows to sums, and no more.
static bool isSums(scf::ForOp loop) {
  size_t sums = loop.getInitArgs().size();
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  if (sums < kSums || getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1)
    return false;
  for (auto [init, sum, next] : llvm::zip_equal(
           loop.getInitArgs(), loop.getRegionIterArgs(), yield.getOperands())) {
    auto add = next.getDefiningOp<arith::AddFOp>();
    if (!matchPattern(init, m_AnyZeroFloat()) || !sum.getType().isF32() ||
        !sum.hasOneUse() || !next.hasOneUse() || !add ||
        *sum.user_begin() != add)
      return false;
  }
  return llvm::all_of(loop.getBody()->without_terminator(), [&](Operation &op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return isAlongRow(load, loop);
    return mm01::isElementwise(op) &&
           llvm::none_of(op.getOperands(), [&](Value v) {
             return v == loop.getInductionVar() || !v.getType().isIntOrFloat();
           });
  });
}

/// The loop whose next iteration loads from the row behind that of `load`; null
/// where there is none.
static scf::ForOp loopOverRows(memref::LoadOp load, scf::ForOp sums) {
  MemRefType type = load.getMemRefType();
  if (type.getRank() != 2 || type.isDynamicDim(1))
    return {};
  Value row = load.getIndices()[0];
  auto loop = sums->getParentOfType<scf::ForOp>();
  while (loop && loop.isDefinedOutsideOfLoop(row))
    loop = loop->getParentOfType<scf::ForOp>();
  return loop && loop.isDefinedOutsideOfLoop(load.getMemRef()) &&
                 mm01::growth(row, loop) == 1
             ? loop
             : scf::ForOp();
}

namespace {

class SumsWriter {
public:
  SumsWriter(ImplicitLocOpBuilder &b, scf::ForOp loop, int64_t lanes,
             int64_t size)
      : b(b), loop(loop), lanes(lanes), size(size),
        vector(VectorType::get({lanes}, b.getF32Type())) {}

  /// The sums.
  SmallVector<Value> write() {
    int64_t step = std::max(lanes, lineElements());
    if (size % step != 0)
      step = lanes;
    prepareStreams();
    Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(vector));
    SmallVector<Value> inits(loop.getInitArgs().size(), zeros);
    auto made =
        scf::ForOp::create(b, index(0), index(size), index(step), inits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(made.getBody());
    Value at = made.getInductionVar();
    for (const Stream &stream : streams)
      ask(stream, at);
    SmallVector<Value> sums(made.getRegionIterArgs());
    for (int64_t part = 0; part < step; part += lanes)
      sums = body(part == 0 ? at : plus(at, part), sums);
    scf::YieldOp::create(b, sums);
    b.setInsertionPointAfter(made);
    SmallVector<Value> totals;
    for (Value sum : made.getResults())
      totals.push_back(vector::ReductionOp::create(
          b, vector::CombiningKind::ADD, sum,
          arith::FastMathFlags::reassoc | arith::FastMathFlags::contract));
    return totals;
  }

private:
  /// A row that comes from memory, and the two behind it of which the elements
  /// kAhead bytes behind an element of it are.
  struct Stream {
    Value buffer;
    int64_t ahead; // elements from the first of `rows` on
    Value rows[2];
  };

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value plus(Value i, int64_t constant) {
    return arith::AddIOp::create(b, i, index(constant));
  }

  /// Elements of a cache line of the narrowest memory.
  int64_t lineElements() {
    int64_t most = 0;
    loop.walk([&](memref::LoadOp load) {
      most = std::max<int64_t>(
          most, kCacheLine * 8 / load.getType().getIntOrFloatBitWidth());
    });
    return most;
  }

  void prepareStreams() {
    loop.walk([&](memref::LoadOp load) {
      if (!loopOverRows(load, loop))
        return;
      int64_t ahead = kAhead * 8 / load.getType().getIntOrFloatBitWidth();
      Stream stream{load.getMemRef(), ahead % size, {}};
      Value count = memref::DimOp::create(b, stream.buffer, 0);
      Value last = arith::SubIOp::create(b, count, index(1));
      for (int64_t behind : {0, 1})
        stream.rows[behind] = arith::MinSIOp::create(
            b, plus(load.getIndices()[0], ahead / size + behind), last);
      streams.push_back(stream);
    });
  }

  /// Asks for what follows element `at` of a stream's row by kAhead.
  void ask(const Stream &stream, Value at) {
    Value there = plus(at, stream.ahead), end = index(size);
    Value isHere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, there, end);
    Value behind = arith::SubIOp::create(b, there, end);
    Value row =
        arith::SelectOp::create(b, isHere, stream.rows[0], stream.rows[1]);
    Value column = arith::SelectOp::create(b, isHere, there, behind);
    memref::PrefetchOp::create(b, stream.buffer, ValueRange{row, column},
                               /*isWrite=*/false, kLocality,
                               /*isDataCache=*/true);
  }

  /// The loop's body for the elements from `at` on.
  SmallVector<Value> body(Value at, ValueRange sums) {
    IRMapping lanesOf;
    lanesOf.map(loop.getRegionIterArgs(), sums);
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto load = dyn_cast<memref::LoadOp>(op)) {
        SmallVector<Value> place(load.getIndices());
        place.back() = at;
        lanesOf.map(load.getResult(),
                    vector::LoadOp::create(b, vector.clone(load.getType()),
                                           load.getMemRef(), place));
        continue;
      }
      mm01::cloneOnVectors(b, op, lanesOf, vector);
    }
    return llvm::map_to_vector(
        loop.getBody()->getTerminator()->getOperands(),
        [&](Value next) { return lanesOf.lookup(next); });
  }

  ImplicitLocOpBuilder &b;
  scf::ForOp loop;
  int64_t lanes, size;
  VectorType vector;
  SmallVector<Stream> streams;
};

struct VectorizeSumsPass
    : mm01::impl::VectorizeSumsPassBase<VectorizeSumsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!mm01::exec::isKernel(getOperation()))
      return;
    int64_t lanes =
        mm01::lanesOf(mm01::isaOf(getOperation()->getParentOfType<ModuleOp>()));
    SmallVector<std::pair<scf::ForOp, int64_t>> found;
    getOperation().walk([&](scf::ForOp loop) {
      std::optional<int64_t> size = getConstantIntValue(loop.getUpperBound());
      if (size && *size > 0 && *size % lanes == 0 && isSums(loop))
        found.push_back({loop, *size});
    });
    for (auto [loop, size] : found) {
      ImplicitLocOpBuilder b(loop.getLoc(), loop);
      loop.replaceAllUsesWith(SumsWriter(b, loop, lanes, size).write());
      loop.erase();
    }
  }
};

} // namespace
