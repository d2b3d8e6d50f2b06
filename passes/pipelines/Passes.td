//===- Passes.td - passes of the pipelines --------------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PIPELINES_PASSES_TD
#define MM01_PASSES_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyPhasePass : Pass<"mm01-verify-phase", "::mlir::ModuleOp"> {
  let summary = "checks that a module holds only what its phase allows";
  let description = [{
    Each phase of docs/architecture.md ends with this pass: it walks the module
    and fails at the first op whose dialect, or value whose type, has no business
    after the phase, and says what may be there. With phase=tiled it also fails at
    an op on tensors that can become neither buffers nor loops.

    The pass changes nothing. It doesn't check what the ops' own verifiers do.

    ```mlir
    // mm01-opt --mm01-verify-phase=phase=tiled
    func.func @add(%a: f32, %b: f32) -> f32 {
      %c = arith.addf %a, %b : f32
      return %c : f32
    }
    ```
  }];
  let options = [
    Option<"phase", "phase", "::mm01::Phase", "::mm01::Phase::Graph", "the phase that the module has passed",
           "::mm01::PhaseOptionValues()">,
  ];
}

#endif // MM01_PASSES_PIPELINES_PASSES_TD
