//===- Mm01SamplingOps.td - choosing tokens -------------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_SAMPLING_OPS_TD
#define MM01_SAMPLING_OPS_TD

include "dialects/mm01/Mm01OpBase.td"

def Mm01_Logits : Mm01_TensorOf<[F32], 2, "tensor of two dimensions of f32">;
def Mm01_DrawVector : Mm01_TensorOf<[I64], 1, "tensor of one dimension of i64">;

def Mm01_SampleOp
    : Mm01_MultiComputeOp<"sample", 2,
        [AllTypesMatch<["tokens", "new_tokens"]>, AllTypesMatch<["problems", "new_problems"]>]> {
  let summary = "draws a token from each row of logits";
  let description = [{
    logits [N, V], draws, tokens and problems [N]. For each row l, with temperature
    τ, top_k k and top_p p:

    - `w[v] = exp((l[v] - max(l)) / τ)`; one below 2^-40 counts as 0.
    - Tokens are ordered by logit, the highest first, of equal ones the lowest id
      first. K are the first k of them, or all where k is 0 or above V. Of K stay
      the fewest first ones whose weights add up to p · Σ_K w, at least one.
    - tokens[n] is the least v in K with `Σ_{u ∈ K, u ≤ v} w[u] > d · Σ_K w`, d being
      draws[n] / 2^64, the draw read as an unsigned number.
    - A τ of 0 takes the first token of that order, whatever the draw.

    problems[n] is 0, or says why a row has no such token: 1, tokens[n] is the first
    logit that is no finite number and above -infinity, and it is NaN; 2, it is
    +infinity; 3, all logits are -infinity.

    Kernels add up whole numbers, so that a row's token is the same on every target
    and in every batch. They require τ >= 0, k >= 0 and 0 <= p <= 1.

    - C1: draws, tokens and problems have as many elements as logits has rows.
    - C2: V is static, at least 1 and at most 2^22.

    ```mlir
    func.func @sample(%logits: tensor<?x256xf32>, %draws: tensor<?xi64>, %temperature: f32, %k: i64, %p: f32,
                      %tokens: tensor<?xi32>, %problems: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
      %t, %s = mm01.sample %logits, %draws temperature %temperature top_k %k top_p %p into %tokens, %problems
        : tensor<?x256xf32>, tensor<?xi64> into tensor<?xi32>, tensor<?xi32>
      return %t, %s : tensor<?xi32>, tensor<?xi32>
    }
    ```
  }];
  let arguments = (ins Mm01_Logits:$logits, Mm01_DrawVector:$draws, F32:$temperature, I64:$top_k, F32:$top_p,
                       Mm01_IndexVector:$tokens, Mm01_IndexVector:$problems);
  let results = (outs Mm01_IndexVector:$new_tokens, Mm01_IndexVector:$new_problems);
  let assemblyFormat = [{
    $logits `,` $draws `temperature` $temperature `top_k` $top_k `top_p` $top_p `into` $tokens `,` $problems attr-dict
    `:` type($logits) `,` type($draws) `into` type($tokens) `,` type($problems)
  }];
}

#endif // MM01_SAMPLING_OPS_TD
