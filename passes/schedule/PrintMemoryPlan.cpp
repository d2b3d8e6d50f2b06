//===- PrintMemoryPlan.cpp - where a program's memory goes ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mm01-plan-arena and mm01-plan-scratch decided, for people and scripts:
//
//     entry forward
//       weights    6182144
//       arguments  lightning_state 28672*arg3[1]
//       arena      max(1792*T, 1024*R)
//       scratch    65536 a worker
//       results    logits 1024*R
//
//     function layer_lightning: 1536*T bytes, 9 steps
//       at 0: 512*T bytes, steps 1 to 4, first used by rms_norm
//
// A step is a launch or a call. It is read off the module, so that it says what
// the program does, not what a pass meant. Tested by
// test/passes/schedule/print-memory-plan.mlir.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/PrintMemoryPlan.h"
#include "passes/schedule/BufferBytes.h"
#include "passes/schedule/ExtentExpressions.h"
#include "passes/schedule/Passes.h"

#include "mlir/IR/AffineExprVisitor.h"
#include "llvm/ADT/StringExtras.h"

namespace mm01 {
#define GEN_PASS_DEF_PRINTMEMORYPLANPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

namespace {

/// Prints affine expressions as Python does, with names for their symbols.
class FormulaPrinter : public AffineExprVisitor<FormulaPrinter, std::string> {
public:
  explicit FormulaPrinter(SmallVector<std::string> names)
      : names(std::move(names)) {}

  std::string visitConstantExpr(AffineConstantExpr expr) {
    return std::to_string(expr.getValue());
  }
  std::string visitSymbolExpr(AffineSymbolExpr expr) {
    return names[expr.getPosition()];
  }
  std::string visitDimExpr(AffineDimExpr) {
    llvm_unreachable("sizes have symbols alone");
  }
  std::string visitAddExpr(AffineBinaryOpExpr expr) {
    return visit(expr.getLHS()) + " + " + visit(expr.getRHS());
  }
  /// Affine products have their constant on the right.
  std::string visitMulExpr(AffineBinaryOpExpr expr) {
    return factor(expr.getRHS()) + "*" + factor(expr.getLHS());
  }
  std::string visitFloorDivExpr(AffineBinaryOpExpr expr) {
    return factor(expr.getLHS()) + "//" + factor(expr.getRHS());
  }
  std::string visitCeilDivExpr(AffineBinaryOpExpr expr) {
    return "ceildiv(" + visit(expr.getLHS()) + ", " + visit(expr.getRHS()) +
           ")";
  }
  std::string visitModExpr(AffineBinaryOpExpr expr) {
    return factor(expr.getLHS()) + "%" + factor(expr.getRHS());
  }

private:
  /// In parentheses unless it is one word or a call.
  std::string factor(AffineExpr expr) {
    std::string text = visit(expr);
    bool single = !isa<AffineBinaryOpExpr>(expr) ||
                  expr.getKind() == AffineExprKind::CeilDiv;
    return single ? text : "(" + text + ")";
  }

  SmallVector<std::string> names;
};

/// A buffer in the arena, and the steps between which it lives.
struct PlacedBuffer {
  std::string offset, bytes;
  int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
  StringRef user;
};

/// The plan of one host function.
class FunctionPlan {
public:
  explicit FunctionPlan(func::FuncOp function)
      : function(function), expressions(function) {
    for (Operation &op : function.getOps())
      if (isa<exec::LaunchOp, exec::LaunchDeviceOp, func::CallOp>(op))
        steps[&op] = steps.size() + 1;
  }

  void printEntry(raw_ostream &os, int64_t scratch);
  void printBuffers(raw_ostream &os);

private:
  std::string nameOf(int64_t argument, int64_t extent);
  std::string text(AffineExpr expr);
  std::string frame();
  std::string bytesOf(MemRefType type, function_ref<AffineExpr(int64_t)> dim);
  void addUses(Value buffer, PlacedBuffer &placed);

