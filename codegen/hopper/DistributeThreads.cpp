//===- DistributeThreads.cpp - share a workgroup among threads ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of the CPU is the work of one thread for one workgroup. Here all
// threads of a block do it together: what is uniform, all of them; what writes
// single elements, the first; loops over many elements, each a part.
//
// Before: linalg.generic over 6144 elements of %x and %y
//         %sum = scf.for … iter_args(%s) { … arith.addf fastmath<reassoc> }
//         memref.store %sum, %out[%i]
// After:  scf.for %j = %thread to 6144 step 256 { one element }
//         gpu.barrier
//         %part = scf.for from %thread in steps of 256; %sum = shuffles, shared
//           memory and barriers
//         scf.if (%thread == 0) { memref.store %sum, %out[%i] }
//         gpu.barrier
//
// Control flow around barriers is uniform, because values are: every thread
// computes them from the same operands and from memory that barriers have made
// the same for all. Requires kernels in a gpu.module. Tested by
// test/codegen/hopper/distribute-threads.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/BlockReduction.h"
#include "codegen/hopper/ColumnReduction.h"
#include "codegen/hopper/LinalgPoints.h"
#include "codegen/hopper/Passes.h"
#include "codegen/hopper/ReductionParts.h"
#include "dialects/exec/ExecDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace mm01 {
#define GEN_PASS_DEF_DISTRIBUTETHREADSPASS
#include "codegen/hopper/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

/// True where an op, or one inside it, may do more to memory than read it.
static bool writes(Operation *op) {
  auto effects = getEffectsRecursively(op);
  return !effects || llvm::any_of(*effects, [](auto &effect) {
    return !isa<MemoryEffects::Read>(effect.getEffect());
  });
}

