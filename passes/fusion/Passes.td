//===- Passes.td - passes that make one kernel of several -----*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_FUSION_PASSES_TD
#define MM01_PASSES_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseRowsPass : Pass<"mm01-fuse-rows", "::mlir::ModuleOp"> {
  let summary = "makes one kernel of ops that go row by row";
  let description = [{
    Ops on whole tensors that compute row t of their results from row t of what
    they read from each other become one kernel over tiles of rows, in which they
    stay as they are, on tiles. A result that nothing else reads becomes a
    temporary of the workgroup.

    Cost: each pair saves a launch and the way of its result through memory and
    back; nothing is computed twice. The tile of rows shrinks with the elements of
    a row that are alive, so that temporaries stay in a cache and there are no
    fewer workgroups than before.

    Refuses an op whose result is used before the chain ends, or read by any row
    (as `mm01.combine` reads its rows); a result that the chain overwrites while
    something after it needs it; rows without a static size, and rows of more than
    65,536 elements in all. Takes ops by the TilingInterface: linalg ops with a
    parallel first loop, and the mm01 ops on rows of tokens. Not a goal: products,
    and ops on parts of a row. Does nothing where the module's `mm01.fusion` lacks
    "rows".

    ```mlir
    func.func @finish(%rows: tensor<?x64xf32>, %p: tensor<?x2xi32>, %s: tensor<?x2xf32>, %w: !mm01.weight<64xbf16>,
                      %sum: tensor<?x64xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = mm01.combine %rows, %p, %s into %sum : tensor<?x64xf32>, tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x64xf32>
      %z = mm01.rms_norm %y, %w into %out {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
      return %z : tensor<?x64xf32>
    }
    ```

    becomes one `scf.forall` with `{mm01.kernel = "combine+rms_norm"}`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseTwinsPass : Pass<"mm01-fuse-twins", "::mlir::ModuleOp"> {
  let summary = "makes one kernel of two whose results meet";
  let description = [{
    Two kernels whose results are operands of one op become one, which makes both,
    so that the op can join it (`mm01-fuse-consumers`): the products with w1 and
    w3 of a SwiGLU.

    Cost: saves a launch; nothing is computed twice. A workgroup does the work of
    two, half as many do it as two launches had together: as many are busy at any
    time as before.

    Refuses kernels of different grids, kernels whose workgroups of one number
    write different slices, and a first kernel whose result is used before the
    second. Not a goal: kernels that have nothing but their input in common. Does
    nothing where the module's `mm01.fusion` lacks "twins".

    ```mlir
    func.func @up(%x: tensor<?x64xf32>, %o: tensor<5xi32>, %w1: !mm01.weight<4x96x64xbf16>, %w3: !mm01.weight<4x96x64xbf16>,
                  %a: tensor<?x96xf32>, %b: tensor<?x96xf32>) -> tensor<?x96xf32> {
      %g = mm01.grouped_linear %x, %o, %w1 into %a : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
      %u = mm01.grouped_linear %x, %o, %w3 into %b : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
      %y = linalg.mul ins(%g, %u : tensor<?x96xf32>, tensor<?x96xf32>) outs(%g : tensor<?x96xf32>) -> tensor<?x96xf32>
      return %y : tensor<?x96xf32>
    }
    ```

    With `mm01-form-projections` before, there is one `scf.forall` with
    `{mm01.kernel = "grouped_linear+grouped_linear"}`.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def FuseConsumersPass : Pass<"mm01-fuse-consumers", "::mlir::ModuleOp"> {
  let summary = "puts an op into the kernel that it reads";
  let description = [{
    An op on whole tensors whose operands a kernel makes is applied to what each
    workgroup has just made, before that leaves its cache: SiLU behind a product,
    the choice of experts behind that of the router. An operand that the op
    updates keeps its place in memory, any other becomes a temporary of the
    workgroup.

    Cost: saves a launch and the way of the operand through memory and back;
    nothing is computed twice. An op that works element by element keeps the
    kernel's workgroups busy as the kernel did. One on whole rows must not get
    more than 16,384 elements a workgroup, as it would in a kernel of its own.

    Refuses an intermediate with another use, or one that is used before the op;
    an op that sums up, or needs whole rows, where a workgroup writes a part of
    one; maps that are no permutations; an update of another slice than the
    workgroup's; an intermediate without a bound, or with content that matters,
    that would have to move to scratch; too few workgroups for an op on whole
    rows. Takes ops by the TilingInterface. Does nothing where the module's
    `mm01.fusion` lacks "consumers".

    ```mlir
    func.func @silu(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
      %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
      %z = linalg.exp ins(%y : tensor<?x96xf32>) outs(%y : tensor<?x96xf32>) -> tensor<?x96xf32>
      return %z : tensor<?x96xf32>
    }
    ```

    With `mm01-form-projections` before, there is one `scf.forall` with
    `{mm01.kernel = "linear+exp"}`.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // MM01_PASSES_FUSION_PASSES_TD
