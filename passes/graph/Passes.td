//===- Passes.td - passes on whole models ---------------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_GRAPH_PASSES_TD
#define MM01_PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddRandomWeightsPass : Pass<"mm01-add-random-weights", "::mlir::ModuleOp"> {
  let summary = "adds functions that make random weights";
  let description = [{
    For each type in which the module's parameters are stored, adds a public function
    with the attribute `mm01.helper`, which the runtime calls to make the weights of
    `random:SEED` where the program runs: the elements `first`, `first + 1`, … of a
    tensor of a checkpoint, as docs/contract.md fixes their bits. `name` is the hash of
    the tensor's name, `scale` and `offset` follow from its shape.

    For each type that quantised parameters are stored in there is a second one, which
    makes int8 elements of such rows, and the scale of each row: bit by bit what the
    runtime makes on a processor.

    Refuses a module that has something else of a function's name. Running it again
    changes nothing.

    ```mlir
    mm01.parameter @w : !mm01.weight<96x64xbf16> from [#mm01.source<"w" : 96x64>]
    ```

    gets

    ```text
    func.func @random_weights_bf16(%to: tensor<?xbf16>, %seed: i64, %name: i64, %first: i64,
                                   %scale: f32, %offset: f32) -> tensor<?xbf16> attributes {mm01.helper}
    ```

    and, were it an i8 parameter that is stored in bf16,

    ```text
    func.func @quantize_rows_bf16(%from: tensor<?x?xbf16>, %to: tensor<?x?xi8>, %scales: tensor<?xf32>)
        -> (tensor<?x?xi8>, tensor<?xf32>) attributes {mm01.helper}
    ```
  }];
  let dependentDialects = ["::mm01::Mm01Dialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def AddSamplingPass : Pass<"mm01-add-sampling", "::mlir::ModuleOp"> {
  let summary = "adds functions that choose tokens from logits";
  let description = [{
    For each size V of a vocabulary that public functions have a result of role
    `logits` of, `tensor<?xVxf32>`, adds a public function with the attribute
    `mm01.helper`, which the runtime calls after a step: one `mm01.sample`, whose
    operands are its arguments.

    Refuses a module that has something else of the function's name. Running it
    again changes nothing. Not a goal: logits of another type, of more than 2^22
    tokens, or of a number of them that is not static; such a result gets none.

    ```mlir
    func.func @forward(%x: tensor<?x256xf32>) -> (tensor<?x256xf32> {mm01.role = "logits"}) {
      return %x : tensor<?x256xf32>
    }
    ```

    gets

    ```text
    func.func @sample_256(%logits: tensor<?x256xf32>, %draws: tensor<?xi64>, %temperature: f32, %top_k: i64,
                          %top_p: f32, %tokens: tensor<?xi32>, %problems: tensor<?xi32>)
        -> (tensor<?xi32>, tensor<?xi32>) attributes {mm01.helper}
    ```
  }];
  let dependentDialects = ["::mm01::Mm01Dialect", "::mlir::func::FuncDialect"];
}

def AnnotateCostPass : Pass<"mm01-annotate-cost", "::mlir::ModuleOp"> {
  let summary = "writes on each op what it costs at given sizes";
  let description = [{
    Sets `mm01.cost` on each op that has a cost: `flops`, `bytes_read`,
    `bytes_written` and, of collectives, `bytes_sent`, for one execution at the
    sizes of the options; whole numbers, at most 2^63 - 1. Each function gets the sum over its ops, in which a call
    counts as its callee: the entry's is the cost of a step. Upstream ops count
    nothing, and a loop's body counts once.

    Fails where functions call each other in a circle, where a size is negative, and
    where tokens times experts would overflow.

    ```mlir
    func.func @norm(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = mm01.rms_norm %x, %w into %out {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```

    with `tokens=10` puts
    `mm01.cost = {bytes_read = 2688 : i64, bytes_written = 2560 : i64, flops = 2560 : i64}`
    on the norm and on the function.
  }];
  let options = [
    Option<"tokens", "tokens", "int64_t", "1", "T, tokens in the call">,
    Option<"sequences", "sequences", "int64_t", "1", "N, sequences in the call">,
    Option<"rows", "rows", "int64_t", "1", "R, rows of logits wanted">,
    Option<"context", "context", "int64_t", "1", "keys that a token attends to, on average">,
    Option<"expertsPerToken", "experts-per-token", "int64_t", "0",
           "experts that each token goes to; 0: what the module's routing says">,
  ];
  let dependentDialects = ["::mm01::Mm01Dialect"];
}

