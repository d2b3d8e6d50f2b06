//===- VerifyPhase.cpp - what may be in a module after a phase ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Guards the border between two stations: an op that a station forgot to lower
// is found here, by name and place, and not as a riddle three stations later.
//
// Requires nothing. Changes nothing. With phase=scheduled, this module
//
//   func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { ... }
//
// fails with "a value of type 'tensor<4xf32>' in phase scheduled, expected no
// tensors".
//
// Test: test/passes/pipelines/verify-phase.mlir
//
//===----------------------------------------------------------------------===//

#include "passes/pipelines/Passes.h"

#include "dialects/tile/TileDialect.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mm01 {
#define GEN_PASS_DEF_VERIFYPHASEPASS
#include "passes/pipelines/Passes.h.inc"
} // namespace mm01

using namespace mm01;

namespace {

/// The kinds of values that a program handles, besides scalars.
enum Values : unsigned {
  Tensors = 1,
  Transfers = 2, // tokens and pending results of collectives
  Buffers = 4,
  Vectors = 8,
  Machine = 16
};

/// What a phase allows. An entry of `ops` is a dialect ("arith") or one op
/// ("func.func").
struct Allowed {
  ArrayRef<StringLiteral> ops;
  unsigned values;
};

} // namespace

static constexpr StringLiteral tensorOps[] = {
    "builtin.module", "func.func", "func.call", "func.return", "arith",
    "math",           "tensor",    "linalg",    "scf",         "mm01",
    "tile.program"};
static constexpr StringLiteral tiledOps[] = {"builtin.module",
                                             "func.func",
                                             "func.call",
                                             "func.return",
                                             "arith",
                                             "math",
                                             "tensor",
                                             "linalg",
                                             "scf",
                                             "affine",
                                             "mm01.parameter",
                                             "mm01.library_linear",
                                             "mm01.weight_part",
                                             "mm01.weight_scales",
                                             "mm01.ragged_size",
                                             "mm01.ragged_get",
                                             "tile.program"};
static constexpr StringLiteral scheduledOps[] = {"builtin.module",
                                                 "func.func",
                                                 "func.call",
                                                 "func.return",
                                                 "arith",
                                                 "math",
                                                 "memref",
                                                 "linalg",
                                                 "scf",
                                                 "affine",
                                                 "exec",
                                                 "mm01.parameter",
                                                 "mm01.ragged_size",
                                                 "mm01.ragged_get",
                                                 "gpu",
                                                 "tile.kernel"};
static constexpr StringLiteral kernelsOps[] = {"builtin.module",
                                               "func.func",
                                               "func.call",
                                               "func.return",
                                               "arith",
                                               "math",
                                               "memref",
                                               "scf",
                                               "cf",
                                               "affine",
                                               "vector",
                                               "ub",
                                               "llvm",
                                               "exec",
                                               "gpu.module",
                                               "nvvm",
                                               "mm01.parameter",
                                               "mm01.ragged_size",
                                               "mm01.ragged_get"};
static constexpr StringLiteral hostOps[] = {"builtin.module", "llvm",
                                            "mm01.parameter"};

static Allowed allowedAfter(Phase phase) {
  switch (phase) {
  case Phase::Graph:
  case Phase::Grad:
    return {tensorOps, Tensors};
  case Phase::Spmd:
    return {tensorOps, Tensors | Transfers};
  case Phase::Tiled:
    return {tiledOps, Tensors};
  case Phase::Scheduled:
    return {scheduledOps, Buffers};
  case Phase::Kernels:
    return {kernelsOps, Buffers | Vectors | Machine};
  case Phase::Host:
    return {hostOps, Vectors | Machine};
  }
  llvm_unreachable("a phase without rules");
}

