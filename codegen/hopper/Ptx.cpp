//===- Ptx.cpp - PTX of kernels for Hopper --------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/Ptx.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

/// The oldest PTX with all that kernels use; drivers from CUDA 12.3 on know it.
static constexpr StringLiteral kPtxVersion = "+ptx83";

static Expected<std::unique_ptr<TargetMachine>> createMachine() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError("this LLVM makes no PTX: " + error);
  TargetOptions options;
  // Fused where the program says `contract`, nowhere else.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, mm01::kHopperChip, kPtxVersion, options, std::nullopt,
      std::nullopt, CodeGenOptLevel::Aggressive));
  return machine;
}

/// Marks all loops as not to be unrolled, for LLVM and, by a pragma, for ptxas.
static void keepLoops(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree tree(function);
    LoopInfo loops(tree);
    for (Loop *loop : loops.getLoopsInPreorder())
      loop->setLoopAlreadyUnrolled();
  }
}

static void optimize(Module &module, TargetMachine &machine, bool unroll) {
  if (!unroll)
    keepLoops(module);
  PipelineTuningOptions tuning;
  tuning.LoopUnrolling = unroll;
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

/// True for an intrinsic that the back end has neither instructions nor a call
/// for.
static bool isMissing(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::exp2:
    return call.getType()->getScalarType()->isDoubleTy();
  case Intrinsic::acos:
  case Intrinsic::asin:
  case Intrinsic::atan:
  case Intrinsic::atan2:
  case Intrinsic::cos:
  case Intrinsic::cosh:
  case Intrinsic::exp:
  case Intrinsic::exp10:
  case Intrinsic::log:
  case Intrinsic::log10:
  case Intrinsic::log2:
  case Intrinsic::pow:
  case Intrinsic::powi:
  case Intrinsic::sin:
  case Intrinsic::sincos:
  case Intrinsic::sinh:
  case Intrinsic::tan:
  case Intrinsic::tanh:
    return true;
  default:
    return false;
  }
}

/// Refuses calls that reach no code.
static Error checkCalls(const Module &module, StringRef kernel) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !callee->isDeclaration())
        continue;
      auto *intrinsic = dyn_cast<IntrinsicInst>(call);
      if (intrinsic ? isMissing(*intrinsic) : true)
        return createStringError("kernel " + kernel + " calls " +
                                 callee->getName() +
                                 ", which a GPU does not have, expected it "
                                 "legalised before");
    }
  return Error::success();
}

Expected<std::string> mm01::emitPtx(Module &module, StringRef kernel,
                                    bool unroll) {
  auto machine = createMachine();
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  for (Function &function : module) {
    // Threads wait for each other in it: no call may be moved under a branch.
    function.setConvergent();
    function.setDoesNotThrow();
  }
  optimize(module, **machine, unroll);
  if (Error error = checkCalls(module, kernel))
    return error;
  SmallString<0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr,
                                      CodeGenFileType::AssemblyFile))
    return createStringError("this LLVM writes no PTX");
  passes.run(module);
  return text.str().str();
}