def QuantizeWeightsPass : Pass<"mm01-quantize-weights", "::mlir::ModuleOp"> {
  let summary = "makes the weights of linear maps int8";
  let description = [{
    Which weights, the module attribute `mm01.quantize` says: `"int8"` covers the
    weights of `mm01.linear` and `mm01.grouped_linear` but those of router gates,
    which are the linear maps that the logits of a `mm01.route` are computed from;
    `"int8-experts"` those of `mm01.grouped_linear` alone. A module without the
    attribute stays as it is.

    A weight becomes int8 where everything that uses it is covered, in all functions
    that it is passed to: `!mm01.weight<…xbf16>` becomes `!mm01.weight<…xi8>`, of the
    parameter too, which keeps its former type as `stored`. Weights of embeddings,
    norms and heads stay, as does one that is passed to a function without a body.
    Running the pass again changes nothing. It moves no data: weights are
    quantised when they are bound.

    ```mlir
    module attributes {mm01.quantize = "int8"} {
      mm01.parameter @w : !mm01.weight<96x64xbf16> from [#mm01.source<"w" : 96x64>]
      func.func @linear(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16> {mm01.parameter = @w}, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
        %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
        return %y : tensor<?x96xf32>
      }
    }
    ```

    makes `@w` a `!mm01.weight<96x64xi8>` that is `stored bf16`.
  }];
  let dependentDialects = ["::mm01::Mm01Dialect"];
}

def RelateCachesPass : Pass<"mm01-relate-caches", "::mlir::ModuleOp"> {
  let summary = "says what addresses the caches of an entry";
  let description = [{
    Sets `mm01.cache_uses` on arguments of public functions that are caches of
    `mm01.lightning_attention`, `mm01.cache_update` or `mm01.softmax_attention` and
    have no role: for each way in which they are addressed the argument of the
    batch, whether its slots or its pages are rows of the cache, and its layer: an
    argument, or the number of layers that a constant asks for; neither where it is
    computed. Follows caches through loops and calls.

    Requires nothing, and changes nothing else.

    ```mlir
    func.func @attend(%q: tensor<?x4x32xf32>, %keys: tensor<1x?x64x2x32xf32>, %values: tensor<1x?x64x2x32xf32>,
                      %r: !mm01.ragged, %layer: index, %out: tensor<?x4x32xf32>) -> tensor<?x4x32xf32> {
      %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {scale = 0.17677669529663687}
        : tensor<?x4x32xf32>, tensor<1x?x64x2x32xf32> into tensor<?x4x32xf32>
      return %o : tensor<?x4x32xf32>
    }
    ```

    gives `%keys` and `%values` the attribute with one dictionary,
    `{batch = 3 : i64, layer = 4 : i64, rows = "pages"}`.
  }];
  let dependentDialects = ["::mm01::Mm01Dialect"];
}

def RelateExtentsPass : Pass<"mm01-relate-extents", "::mlir::ModuleOp"> {
  let summary = "says which extents of an entry's arguments must be equal";
  let description = [{
    Sets `mm01.extents` on arguments of public functions: an array with an element
    for each dimension of a tensor, for T, N and P of a ragged batch, and for the
    value of an index. A string means that the extent is equal to all of that name,
    a number that it must be that, `unit` that it may be any. Static extents, and
    arguments of which nothing is known, get none.

    Looks at what is executed in every call: the ops of the function's first block,
    by their `ExtentOpInterface`, by linalg's indexing maps, by destinations and as
    elementwise ops, and the functions that it calls. Relations that depend on data
    or hold in a branch or loop alone are not found.

    Requires nothing, and changes nothing else.

    ```mlir
    func.func @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %z = arith.addf %x, %y : tensor<?xf32>
      return %z : tensor<?xf32>
    }
    ```

    becomes

    ```mlir
    func.func @add(%x: tensor<?xf32> {mm01.extents = ["e0"]}, %y: tensor<?xf32> {mm01.extents = ["e0"]}) -> tensor<?xf32> {
      %z = arith.addf %x, %y : tensor<?xf32>
      return %z : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mm01::Mm01Dialect"];
}

def VerifyTokensPass : Pass<"mm01-verify-tokens", "::mlir::ModuleOp"> {
  let summary = "checks that each group's collectives are one chain";
  let description = [{
    The verifiers of the ops check the tokens that they make and take. This pass
    checks the rest, so that the order of a group's collectives is known in the
    whole program:

    - tokens and pending results that are arguments, or results of calls and loops,
      are used exactly once, too, in the block that makes them;
    - a function has one chain of a group at a time: at most one token argument;
    - a chain starts in a function that nobody calls, since the caller would have no
      place for it in its own order.

    Changes nothing.

    ```mlir
    mm01.mesh @world <tp = 2>
    mm01.process_group @TP over @world axes ["tp"]
    func.func private @layer(%t: !mm01.token<@TP>) -> !mm01.token<@TP> {
      return %t : !mm01.token<@TP>
    }
    func.func @step() {
      %t0 = mm01.token_start : !mm01.token<@TP>
      %t1 = call @layer(%t0) : (!mm01.token<@TP>) -> !mm01.token<@TP>
      mm01.token_end %t1 : !mm01.token<@TP>
      return
    }
    ```
  }];
}

#endif // MM01_PASSES_GRAPH_PASSES_TD