  func::FuncOp function;
  ExtentExpressions expressions;
  llvm::DenseMap<Operation *, int64_t> steps;
};

} // namespace

/// What a step runs.
static StringRef calleeOf(Operation *step) {
  if (auto launch = dyn_cast<exec::LaunchOp>(step))
    return launch.getKernel();
  if (auto launch = dyn_cast<exec::LaunchDeviceOp>(step))
    return launch.getKernel().getLeafReference();
  return cast<func::CallOp>(step).getCallee();
}

/// What the role of an argument, if it has one, says.
static StringRef roleOf(func::FuncOp function, int64_t argument) {
  auto role = function.getArgAttrOfType<StringAttr>(argument, kRoleAttr);
  return role ? role.getValue() : StringRef();
}

std::string FunctionPlan::nameOf(int64_t argument, int64_t extent) {
  Type type = function.getArgument(argument).getType();
  if (isa<RaggedType>(type))
    return std::string(1, "TNP"[extent]);
  StringRef role = roleOf(function, argument);
  if (role == "tokens" || role == "logit_rows")
    return role == "tokens" ? "T" : "R";
  std::string name = "arg" + std::to_string(argument);
  return isa<MemRefType>(type) ? name + "[" + std::to_string(extent) + "]"
                               : name;
}

std::string FunctionPlan::text(AffineExpr expr) {
  if (!expr)
    return "?";
  SmallVector<std::string> names;
  for (auto [argument, extent] :
       llvm::zip(expressions.arguments(), expressions.extents()))
    names.push_back(nameOf(argument, extent));
  return FormulaPrinter(names).visit(
      simplifyAffineExpr(expr, 0, expressions.size()));
}

/// Bytes of the function's arena, those of the functions it calls included.
std::string FunctionPlan::frame() {
  auto attr = function->getAttrOfType<exec::FrameAttr>(exec::kFrameAttr);
  if (!attr)
    return "?";
  SmallVector<std::string> names, sizes;
  for (auto [argument, extent] :
       llvm::zip(attr.getArguments(), attr.getExtents()))
    names.push_back(nameOf(argument, extent));
  for (AffineExpr bytes : attr.getBytes().getResults())
    sizes.push_back(FormulaPrinter(names).visit(bytes));
  return sizes.size() == 1 ? sizes[0] : "max(" + llvm::join(sizes, ", ") + ")";
}

std::string FunctionPlan::bytesOf(MemRefType type,
                                  function_ref<AffineExpr(int64_t)> dim) {
  AffineExpr bytes = getAffineConstantExpr(
      getElementBytes(type.getElementType()), function.getContext());
  for (int64_t i = 0; i < type.getRank(); ++i) {
    AffineExpr extent = dim(i);
    if (!extent)
      return "?";
    bytes = bytes * extent;
  }
  return text(bytes);
}

/// Bytes of a weight with all its parts.
static int64_t bytesOf(WeightType type) {
  return ShapedType::getNumElements(type.getShape()) *
         getElementBytes(type.getElementType());
}

void FunctionPlan::printEntry(raw_ostream &os, int64_t scratch) {
  os << "entry " << function.getSymName() << "\n";
  int64_t weights = 0;
  SmallVector<std::string> tensors, results;
  for (BlockArgument argument : function.getArguments()) {
    int64_t number = argument.getArgNumber();
    if (auto weight = dyn_cast<WeightType>(argument.getType()))
      weights += ::bytesOf(weight);
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    StringRef role = roleOf(function, number);
    std::string name =
        role.empty() ? "arg" + std::to_string(number) : role.str();
    tensors.push_back(name + " " + bytesOf(type, [&](int64_t i) {
                        return expressions.getDimension(argument, i);
                      }));
  }
  function.walk([&](exec::ResultOp result) {
    std::string name = "result" + std::to_string(result.getIndex());
    results.push_back(
        name + " " +
        bytesOf(cast<MemRefType>(result.getType()), [&](int64_t i) {
          return expressions.getDimension(result.getView(), i);
        }));
  });
  os << "  weights    " << weights << "\n";
  os << "  arguments  " << llvm::join(tensors, "; ") << "\n";
  os << "  arena      " << frame() << "\n";
  os << "  scratch    " << scratch << " a worker\n";
  os << "  results    " << llvm::join(results, "; ") << "\n";
}

/// Widens the life of a buffer by the steps that use it or a view of it.
void FunctionPlan::addUses(Value buffer, PlacedBuffer &placed) {
  for (Operation *user : buffer.getUsers()) {
    Operation *top = function.getBody().front().findAncestorOpInBlock(*user);
    if (int64_t step = steps.lookup(top)) {
      if (step < placed.first) {
        placed.first = step;
        placed.user = calleeOf(top);
      }
      placed.last = std::max(placed.last, step);
    }
    for (Value result : user->getResults())
      if (isa<BaseMemRefType, exec::TensorMapType>(result.getType()))
        addUses(result, placed);
  }
}

void FunctionPlan::printBuffers(raw_ostream &os) {
  os << "\nfunction " << function.getSymName() << ": " << frame() << " bytes, "
     << steps.size() << " steps\n";
  SmallVector<PlacedBuffer> buffers;
  for (auto arena : function.getOps<exec::ArenaOp>()) {
    PlacedBuffer &placed = buffers.emplace_back();
    AffineExpr offset = expressions.get(arena.getOffset());
    // A private function's offsets count from its frame, its last argument.
    if (offset && function.isPrivate())
      if (AffineExpr frame = expressions.get(function.getArguments().back()))
        offset = offset - frame;
    placed.offset = text(offset);
    unsigned dynamic = 0;
    auto type = cast<MemRefType>(arena.getType());
    placed.bytes = bytesOf(type, [&](int64_t i) {
      return type.isDynamicDim(i)
                 ? expressions.get(arena.getSizes()[dynamic++])
                 : getAffineConstantExpr(type.getDimSize(i),
                                         function.getContext());
    });
    addUses(arena.getView(), placed);
  }
  llvm::stable_sort(buffers, [](const PlacedBuffer &a, const PlacedBuffer &b) {
    return a.first < b.first;
  });
  for (const PlacedBuffer &buffer : buffers)
    if (buffer.last)
      os << "  at " << buffer.offset << ": " << buffer.bytes << " bytes, steps "
         << buffer.first << " to " << buffer.last << ", first used by "
         << buffer.user << "\n";
}

void mm01::printMemoryPlan(ModuleOp module, raw_ostream &os) {
  int64_t scratch = 0;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto bytes =
            function->getAttrOfType<IntegerAttr>(exec::kScratchBytesAttr))
      scratch = std::max(scratch, bytes.getInt());
  SmallVector<func::FuncOp> hosts;
  for (auto function : module.getOps<func::FuncOp>())
    if (!exec::isKernel(function) && !function.isExternal())
      hosts.push_back(function);
  for (func::FuncOp function : hosts)
    if (function.isPublic())
      FunctionPlan(function).printEntry(os, scratch);
  for (func::FuncOp function : hosts)
    FunctionPlan(function).printBuffers(os);
}

namespace {

struct PrintMemoryPlanPass
    : mm01::impl::PrintMemoryPlanPassBase<PrintMemoryPlanPass> {
  using Base::Base;

  void runOnOperation() override {
    printMemoryPlan(getOperation(), llvm::outs());
    markAllAnalysesPreserved();
  }
};

} // namespace