/// What kind of value the type is, as a message says it, or nothing if the
/// phase allows it.
static StringRef forbiddenKind(Type type, unsigned values) {
  if (isa<TensorType>(type) && !(values & Tensors))
    return "tensors";
  if (isa<TokenType, PendingType>(type) && !(values & Transfers))
    return "collectives";
  if (isa<BaseMemRefType>(type) && !(values & Buffers))
    return "buffers";
  if (isa<VectorType>(type) && !(values & Vectors))
    return "vectors";
  if (type.getDialect().getNamespace() == "llvm" && !(values & Machine))
    return "types of LLVM";
  return {};
}

namespace {

struct VerifyPhasePass : mm01::impl::VerifyPhasePassBase<VerifyPhasePass> {
  using Base::Base;

  void runOnOperation() override {
    // A failed phase reports its first offence alone: the rest of the module
    // is usually wrong in the same way.
    WalkResult result =
        getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (failed(check(op)))
            return WalkResult::interrupt();
          // What one program of the tile dialect does is its own affair, which
          // the passes on it and their verifiers know.
          return isa<tile::ProgramOp, tile::KernelOp>(op)
                     ? WalkResult::skip()
                     : WalkResult::advance();
        });
    if (result.wasInterrupted())
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult check(Operation *op) {
    const Allowed allowed = allowedAfter(phase);
    StringRef name = op->getName().getStringRef();
    StringRef dialect = op->getName().getDialectNamespace();
    if (!llvm::is_contained(allowed.ops, name) &&
        !llvm::is_contained(allowed.ops, dialect))
      return op->emitOpError("has no place in phase ")
             << phaseName(phase) << ", expected only "
             << llvm::join(allowed.ops, ", ");

    for (Type type : op->getResultTypes())
      if (failed(check(op, type)))
        return failure();
    if (isa<tile::ProgramOp>(op))
      return checkLowering(op);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(check(op, type)))
            return failure();
    // A declaration has no block.
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      for (Type type : function.getArgumentTypes())
        if (failed(check(op, type)))
          return failure();
      return checkFunction(function);
    }
    if (auto call = dyn_cast<CallOpInterface>(op))
      return checkCall(call);
    return checkLowering(op);
  }

  /// The dialects of tensors are larger than what becomes buffers and loops.
  LogicalResult checkLowering(Operation *op) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    const bool hasTensors = llvm::any_of(op->getOperandTypes(), isTensor) ||
                            llvm::any_of(op->getResultTypes(), isTensor);
    const bool hasLoops = isa<linalg::LinalgOp>(op) ||
                          !isa<linalg::LinalgDialect>(op->getDialect());
    if (phase != Phase::Tiled || !hasTensors ||
        (hasLoops && isa<bufferization::BufferizableOpInterface>(op)))
      return success();
    return op->emitOpError("has no lowering on tensors, expected ops of mm01 "
                           "and scf, linalg ops that are loops (linalg.generic "
                           "and its named forms), or tensor ops that "
                           "bufferize, such as slices, casts and pads");
  }

  LogicalResult check(Operation *op, Type type) {
    StringRef kind = forbiddenKind(type, allowedAfter(phase).values);
    if (kind.empty())
      return success();
    return op->emitOpError("has a value of type ")
           << type << " in phase " << phaseName(phase) << ", expected no "
           << kind;
  }

  /// The ABI has no way to pass what a program declares and doesn't define.
  LogicalResult checkFunction(FunctionOpInterface function) {
    if (phase > Phase::Spmd || !function.isExternal())
      return success();
    return function->emitOpError("has no body in phase ")
           << phaseName(phase) << ", expected a definition";
  }

  /// The results of an entry are placed where the runtime wants them, so no
  /// function can take them from a call.
  LogicalResult checkCall(CallOpInterface call) {
    auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
    if (phase > Phase::Tiled || !callee || !callee.isPublic())
      return success();
    return call->emitOpError("calls the entry @")
           << callee.getName() << " in phase " << phaseName(phase)
           << ", expected a private function";
  }
};

} // namespace
