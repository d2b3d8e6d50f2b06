//===- Mm01MoeOps.td - mixture of experts ---------------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_MOE_OPS_TD
#define MM01_MOE_OPS_TD

include "dialects/mm01/Mm01OpBase.td"

def Mm01_RouteOp
    : Mm01_MultiComputeOp<"route", 2,
        [AllTypesMatch<["weights", "new_weights"]>, AllTypesMatch<["experts", "new_experts"]>]> {
  let summary = "chooses the top k experts of each token and their shares";
  let description = [{
    logits [T, E], weights and experts [T, k]. `p = softmax(logits[t, :])` over all
    E; experts[t, :] are the k of largest p, largest first and of equal ones the
    lowest index first; weights[t, j] is the p of expert j divided by the sum of
    the k.

    - C1: weights and experts are [T, k] with 1 <= k <= E, k and E static.

    ```mlir
    func.func @route(%logits: tensor<?x4xf32>, %w: tensor<?x2xf32>, %e: tensor<?x2xi32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
      %weights, %experts = mm01.route %logits into %w, %e : tensor<?x4xf32> into tensor<?x2xf32>, tensor<?x2xi32>
      return %weights, %experts : tensor<?x2xf32>, tensor<?x2xi32>
    }
    ```
  }];
  let arguments = (ins Mm01_Matrix:$logits, Mm01_Matrix:$weights, Mm01_IndexMatrix:$experts);
  let results = (outs Mm01_Matrix:$new_weights, Mm01_IndexMatrix:$new_experts);
  let assemblyFormat = [{
    $logits `into` $weights `,` $experts attr-dict `:` type($logits) `into` type($weights) `,` type($experts)
  }];
}

def Mm01_DispatchOp
    : Mm01_MultiComputeOp<"dispatch", 3,
        [AllTypesMatch<["rows", "new_rows"]>, AllTypesMatch<["offsets", "new_offsets"]>,
         AllTypesMatch<["positions", "new_positions"]>]> {
  let summary = "orders copies of the tokens by expert";
  let description = [{
    x [T, K], experts [T, k]; rows [T·k, K], offsets [E + 1], positions [T, k].
    Expert e gets rows [offsets[e], offsets[e + 1]), in the order of (t, j);
    `rows[positions[t, j], :] = x[t, :]`. No token is dropped.

    - C1: experts and positions are [T, k].
    - C2: rows has the last extent of x, and T·k rows where that is static.
    - C3: offsets has at least two elements, a static number.

    ```mlir
    func.func @dispatch(%x: tensor<?x64xf32>, %e: tensor<?x2xi32>, %rows: tensor<?x64xf32>, %offsets: tensor<5xi32>,
                        %positions: tensor<?x2xi32>) -> (tensor<?x64xf32>, tensor<5xi32>, tensor<?x2xi32>) {
      %r, %o, %p = mm01.dispatch %x, %e into %rows, %offsets, %positions
        : tensor<?x64xf32>, tensor<?x2xi32> into tensor<?x64xf32>, tensor<5xi32>, tensor<?x2xi32>
      return %r, %o, %p : tensor<?x64xf32>, tensor<5xi32>, tensor<?x2xi32>
    }
    ```
  }];
  let arguments = (ins Mm01_Matrix:$x, Mm01_IndexMatrix:$experts, Mm01_Matrix:$rows, Mm01_IndexVector:$offsets,
                       Mm01_IndexMatrix:$positions);
  let results = (outs Mm01_Matrix:$new_rows, Mm01_IndexVector:$new_offsets, Mm01_IndexMatrix:$new_positions);
  let assemblyFormat = [{
    $x `,` $experts `into` $rows `,` $offsets `,` $positions attr-dict
    `:` type($x) `,` type($experts) `into` type($rows) `,` type($offsets) `,` type($positions)
  }];
}

def Mm01_GroupedLinearOp : Mm01_ComputeOp<"grouped_linear"> {
  let summary = "multiplies each expert's rows by the transpose of its weight";
  let description = [{
    rows [M, K], offsets [E + 1], weight [E, N, K], out [M, N]. For m in
    [offsets[e], offsets[e + 1]): `out[m, n] = Σ_k rows[m, k] · weight[e, n, k]`.

    - C1: out has as many rows as `rows`.
    - C2: the weight is [E, N, K] with N the last extent of out and K that of rows.
    - C3: offsets has E + 1 elements.

    ```mlir
    func.func @experts(%rows: tensor<?x64xf32>, %offsets: tensor<5xi32>, %w: !mm01.weight<4x96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
      %y = mm01.grouped_linear %rows, %offsets, %w into %out
        : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
      return %y : tensor<?x96xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_Matrix:$rows, Mm01_IndexVector:$offsets, Mm01_WeightType:$weight, Mm01_Matrix:$out);
  let results = (outs Mm01_Matrix:$result);
  let assemblyFormat = [{
    $rows `,` $offsets `,` $weight `into` $out attr-dict
    `:` type($rows) `,` type($offsets) `,` type($weight) `into` type($out)
  }];
}

def Mm01_CombineOp : Mm01_ComputeOp<"combine"> {
  let summary = "adds up the experts' outputs of each token by their shares";
  let description = [{
    rows [M, K], positions and weights [T, k], out [T, K]:
    `out[t, :] = Σ_j weights[t, j] · rows[positions[t, j], :]`, in the order of j.

    - C1: positions and weights have one shape, and out as many rows.
    - C2: out has the last extent of rows.

    ```mlir
    func.func @combine(%rows: tensor<?x64xf32>, %p: tensor<?x2xi32>, %w: tensor<?x2xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = mm01.combine %rows, %p, %w into %out
        : tensor<?x64xf32>, tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_Matrix:$rows, Mm01_IndexMatrix:$positions, Mm01_Matrix:$weights, Mm01_Matrix:$out);
  let results = (outs Mm01_Matrix:$result);
  let assemblyFormat = [{
    $rows `,` $positions `,` $weights `into` $out attr-dict
    `:` type($rows) `,` type($positions) `,` type($weights) `into` type($out)
  }];
}

#endif // MM01_MOE_OPS_TD
