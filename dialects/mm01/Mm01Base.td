//===- Mm01Base.td - the mm01 dialect, its types and attributes -*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_BASE_TD
#define MM01_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Mm01_Dialect : Dialect {
  let name = "mm01";
  let cppNamespace = "::mm01";
  let summary = "MiniMax-01 models on tensors, independent of any target";
  let description = [{
    What upstream MLIR lacks to say a MiniMax-01 model: lightning and softmax
    attention over ragged batches with caches, routing and grouped expert
    linear, rotary embedding, RMS norm, parameters bound to checkpoint tensors,
    and collectives over process groups. Elementwise arithmetic stays in linalg,
    arith and math, so that upstream fusion applies.

    Every compute op is in destination-passing style: each result is tied to the
    `into` operand of the same position and has its type.

    Function arguments and results carry two attributes: `mm01.role`, the name by
    which the runtime knows a value (`"tokens"`, `"keys"`, …), and
    `mm01.parameter`, the `mm01.parameter` symbol that a weight argument is bound
    to.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Mm01_Type<string name, string typeMnemonic> : TypeDef<Mm01_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Mm01_RaggedType : Mm01_Type<"Ragged", "ragged"> {
  let summary = "the layout of a ragged batch: T tokens of N sequences";
  let description = [{
    One value for everything that says which token belongs to which sequence: the
    extents T (tokens), N (sequences) and P (pages a sequence), how many of the
    sequences have several tokens, and the fields of `mm01_ragged` in
    `runtime/abi/program.h`. An op that takes it knows that its
    token dimension is T, so that no equality between dynamic extents is lost.
    It is constant during a call.
  }];
}

def Mm01_WeightType : Mm01_Type<"Weight", "weight"> {
  let summary = "a read-only parameter in its storage type";
  let description = [{
    A handle on bound memory, not a tensor: it can be read in place from a mapped
    file, its parts may lie anywhere, and no pass can copy it by accident. One or
    two dimensions are one part; of three, each index of the first is a part of
    its own (the experts of a layer).

    Elements are f32, f16 or bf16, or i8: then the weight is quantised, each row of
    a part has a float32 scale, and element [n, k] stands for `q[n, k] · scale[n]`.
    Scales belong to the weight; docs/contract.md says how they are made.

    ```mlir
    func.func private @weights(!mm01.weight<64xbf16>, !mm01.weight<96x64xbf16>,
                               !mm01.weight<4x96x64xi8>)
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// How many separately bound pieces of memory the weight has.
    int64_t getParts() const { return getShape().size() == 3 ? getShape().front() : 1; }
    /// The type of one part as a tensor, of one or two dimensions.
    ::mlir::RankedTensorType getPartType() const;
    /// Whether elements are i8 with a scale for each row.
    bool isQuantized() const { return getElementType().isInteger(8); }
    /// The type of the scales of one part: [rows] in f32.
    ::mlir::RankedTensorType getScalesType() const;
    int64_t getNumElements() const;
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Mm01_SourceAttr : AttrDef<Mm01_Dialect, "Source"> {
  let mnemonic = "source";
  let summary = "where in a checkpoint the parts of a parameter are";
  let description = [{
    With `{}` in the name, part i is the whole tensor of that name with i put in.
    Without it, part i is rows `[first + i·stride, … + rows of a part)` of the
    tensor seen as `[product of all extents but the last, last extent]`. The shape
    is that of the tensor in the checkpoint.

    ```mlir
    mm01.parameter @w1 : !mm01.weight<4x96x64xbf16> from [
      #mm01.source<"experts.{}.w1.weight" : 96x64>,
      #mm01.source<"experts.gate_up_proj" : 4x192x64, rows 0 stride 192>]
    ```
  }];
  let parameters = (ins StringRefParameter<>:$tensor, ArrayRefParameter<"int64_t">:$shape,
                        "int64_t":$firstRow, "int64_t":$rowStride);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isStack() const { return getTensor().contains("{}"); }
  }];
}

def Mm01_RaggedExtent : I32EnumAttr<"RaggedExtent", "an extent of a ragged batch", [
    I32EnumAttrCase<"tokens", 0>, I32EnumAttrCase<"sequences", 1>,
    I32EnumAttrCase<"pages", 2>, I32EnumAttrCase<"several", 3>]> {
  let cppNamespace = "::mm01";
  let genSpecializedAttr = 0;
}
def Mm01_RaggedExtentAttr : EnumAttr<Mm01_Dialect, Mm01_RaggedExtent, "extent">;

def Mm01_RaggedField : I32EnumAttr<"RaggedField", "an array of a ragged batch", [
    I32EnumAttrCase<"seq_offsets", 0>, I32EnumAttrCase<"past", 1>,
    I32EnumAttrCase<"slot", 2>, I32EnumAttrCase<"page_table", 3>,
    I32EnumAttrCase<"token_sequence", 4>, I32EnumAttrCase<"token_position", 5>,
    I32EnumAttrCase<"several_sequence", 6>]> {
  let cppNamespace = "::mm01";
  let genSpecializedAttr = 0;
}
def Mm01_RaggedFieldAttr : EnumAttr<Mm01_Dialect, Mm01_RaggedField, "field">;

#endif // MM01_BASE_TD
