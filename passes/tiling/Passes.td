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

def FormDeviceKernelsPass : Pass<"mm01-form-device-kernels", "::mlir::ModuleOp"> {
  let summary = "turns ops that a GPU does in its own way into kernels";
  let description = [{
    Replaces each `mm01.linear`, `mm01.head` and `mm01.grouped_linear`. Where x and
    the weight are of one type, bf16 or f16, and rows of both are multiples of 16
    bytes, `mm01.library_linear` multiplies, but for few rows of a narrow weight,
    which are a kernel's; its grid is empty for more. Kernels do the rest: each
    element of a weight is read once from where it lies, with the lanes of a warp
    side by side, and sums are float32. All rows of an expert are a kernel's. Of a
    `mm01.linear` with `mm01.few_rows` the kernel for few rows is made alone, for at
    most so many rows: a program before it does more.

    `mm01.dispatch`, a counting sort of one thread on the CPU, becomes three
    kernels of sums: choices of each expert in each block of choices, where each
    block's begin, and positions and rows. `mm01.rotary` makes the cosines and sines
    of a token side by side, then rotates all heads at once. `mm01.route` takes 8
    rows a workgroup, a warp each.

    Requires: the graph phase. Not a goal: any other op, fusion, products of
    experts on tensor cores.

    ```mlir
    func.func @linear(%x: tensor<?x64xbf16>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xbf16>) -> tensor<?x96xbf16> {
      %y = mm01.linear %x, %w into %out : tensor<?x64xbf16>, !mm01.weight<96x64xbf16> into tensor<?x96xbf16>
      return %y : tensor<?x96xbf16>
    }
    ```

    becomes an `scf.forall` with `{mm01.kernel = "linear"}` for few rows and an
    `mm01.library_linear` of its result.
  }];
  let dependentDialects = ["::mm01::Mm01Dialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
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
    Lightning attention cuts each sequence by the op's plan into blocks, one
    variant of the code for each level in use, and single tokens, which go through
    the recurrence; without a plan all tokens do. Its products whose second operand
    is not transposed stand for register tiles of the code generator.

    Requires: the graph phase; products on float32 activations, or kernels already;
    head sizes, expert counts and page sizes are static. Fails, naming the op, where it has no kernel.
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

def FormLightningDecodePass : Pass<"mm01-form-lightning-decode", "::mlir::ModuleOp"> {
  let summary = "gives single tokens of lightning attention a kernel";
  let description = [{
    Puts before each `mm01.lightning_attention` a kernel candidate
    `lightning_decode` that does the sequences of exactly one token: their rows of
    `out` and their states, each of which is read and written once, in place. A
    workgroup has a sequence, a head and up to 32 columns of the state; those of
    other sequences do nothing, and where all have several tokens there is none. The
    loop has `exec.sequences`, so that it can run beside what does the op. That gets the results as its destinations and
    `mm01.skip_single`, which says that it leaves such sequences as they are.

    Leaves ops with a dynamic head size or a state that is not float32, which
    `mm01-form-kernels` refuses, and ops that have `mm01.skip_single` already.

    ```mlir
    func.func @lightning(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                         %out: tensor<?x4x64xf32>, %state: tensor<7x?x4x64x64xf32>)
        -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
      %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
        : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
      return %o, %s : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    }
    ```

    gets a loop over `(%sequences, 4, 2)` with `{mm01.kernel = "lightning_decode"}`.
  }];
  let dependentDialects = ["::mm01::Mm01Dialect", "::mm01::exec::ExecDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def SplitLightningPass : Pass<"mm01-split-lightning", "::mlir::ModuleOp"> {
  let summary = "makes kernels of the parts of lightning attention";
  let description = [{
    Lightning attention without the fusion "attention", where the module's
    `mm01.fusion` lacks it: each part of an `mm01.lightning_attention` is a kernel
    candidate whose result goes through memory. The states of single tokens are
    decayed (`lightning_decay`), get the product of key and value
    (`lightning_outer`) and are read (`lightning_read`). For sequences of several
    tokens the decays and masks of every head are written first
    (`lightning_decays`); q, k and v are ordered by heads and the result back by
    tokens (`lightning_layout`); between them `lightning_attention` reads what the
    others made. A batch of single tokens has no workgroups of the latter, one long
    sequence none of the former.

    Results are the same to the bit. Cost: up to eight launches more, a second and
    third way of each state through memory for a token, and memory for q, k, v and
    out. Not a goal: speed. It is what fusion is measured against.

    Requires `mm01-plan-lightning`; refuses a plan that is not valid. Leaves ops
    that `mm01-form-kernels` refuses, and ops with `mm01.skip_single`, whose single
    tokens are a kernel of their own already.

    ```mlir
    module attributes {mm01.fusion = ["rows"]} {
      func.func @lightning(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                           %out: tensor<?x4x64xf32>, %state: tensor<7x?x4x64x64xf32>)
          -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
        %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
          : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
        return %o, %s : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
      }
    }
    ```

    becomes eight loops, the first over `(%sequences, 4)` with
    `{mm01.kernel = "lightning_decay"}`.
  }];
  let dependentDialects = ["::mm01::Mm01Dialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def PlanLightningPass : Pass<"mm01-plan-lightning", "::mlir::ModuleOp"> {
  let summary = "plans how lightning attention cuts sequences into blocks";
  let description = [{
    Gives each `mm01.lightning_attention` without one the attribute
    `mm01.lightning_plan`, the cheapest plan for every length, by the module's
    `mm01.lightning_costs` of the measured head size that is nearest by ratio. It
    changes nothing but rounding. A plan that is there stays: it forces levels, as
    do costs that list few. Costs are times of an item of one head, in any unit;
    levels rise from 1, single tokens. Which levels a length takes is worked out in
    passes/tiling/LightningPlanner.h; README.md beside it says why so.

    Requires costs where there is such an op. Refuses costs that are not positive,
    levels out of order or without a kernel (there are 1, 4, 8, 16, 32, 64, 128 and 256), and
    plans with empty items. Leaves dynamic head sizes, which no kernel takes,
    without a plan.

    ```mlir
    module attributes {mm01.lightning_costs = [
        {head_size = 64, levels = array<i64: 1, 32, 64>, costs = array<i64: 10, 200, 380>} ]} {
      func.func @lightning(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                           %out: tensor<?x4x64xf32>, %state: tensor<7x?x4x64x64xf32>)
          -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
        %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
          : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
        return %o, %s : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
      }
    }
    ```

    gives the op the attribute

    ```text
    mm01.lightning_plan = {repeat = 64 : i64, rest = [{bound = 19 : i64, items = array<i64>},
                                                      {bound = 49 : i64, items = array<i64: 32>} ]}
    ```

    While more than 49 tokens are left, 64 are taken, or as many as there are; up to
    49 are one item of level 32 and single tokens; up to 19 are single tokens, for
    20 cost as much alone as in a block of 32.
  }];
  let dependentDialects = ["::mm01::Mm01Dialect"];
}

#endif // MM01_PASSES_TILING_PASSES_TD
