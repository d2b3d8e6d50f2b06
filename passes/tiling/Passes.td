//===- Passes.td - from whole ops to kernel candidates --------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILING_PASSES_TD
#define MM01_PASSES_TILING_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormProjectionsPass : Pass<"mm01-form-projections", "::mlir::ModuleOp"> {
  let summary = "turns products with weights into kernel candidates";
  let description = [{
    Replaces each `mm01.linear` and `mm01.grouped_linear` by the kernel that
    `mm01-form-kernels` makes of it, and leaves all other ops whole: passes that
    put ops behind a product need both.

    Requires: the graph phase. An op without a kernel for its types is left for
    `mm01-form-kernels`, which names it. Not a goal: any other op, fusion.

    ```mlir
    func.func @linear(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
      %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
      return %y : tensor<?x96xf32>
    }
    ```

    becomes one `scf.forall` over tiles of rows and panels of columns with
    `{mm01.kernel = "linear"}`.
  }];
  let dependentDialects = ["::mm01::Mm01Dialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FormKernelsPass : Pass<"mm01-form-kernels", "::mlir::ModuleOp"> {
  let summary = "turns every op on whole tensors into a kernel candidate";
  let description = [{
    Replaces each mm01 op and each upstream linalg op outside a kernel by
    `scf.forall` loops over workgroups (mapping `#gpu.block<…>`) with the
    attribute `mm01.kernel`, whose body is scf, linalg, arith, math and tensor ops
    on slices. Iterations write disjoint slices, so they may run in any order.
    What is left outside kernels is index arithmetic, views, `tensor.empty` and
    calls. Ops on tiles inside a kernel, which fusion makes, become loops there.

    Inside a kernel a `linalg.matmul` of float32 with a transposed second operand
    stands for a call of the BLAS. Temporaries of a kernel have a bounded size.
    Lightning attention runs whole blocks of 64 tokens in the block form and the
    tokens that are left through the recurrence.

    Requires: the graph phase on float32 activations; head sizes, expert counts
    and page sizes are static. Fails, naming the op, where it has no kernel.
    Not a goal: fusion, or the choice between forms of one op.

    ```mlir
    func.func @norm(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = mm01.rms_norm %x, %w into %out {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```

    becomes one `scf.forall` over tiles of rows with
    `{mm01.kernel = "rms_norm"}`.
  }];
  let dependentDialects = ["::mm01::Mm01Dialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // MM01_PASSES_TILING_PASSES_TD
