//===- Mm01AttentionOps.td - attention over ragged batches ----*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_ATTENTION_OPS_TD
#define MM01_ATTENTION_OPS_TD

include "dialects/mm01/Mm01OpBase.td"

def Mm01_LightningAttentionOp
    : Mm01_MultiComputeOp<"lightning_attention", 2,
        [AllTypesMatch<["out", "result"]>, AllTypesMatch<["state", "new_state"]>]> {
  let summary = "linear attention with a decay for each head, over a ragged batch";
  let description = [{
    q, k, v and out [T, H, d], slopes [H], state [layers, slots, H, d, d]; of the
    state only `[layer, slot[n], :, :, :]` is used. For each sequence n and head h
    with slope s, S the state of its slot, or zero where past[n] is 0:

        for each token t of the sequence:  S <- exp(-s) S + k[t]ᵀ v[t];  out[t] = q[t] S

    and S goes back to the slot (arXiv 2501.08313, section 2.2, in the order that
    the released model uses: update, then read). No rotary embedding, scale or
    denominator. Slopes, decays and the state are float32 at least.

    - C1: q, k, v and out have one shape, and q, k and v one element type.
    - C2: there is one slope for each head.
    - C3: the state is [layers, slots, H, d, d].
    - C4: slopes and state are not narrower than 32 bits.

    ```mlir
    func.func @lightning(%q: tensor<?x4x32xf32>, %k: tensor<?x4x32xf32>, %v: tensor<?x4x32xf32>, %slopes: tensor<4xf32>,
                         %r: !mm01.ragged, %layer: index, %out: tensor<?x4x32xf32>, %state: tensor<7x?x4x32x32xf32>)
        -> (tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>) {
      %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state
        : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
      return %o, %s : tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_Heads:$q, Mm01_Heads:$k, Mm01_Heads:$v, Mm01_Vector:$slopes, Mm01_RaggedType:$ragged,
                       Index:$layer, Mm01_Heads:$out, Mm01_Cache:$state);
  let results = (outs Mm01_Heads:$result, Mm01_Cache:$new_state);
  let assemblyFormat = [{
    $q `,` $k `,` $v `,` $slopes `,` $ragged `,` $layer `into` $out `,` $state attr-dict
    `:` custom<SameTypes>(type($q), type($k), type($v)) `,` type($slopes) `into` type($out) `,` type($state)
  }];
}

def Mm01_CacheUpdateOp
    : Mm01_MultiComputeOp<"cache_update", 2,
        [AllTypesMatch<["keys", "new_keys"]>, AllTypesMatch<["values", "new_values"]>]> {
  let summary = "writes the keys and values of new tokens into their pages";
  let description = [{
    k and v [T, KV, d]; keys and values [layers, pages, page size, KV, d]. A token
    at position p of sequence n goes to row `p mod page size` of page
    `page_table[n, p / page size]` of the layer.

    - C1: k and v have one type.
    - C2: keys and values have one type, [layers, pages, page size, KV, d] with KV
      and d of k and a static page size.

    ```mlir
    func.func @update(%k: tensor<?x2x32xf32>, %v: tensor<?x2x32xf32>, %r: !mm01.ragged, %layer: index,
                      %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x64x2x32xf32>)
        -> (tensor<1x?x64x2x32xf32>, tensor<1x?x64x2x32xf32>) {
      %nk, %nv = mm01.cache_update %k, %v, %r, %layer into %keys, %values
        : tensor<?x2x32xf32> into tensor<1x?x64x2x32xf32>
      return %nk, %nv : tensor<1x?x64x2x32xf32>, tensor<1x?x64x2x32xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_Heads:$k, Mm01_Heads:$v, Mm01_RaggedType:$ragged, Index:$layer, Mm01_Cache:$keys,
                       Mm01_Cache:$values);
  let results = (outs Mm01_Cache:$new_keys, Mm01_Cache:$new_values);
  let assemblyFormat = [{
    $k `,` $v `,` $ragged `,` $layer `into` $keys `,` $values attr-dict
    `:` custom<SameTypes>(type($k), type($v)) `into` custom<SameTypes>(type($keys), type($values))
  }];
}

def Mm01_SoftmaxAttentionOp : Mm01_ComputeOp<"softmax_attention"> {
  let summary = "causal softmax attention with grouped queries against paged keys and values";
  let description = [{
    q and out [T, H, d]; keys and values [layers, pages, page size, KV, d], which
    hold the tokens of this call already. Query head h reads key head
    h / (H / KV). For a token at position p of sequence n:

        out[t, h] = Σ_{j <= p} softmax_j(scale · q[t, h] · key[j]) value[j]

    with the softmax in float32 at least.

    - C1: out has the shape of q.
    - C2: keys and values have one type, [layers, pages, page size, KV, d] with d
      of q and a static page size.
    - C3: H is a multiple of KV.
    - C4: scale is finite.

    ```mlir
    func.func @attention(%q: tensor<?x4x32xf32>, %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x64x2x32xf32>,
                         %r: !mm01.ragged, %layer: index, %out: tensor<?x4x32xf32>) -> tensor<?x4x32xf32> {
      %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {scale = 0.17677669529663687}
        : tensor<?x4x32xf32>, tensor<1x?x64x2x32xf32> into tensor<?x4x32xf32>
      return %o : tensor<?x4x32xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_Heads:$q, Mm01_Cache:$keys, Mm01_Cache:$values, Mm01_RaggedType:$ragged, Index:$layer,
                       Mm01_Heads:$out, F64Attr:$scale);
  let results = (outs Mm01_Heads:$result);
  let assemblyFormat = [{
    $q `,` $keys `,` $values `,` $ragged `,` $layer `into` $out attr-dict
    `:` type($q) `,` custom<SameTypes>(type($keys), type($values)) `into` type($out)
  }];
}

#endif // MM01_ATTENTION_OPS_TD
