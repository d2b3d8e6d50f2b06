//===- Mm01ModelOps.td - parameters and ragged batches --------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_MODEL_OPS_TD
#define MM01_MODEL_OPS_TD

include "dialects/mm01/Mm01OpBase.td"

def Mm01_ParameterOp : Mm01_Op<"parameter", [Symbol]> {
  let summary = "declares a program parameter and how a checkpoint makes it";
  let description = [{
    The sources are alternatives, one for each checkpoint layout: the runtime
    binds the first whose tensors all exist. Nothing is copied: a part is a
    pointer into the mapped file. Only what is quantised is made in memory when it
    is bound, from tensors of the `stored` type. A weight argument of an entry
    function names its parameter with the argument attribute `mm01.parameter`.

    - C1: there is at least one source.
    - C2: a stack source (`{}` in the name) has the shape of one part.
    - C3: another source has rows of the part's last extent, and rows enough for
      every part; parts do not overlap.
    - C4: a quantised parameter, and no other, says that its tensors are stored as
      f32, f16 or bf16.

    ```mlir
    mm01.parameter @final_norm : !mm01.weight<64xbf16> from [#mm01.source<"model.norm.weight" : 64>]
    mm01.parameter @w2 : !mm01.weight<4x64x96xbf16> from [
      #mm01.source<"experts.{}.w2.weight" : 64x96>,
      #mm01.source<"experts.down_proj" : 4x64x96, rows 0 stride 64>]
    mm01.parameter @out : !mm01.weight<64x96xi8> from [#mm01.source<"out_proj" : 64x96>] stored bf16
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Mm01_WeightType>:$type,
                       TypedArrayAttrBase<Mm01_SourceAttr, "sources">:$sources, OptionalAttr<TypeAttr>:$stored);
  let assemblyFormat = "$sym_name `:` $type `from` $sources (`stored` $stored^)? attr-dict";
  let hasVerifier = 1;
}

def Mm01_WeightPartOp : Mm01_Op<"weight_part", [Pure]> {
  let summary = "reads one part of a weight as a tensor";
  let description = [{
    The result is the memory of the weight itself and is never written.

    - C1: the result is the type of a part of the weight.

    ```mlir
    func.func @part(%w: !mm01.weight<4x96x64xbf16>, %e: index) -> tensor<96x64xbf16> {
      %p = mm01.weight_part %w[%e] : !mm01.weight<4x96x64xbf16> -> tensor<96x64xbf16>
      return %p : tensor<96x64xbf16>
    }
    ```
  }];
  let arguments = (ins Mm01_WeightType:$weight, Index:$part);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$weight `[` $part `]` attr-dict `:` type($weight) `->` type($result)";
  let hasVerifier = 1;
}

def Mm01_WeightScalesOp : Mm01_Op<"weight_scales", [Pure]> {
  let summary = "reads the scales of one part of a quantised weight as a tensor";
  let description = [{
    Row n of the part stands for `scales[n]` times its int8 elements. The result is
    the memory of the weight itself and is never written.

    - C1: the weight is quantised.
    - C2: the result is [rows of a part] in f32.

    ```mlir
    func.func @scales(%w: !mm01.weight<4x96x64xi8>, %e: index) -> tensor<96xf32> {
      %s = mm01.weight_scales %w[%e] : !mm01.weight<4x96x64xi8> -> tensor<96xf32>
      return %s : tensor<96xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_WeightType:$weight, Index:$part);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$weight `[` $part `]` attr-dict `:` type($weight) `->` type($result)";
  let hasVerifier = 1;
}

def Mm01_RaggedSizeOp : Mm01_Op<"ragged_size", [Pure]> {
  let summary = "a size of a ragged batch: T, N, P, or its sequences of several tokens";
  let description = [{
    `several` counts the sequences that have more than one token in this call: 0 in
    a decode batch, N where all do. It is for grids alone: no buffer may be as long.

    ```mlir
    func.func @sizes(%r: !mm01.ragged) -> (index, index) {
      %t = mm01.ragged_size %r tokens
      %prefills = mm01.ragged_size %r several
      return %t, %prefills : index, index
    }
    ```
  }];
  let arguments = (ins Mm01_RaggedType:$ragged, Mm01_RaggedExtentAttr:$extent);
  let results = (outs Index:$result);
  let assemblyFormat = "$ragged $extent attr-dict";
}

def Mm01_RaggedGetOp : Mm01_Op<"ragged_get", [Pure]> {
  let summary = "reads one element of an array of a ragged batch";
  let description = [{
    `several_sequence[i]` is the i-th sequence of several tokens, for i less than the
    size `several`.

    - C1: `page_table` takes two indices (sequence, page), every other field one.

    ```mlir
    func.func @page(%r: !mm01.ragged, %i: index, %p: index) -> (index, index) {
      %n = mm01.ragged_get %r several_sequence[%i]
      %past = mm01.ragged_get %r past[%n]
      %page = mm01.ragged_get %r page_table[%n, %p]
      return %past, %page : index, index
    }
    ```
  }];
  let arguments = (ins Mm01_RaggedType:$ragged, Mm01_RaggedFieldAttr:$field, Variadic<Index>:$indices);
  let results = (outs Index:$result);
  let assemblyFormat = "$ragged $field `[` $indices `]` attr-dict";
  let hasVerifier = 1;
}

#endif // MM01_MODEL_OPS_TD
