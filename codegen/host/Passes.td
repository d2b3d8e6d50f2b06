//===- Passes.td - passes that make the host's code --------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOST_PASSES_TD
#define MM01_CODEGEN_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def DescribeProgramPass : Pass<"mm01-describe-program", "mlir::ModuleOp"> {
  let summary = "Write the manifest of the program";
  let description = [{
    Sets the module attribute `exec.manifest`: the JSON of docs/contract.md, "The
    manifest", from the types and roles of public functions, their `exec.results`,
    the `mm01.parameter` ops and the module attributes `mm01.model` (JSON),
    `exec.target`, `mm01.parameter_count`, `mm01.max_tokens`, `mm01.max_sequences` and
    `mm01.ignored_tensors`. The field `isa` is added when the
    program is written. Requires the scheduled phase.
  }];
}

def ExportEntriesPass : Pass<"mm01-export-entries", "mlir::ModuleOp"> {
  let summary = "Give public functions their C interface";
  let description = [{
    A public function `F` becomes `mm01_entry_F(context, arguments)`, which takes
    its arguments from an array of `mm01_argument`, and `mm01_arena_F(arguments)`,
    which computes its `exec.frame`. Private host functions get the context as
    their first argument. Parameter declarations go away: the manifest has them.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect", "mlir::affine::AffineDialect"];
}

def PackLaunchesPass : Pass<"mm01-pack-launches", "mlir::ModuleOp"> {
  let summary = "Give kernels and launches their C interface";
  let description = [{
    A kernel `K` becomes a function `K(context, arguments, scratch, workgroup)`
    that unpacks its arguments from a structure and calls `K.body`, whose pointers
    are `noalias`: bufferization has shown that what a kernel writes is reached by
    one argument alone. A launch packs the structure on the stack of the host
    function's entry and calls the runtime. Requires mm01-export-entries.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect"];
}

def ConvertToLlvmPass : Pass<"mm01-convert-to-llvm", "mlir::ModuleOp"> {
  let summary = "Convert the whole program to the LLVM dialect";
  let description = [{
    `exec` ops become reads of the context and calls through its function
    pointers, ragged batches and weights become pointers, everything else is
    converted as upstream does, with 64-bit indices. Requires mm01-pack-launches,
    and loops and affine maps lowered.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // MM01_CODEGEN_HOST_PASSES_TD
