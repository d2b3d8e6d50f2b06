//===- Mm01DenseOps.td - embedding, norm, linear, rotary, head -*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DENSE_OPS_TD
#define MM01_DENSE_OPS_TD

include "dialects/mm01/Mm01OpBase.td"

def Mm01_EmbeddingOp : Mm01_ComputeOp<"embedding"> {
  let summary = "looks up a row of the table for each token";
  let description = [{
    `out[t, :] = table[tokens[t], :]`, tokens [T], table [V, K], out [T, K]. The
    rows are not scaled. Token ids are in [0, V): the runtime checks them.

    - C1: out has as many rows as there are tokens.
    - C2: the table has two dimensions, the last that of out.

    ```mlir
    func.func @embed(%ids: tensor<?xi32>, %table: !mm01.weight<256x64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %x = mm01.embedding %ids, %table into %out : tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x64xf32>
      return %x : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_IndexVector:$tokens, Mm01_FloatWeight:$table, Mm01_Matrix:$out);
  let results = (outs Mm01_Matrix:$result);
  let assemblyFormat = [{
    $tokens `,` $table `into` $out attr-dict `:` type($tokens) `,` type($table) `into` type($out)
  }];
}

def Mm01_RmsNormOp : Mm01_ComputeOp<"rms_norm"> {
  let summary = "divides each row by its root mean square, then scales by a weight";
  let description = [{
    `out[t, i] = weight[i] · x[t, i] / sqrt(mean_j(x[t, j]²) + eps)`, x and out
    [T, K], weight [K]; in float32 up to the product with the weight.

    - C1: out has the shape of x.
    - C2: the weight has one dimension, the last of x.
    - C3: eps is finite and not negative.

    ```mlir
    func.func @norm(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = mm01.rms_norm %x, %w into %out {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_Matrix:$x, Mm01_FloatWeight:$weight, Mm01_Matrix:$out, F64Attr:$eps);
  let results = (outs Mm01_Matrix:$result);
  let assemblyFormat = [{
    $x `,` $weight `into` $out attr-dict `:` type($x) `,` type($weight) `into` type($out)
  }];
}

def Mm01_LinearOp : Mm01_ComputeOp<"linear"> {
  let summary = "multiplies rows by the transpose of a weight";
  let description = [{
    `out[t, n] = Σ_k x[t, k] · weight[n, k]`, x [T, K], weight [N, K], out [T, N].
    No bias: the model has none.

    - C1: out has as many rows as x.
    - C2: the weight is [N, K] with N the last extent of out and K that of x.

    ```mlir
    func.func @linear(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
      %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
      return %y : tensor<?x96xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_Matrix:$x, Mm01_WeightType:$weight, Mm01_Matrix:$out);
  let results = (outs Mm01_Matrix:$result);
  let assemblyFormat = [{
    $x `,` $weight `into` $out attr-dict `:` type($x) `,` type($weight) `into` type($out)
  }];
}

def Mm01_LibraryLinearOp : Mm01_ComputeOp<"library_linear"> {
  let summary = "multiplies many rows by the transpose of a weight with the device's library";
  let description = [{
    x [T, K], weight [N, K], out [T, N]:

        T > above:  out[t, n] = Σ_k x[t, k] · weight[n, k], summed in float32
        else:       out as it is

    `mm01-form-device-kernels` puts it behind the kernel of a linear map, which
    does nothing where there are so many rows: the host chooses by a comparison at
    each call. Only a target with such a library has a lowering of it.

    - C1: out has as many rows as x.
    - C2: the weight is [N, K] with N the last extent of out and K that of x.
    - C3: x and weight are of one type, bf16 or f16, and out is of it or f32.
    - C4: above is not negative.

    ```mlir
    func.func @linear(%x: tensor<?x64xbf16>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
      %y = mm01.library_linear %x, %w into %out above 16
        : tensor<?x64xbf16>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
      return %y : tensor<?x96xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_Matrix:$x, Mm01_FloatWeight:$weight, Mm01_Matrix:$out, I64Attr:$above);
  let results = (outs Mm01_Matrix:$result);
  let assemblyFormat = [{
    $x `,` $weight `into` $out `above` $above attr-dict `:` type($x) `,` type($weight) `into` type($out)
  }];
}

def Mm01_HeadOp : Mm01_ComputeOp<"head"> {
  let summary = "projects chosen rows to the vocabulary";
  let description = [{
    `out[r, v] = Σ_k x[rows[r], k] · weight[v, k]`, x [T, K], rows [R] in [0, T),
    weight [V, K], out [R, V]; summed in float32 at least. Only rows that are
    wanted are projected.

    - C1: out has as many rows as `rows` has elements.
    - C2: the weight is [V, K] with V the last extent of out and K that of x.

    ```mlir
    func.func @head(%x: tensor<?x64xf32>, %rows: tensor<?xi32>, %w: !mm01.weight<256x64xbf16>, %out: tensor<?x256xf32>) -> tensor<?x256xf32> {
      %y = mm01.head %x, %rows, %w into %out : tensor<?x64xf32>, tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x256xf32>
      return %y : tensor<?x256xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_Matrix:$x, Mm01_IndexVector:$rows, Mm01_WeightType:$weight, Mm01_Matrix:$out);
  let results = (outs Mm01_Matrix:$result);
  let assemblyFormat = [{
    $x `,` $rows `,` $weight `into` $out attr-dict `:` type($x) `,` type($rows) `,` type($weight) `into` type($out)
  }];
}

def Mm01_RotaryOp : Mm01_ComputeOp<"rotary"> {
  let summary = "rotates the first features of each head by the token's position";
  let description = [{
    x and out [T, H, d]. With half = rotary_dim / 2, p the position of token t in
    its sequence and a_i = p · theta^(-i / half) for i < half:

        out[t, h, i]        = x[t, h, i] cos a_i - x[t, h, i + half] sin a_i
        out[t, h, i + half] = x[t, h, i + half] cos a_i + x[t, h, i] sin a_i

    Features from rotary_dim on pass through. The angle is computed in float64:
    in float32 it is off by up to 0.25 near position 4 million.

    - C1: out has the shape of x.
    - C2: rotary_dim is even, not negative and at most d.
    - C3: theta is finite and positive.

    ```mlir
    func.func @rotary(%x: tensor<?x4x32xf32>, %r: !mm01.ragged, %out: tensor<?x4x32xf32>) -> tensor<?x4x32xf32> {
      %y = mm01.rotary %x, %r into %out {rotary_dim = 16, theta = 1.0e7} : tensor<?x4x32xf32> into tensor<?x4x32xf32>
      return %y : tensor<?x4x32xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_Heads:$x, Mm01_RaggedType:$ragged, Mm01_Heads:$out, I64Attr:$rotary_dim, F64Attr:$theta);
  let results = (outs Mm01_Heads:$result);
  let assemblyFormat = [{
    $x `,` $ragged `into` $out attr-dict `:` type($x) `into` type($out)
  }];
}

#endif // MM01_DENSE_OPS_TD
