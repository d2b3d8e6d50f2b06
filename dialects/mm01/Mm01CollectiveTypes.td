//===- Mm01CollectiveTypes.td - tokens and pending results ----*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_COLLECTIVE_TYPES_TD
#define MM01_COLLECTIVE_TYPES_TD

include "dialects/mm01/Mm01Base.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Mm01_TokenType : Mm01_Type<"Token", "token"> {
  let summary = "the place of a collective in the order of its process group";
  let description = [{
    Ranks of a group must start the same collectives in the same order, or they
    wait for each other for ever. So each collective takes the token of its group
    and returns the next one: the order is the chain of tokens. A chain is started
    by `mm01.token_start`, or is an argument of the function, and goes to the end:
    a token is used exactly once, in the block that makes it. Through a loop it
    goes as an iteration argument; into a branch, which ranks might take
    differently, it does not go at all. Chains of different groups are unordered.

    ```mlir
    func.func private @layer(!mm01.token<@EP>) -> !mm01.token<@EP>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$group);
  let assemblyFormat = "`<` $group `>`";
}

def Mm01_PendingType : Mm01_Type<"Pending", "pending"> {
  let summary = "the result of a collective that has started";
  let description = [{
    What runs between the collective and the `mm01.wait` that gives the tensor
    overlaps with the transfer. Like a token it is used exactly once, in the block
    that makes it.

    ```mlir
    func.func private @overlap(!mm01.pending<tensor<?x64xf32>>) -> tensor<?x64xf32>
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tensor);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tensor), [{
    return $_get(tensor.getContext(), tensor);
  }]>];
  let assemblyFormat = "`<` $tensor `>`";
}

def Mm01_Reduction : I32EnumAttr<"Reduction", "how a collective combines elements of the ranks", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>]> {
  let cppNamespace = "::mm01";
  let genSpecializedAttr = 0;
}
def Mm01_ReductionAttr : EnumAttr<Mm01_Dialect, Mm01_Reduction, "reduction">;

// What collectives read and write: their order is observable, their tensors are values.
def Mm01_Communicator : Resource<"::mm01::CommunicatorResource">;

// Verifies that tokens and pending results are used exactly once.
def Mm01_UsedOnce : NativeOpTrait<"VerifyUsedOnce"> { let cppNamespace = "::mm01"; }

#endif // MM01_COLLECTIVE_TYPES_TD