/// Neighbouring points that a thread takes together, so that it reads and
/// writes 16 bytes at once: of an elementwise op whose innermost extent is a
/// multiple.
static int64_t getChunk(linalg::LinalgOp op) {
  int64_t inner = op.getNumLoops() - 1;
  int64_t extent = op.getStaticLoopRanges()[inner];
  int64_t width = 4;
  for (OpOperand &operand : op->getOpOperands())
    if (auto type = dyn_cast<MemRefType>(operand.get().getType());
        type && !type.getElementType().isIndex())
      width = std::min<int64_t>(
          width, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  int64_t chunk = 16 / width;
  bool fits = op.getNumParallelLoops() == op.getNumLoops() &&
              !ShapedType::isDynamic(extent) && extent % chunk == 0;
  return fits ? chunk : 1;
}

/// The combiners of values that are carried from one iteration to the next, if
/// all are reductions.
static std::optional<SmallVector<Combiner>>
matchAll(const SmallVector<BlockArgument> &carried) {
  SmallVector<Combiner> combiners;
  for (unsigned i = 0; i < carried.size(); ++i) {
    auto combiner = Combiner::match(carried, i);
    if (!combiner)
      return std::nullopt;
    combiners.push_back(*combiner);
  }
  return combiners;
}

/// The combiners of a loop that only reduces, one for each result.
static std::optional<SmallVector<Combiner>> matchLoop(scf::ForOp loop) {
  if (loop.getNumResults() == 0 || writes(loop))
    return std::nullopt;
  return matchAll(llvm::to_vector(loop.getRegionIterArgs()));
}

/// True where an op has work inside for more than one thread.
static bool hasParts(Operation *op) {
  WalkResult walk = op->walk([](Operation *inner) {
    auto loop = dyn_cast<scf::ForOp>(inner);
    bool parts = isa<linalg::LinalgOp, scf::ForallOp>(inner) ||
                 (loop && matchLoop(loop));
    return WalkResult(success(!parts));
  });
  return walk.wasInterrupted();
}

namespace {

/// Rewrites one kernel.
class Distributor {
public:
  explicit Distributor(func::FuncOp kernel)
      : kernel(kernel), b(kernel.getLoc(), kernel.getContext()) {
    auto bytes =
        kernel->getAttrOfType<IntegerAttr>(exec::kDynamicSharedBytesAttr);
    sharedBytes = bytes ? bytes.getInt() : 0;
  }

  LogicalResult run() {
    b.setInsertionPointToStart(&kernel.getBody().front());
    thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    team = makeTeam(thread, kBlockThreads);
    afterStart = team.step;
    SmallVector<Operation *> ops;
    for (Operation &op : kernel.getBody().front())
      if (!op.hasTrait<OpTrait::IsTerminator>() && isAfter(&op))
        ops.push_back(&op);
    if (failed(visit(ops)))
      return failure();
    if (sharedBytes > 0)
      kernel->setAttr(exec::kDynamicSharedBytesAttr,
                      b.getI64IntegerAttr(sharedBytes));
    return success();
  }

private:
  /// Threads that do a piece of work together: a block, or a warp of it.
  struct Team {
    Value member; // number of the thread in the team
    Value isFirst, step;
    int64_t size;
  };

  Team makeTeam(Value member, int64_t size) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, member, zero);
    Value step = arith::ConstantIndexOp::create(b, size);
    return {member, isFirst, step, size};
  }

  /// Goes on when all threads of the team are here, and what they wrote is seen
  /// by all of them.
  void synchronize() {
    if (team.size == kBlockThreads) {
      gpu::BarrierOp::create(b);
      return;
    }
    Value all = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
    NVVM::SyncWarpOp::create(b, all);
  }

  bool isAfter(Operation *op) {
    return afterStart.getDefiningOp()->isBeforeInBlock(op);
  }

  LogicalResult visit(ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      if (failed(visit(op)))
        return failure();
    return success();
  }

  LogicalResult visit(Region &region) {
    SmallVector<Operation *> ops;
    for (Block &block : region)
      for (Operation &op : block.without_terminator())
        ops.push_back(&op);
    return visit(ops);
  }

  LogicalResult visit(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (auto combiners = matchLoop(loop))
        return reduceLoop(loop, *combiners);
    if (!writes(op) && !hasParts(op))
      return success();
    if (auto linalg = dyn_cast<linalg::LinalgOp>(op))
      return distribute(linalg);
    if (auto loop = dyn_cast<scf::ForallOp>(op))
      return isForWarps(loop) ? distributeWarps(loop) : distribute(loop);
    bool structured = isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op);
    if (isa<memref::StoreOp>(op) ||
        (structured && op->getNumResults() == 0 && !hasParts(op))) {
      runOnFirst(op);
      return success();
    }
    if (!structured)
      return op->emitOpError("writes memory in a kernel, expected a store, a "
                             "loop or a linalg operation");
    for (Region &region : op->getRegions())
      if (failed(visit(region)))
        return failure();
    return success();
  }

  /// Runs an op on the first thread alone.
  void runOnFirst(Operation *op) {
    start(op);
    synchronize();
    auto guard = scf::IfOp::create(b, team.isFirst, /*withElseRegion=*/false);
    op->moveBefore(guard.thenYield());
    b.setInsertionPointAfter(guard);
    synchronize();
  }

  void start(Operation *op) {
    b.setLoc(op->getLoc());
    b.setInsertionPoint(op);
  }

  /// Loops over the points of some loops of an op: `loops` together, from
  /// `first` in steps of `step`.
  using Body = llvm::function_ref<SmallVector<Value>(ValueRange)>;
  ValueRange loopOver(LinalgPoints &points, ArrayRef<unsigned> loops,
                      Value first, Value step, ValueRange init, Body body) {
    auto loop = scf::ForOp::create(b, first, points.count(loops), step, init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    points.place(loops, loop.getInductionVar());
    SmallVector<Value> next = body(loop.getRegionIterArgs());
    if (loop.getNumResults() > 0)
      scf::YieldOp::create(b, next);
    return loop.getResults();
  }

  /// Writes the outputs at the point, after all reductions, by one thread.
  void writePoint(LinalgPoints &points, unsigned outputs) {
    if (points.reductions().empty())
      return points.storeOutputs(points.compute(points.loadOutputs()));
    SmallVector<Value> reduced;
    for (unsigned i = 0; i < outputs; ++i)
      if (!points.isRewritten(i))
        reduced.push_back(points.loadOutput(i));
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    auto body = [&](ValueRange carried) {
      SmallVector<Value> values, next;
      for (unsigned i = 0; i < outputs; ++i)
        values.push_back(points.isRewritten(i)
                             ? points.loadOutput(i)
                             : carried[i - countRewritten(points, i)]);
      values = points.compute(values);
      for (unsigned i = 0; i < outputs; ++i) {
        if (points.isRewritten(i))
          points.storeOutput(i, values[i]);
        else
          next.push_back(values[i]);
      }
      return next;
    };
    ValueRange done =
        loopOver(points, points.reductions(), zero, one, reduced, body);
    for (unsigned i = 0; i < outputs; ++i)
      if (!points.isRewritten(i))
        points.storeOutput(i, done[i - countRewritten(points, i)]);
  }

  /// Rewritten outputs before output `end`.
  static unsigned countRewritten(LinalgPoints &points, unsigned end) {
    return llvm::count_if(llvm::seq(end),
                          [&](unsigned i) { return points.isRewritten(i); });
  }

  /// Shares the points of the parallel loops out, `chunk` neighbours at a time.
  void computePoints(LinalgPoints &points, int64_t chunk, unsigned outputs) {
    ArrayRef<unsigned> loops = points.parallel();
    Value size = arith::ConstantIndexOp::create(b, chunk);
    Value first = arith::MulIOp::create(b, team.member, size);
    Value stride = arith::MulIOp::create(b, team.step, size);
    loopOver(points, loops, first, stride, {}, [&](ValueRange) {
      if (chunk == 1) {
        writePoint(points, outputs);
        return SmallVector<Value>();
      }
      // Written out, all reads before all writes, so that LLVM makes one access
      // of those of neighbours. Nothing is reduced here.
      Value begin = points.index(loops.back());
      auto moveTo = [&](int64_t neighbour) {
        Value by = arith::ConstantIndexOp::create(b, neighbour);
        points.place(loops.back(), arith::AddIOp::create(b, begin, by));
      };
      SmallVector<SmallVector<Value>> values;
      for (int64_t i = 0; i < chunk; ++i) {
        moveTo(i);
        values.push_back(points.compute(points.loadOutputs()));
      }
      for (int64_t i = 0; i < chunk; ++i) {
        moveTo(i);
        points.storeOutputs(values[i]);
      }
      return SmallVector<Value>();
    });
  }

  LogicalResult distribute(linalg::LinalgOp op) {
    if (!op.hasPureBufferSemantics())
      return op->emitOpError("is no operation on buffers in a kernel");
    start(op);
    synchronize();
    LinalgPoints points(b, op);
    if (auto columns = ColumnReduction::match(op);
        columns && team.size == kBlockThreads) {
      columns->write(b, points, thread, [&](int64_t count, Type type) {
        return makeSlots(count, type);
      });
    } else if (!points.parallel().empty()) {
      computePoints(points, getChunk(op), op.getNumDpsInits());
    } else if (auto combiners = matchOutputs(op)) {
      reduceOutputs(points, *combiners);
    } else {
      auto guard = scf::IfOp::create(b, team.isFirst, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard inside(b);
      b.setInsertionPoint(guard.thenYield());
      writePoint(points, op.getNumDpsInits());
    }
    synchronize();
    op->erase();
    return success();
  }

  /// The combiners of an op without parallel loops.
  std::optional<SmallVector<Combiner>> matchOutputs(linalg::LinalgOp op) {
    if (op.getNumLoops() == 0)
      return std::nullopt;
    return matchAll(llvm::to_vector(op.getRegionOutputArgs()));
  }

  SmallVector<Value> getNeutrals(ArrayRef<Combiner> combiners) {
    SmallVector<Value> values;
    for (const Combiner &combiner : combiners)
      values.push_back(arith::ConstantOp::create(b, combiner.neutral));
    return values;
  }

  /// More shared memory, of `count` elements.
  Value makeSlots(int64_t count, Type type) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(afterStart);
    Value slots = exec::ScratchOp::create(b, MemRefType::get({count}, type),
                                          sharedBytes, ValueRange());
    sharedBytes += llvm::alignTo(
        count * static_cast<int64_t>(type.getIntOrFloatBitWidth()) / 8, 64);
    return slots;
  }

  /// The value that all threads make together of one of each.
  Value reduce(const Combiner &combiner, Value part) {
    if (team.size == kWarpThreads)
      return reduceWarp(b, combiner, part);
    Value &slots = reductionSlots[part.getType()];
    if (!slots)
      slots = makeSlots(kBlockThreads / kWarpThreads, part.getType());
    return reduceBlock(b, combiner, part, thread, slots);
  }

  void reduceOutputs(LinalgPoints &points, ArrayRef<Combiner> combiners) {
    ValueRange parts =
        loopOver(points, points.reductions(), team.member, team.step,
                 getNeutrals(combiners),
                 [&](ValueRange carried) { return points.compute(carried); });
    SmallVector<Value> totals;
    for (auto [combiner, part] : llvm::zip_equal(combiners, parts))
      totals.push_back(reduce(combiner, part));
    auto guard = scf::IfOp::create(b, team.isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPoint(guard.thenYield());
    // An output of a reduction depends on no index.
    for (unsigned loop : points.reductions())
      points.place(loop, arith::ConstantIndexOp::create(b, 0));
    for (auto [combiner, total, old] :
         llvm::zip_equal(combiners, totals, points.loadOutputs()))
      total = combiner.combine(b, old, total);
    points.storeOutputs(totals);
  }

  /// scf.for that only reduces   ==>   a part of it for each thread, combined
  LogicalResult reduceLoop(scf::ForOp loop, ArrayRef<Combiner> combiners) {
    start(loop);
    scf::ForOp parts =
        makePart(b, loop, getNeutrals(combiners), team.member, team.size);
    for (auto [i, combiner] : llvm::enumerate(combiners)) {
      Value total = reduce(combiner, parts.getResult(i));
      loop.getResult(i).replaceAllUsesWith(
          combiner.combine(b, loop.getInitArgs()[i], total));
    }
    loop.erase();
    return success();
  }

  /// scf.forall inside a kernel   ==>   its iterations, shared out
  LogicalResult distribute(scf::ForallOp loop) {
    if (!loop.isNormalized() || !loop.getOutputs().empty())
      return loop.emitOpError("in a kernel: expected a bufferized loop from 0 "
                              "in steps of 1");
    start(loop);
    synchronize();
    SmallVector<Value> extents = getValueOrCreateConstantIndexOp(
        b, b.getLoc(), loop.getMixedUpperBound());
    Value total = arith::ConstantIndexOp::create(b, 1);
    for (Value extent : extents)
      total = arith::MulIOp::create(b, total, extent);
    auto shared = scf::ForOp::create(b, team.member, total, team.step);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(shared.getBody());
      Value number = shared.getInductionVar();
      IRMapping mapping;
      for (size_t i = extents.size(); i-- > 0;) {
        Value index = number;
        if (i > 0) {
          index = arith::RemUIOp::create(b, number, extents[i]);
          number = arith::DivUIOp::create(b, number, extents[i]);
        }
        mapping.map(loop.getInductionVars()[i], index);
      }
      for (Operation &op : loop.getBody()->without_terminator())
        b.clone(op, mapping);
    }
    synchronize();
    loop.erase();
    return success();
  }

  static bool isForWarps(scf::ForallOp loop) {
    std::optional<ArrayAttr> mapping = loop.getMapping();
    return mapping && mapping->size() == 1 &&
           isa<gpu::GPUWarpMappingAttr>((*mapping)[0]);
  }

  /// scf.forall for warps   ==>   its iterations, shared out among the warps,
  /// each the work of the lanes of one
  LogicalResult distributeWarps(scf::ForallOp loop) {
    if (!loop.isNormalized() || !loop.getOutputs().empty() ||
        loop.getRank() != 1 || team.size != kBlockThreads)
      return loop.emitOpError("for warps: expected a bufferized loop of one "
                              "dimension from 0 in steps of 1, not inside "
                              "another");
    start(loop);
    synchronize();
    Team block = team;
    Value size = arith::ConstantIndexOp::create(b, kWarpThreads);
    Value warp = arith::DivUIOp::create(b, thread, size);
    team = makeTeam(arith::RemUIOp::create(b, thread, size), kWarpThreads);
    Value warps =
        arith::ConstantIndexOp::create(b, kBlockThreads / kWarpThreads);
    Value total = getValueOrCreateConstantIndexOp(
        b, b.getLoc(), loop.getMixedUpperBound().front());
    auto shared = scf::ForOp::create(b, warp, total, warps);
    IRMapping mapping;
    mapping.map(loop.getInductionVars()[0], shared.getInductionVar());
    b.setInsertionPointToStart(shared.getBody());
    for (Operation &op : loop.getBody()->without_terminator())
      b.clone(op, mapping);
    if (failed(visit(shared.getRegion())))
      return failure();
    team = block;
    b.setInsertionPointAfter(shared);
    synchronize();
    loop.erase();
    return success();
  }

  func::FuncOp kernel;
  ImplicitLocOpBuilder b;
  Value thread, afterStart;
  Team team;
  int64_t sharedBytes = 0;
  llvm::DenseMap<Type, Value> reductionSlots;
};

struct DistributeThreadsPass
    : mm01::impl::DistributeThreadsPassBase<DistributeThreadsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isa<gpu::GPUModuleOp>(kernel->getParentOp()) || kernel.isExternal())
      return;
    if (failed(Distributor(kernel).run()))
      return signalPassFailure();
    kernel.walk([](Block *block) { dropBarriers(block); });
  }

  /// Of two barriers with no work between them, one is enough.
  static void dropBarriers(Block *block) {
    Operation *last = nullptr;
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      if (!isa<gpu::BarrierOp>(op)) {
        if (!isMemoryEffectFree(&op))
          last = nullptr;
      } else if (last) {
        op.erase();
      } else {
        last = &op;
      }
    }
  }
};

} // namespace
