//===- Mm01OpBase.td - classes that all mm01 ops share --------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_OP_BASE_TD
#define MM01_OP_BASE_TD

include "dialects/mm01/Mm01Base.td"
include "dialects/mm01/Mm01Interfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Mm01_Op<string mnemonic, list<Trait> traits = []> : Op<Mm01_Dialect, mnemonic, traits>;

// A compute op on tensors with one destination, `out`, tied to `result`.
class Mm01_ComputeOp<string mnemonic, list<Trait> traits = []>
    : Mm01_Op<mnemonic, !listconcat([Pure, DestinationStyleOpInterface, AllTypesMatch<["out", "result"]>,
                                     DeclareOpInterfaceMethods<Mm01_CostOpInterface>], traits)> {
  let hasVerifier = 1;
  code dpsDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }];
  let extraClassDeclaration = dpsDeclaration;
}

// A compute op on tensors with several destinations, the last operands in order.
class Mm01_MultiComputeOp<string mnemonic, int outs, list<Trait> traits = []>
    : Mm01_Op<mnemonic, !listconcat([Pure, DestinationStyleOpInterface,
                                     DeclareOpInterfaceMethods<Mm01_CostOpInterface>], traits)> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(getOperation(), getNumOperands() - }] # outs # [{, }] # outs # [{);
    }
  }];
}

class Mm01_TensorOf<list<Type> elements, int rank, string text>
    : ConfinedType<TensorOf<elements>, [CPred<"::llvm::isa<::mlir::RankedTensorType>($_self) && "
        "::llvm::cast<::mlir::ShapedType>($_self).getRank() == " # rank>], text>;

// What is read element by element, without scales.
def Mm01_FloatWeight : ConfinedType<Mm01_WeightType,
    [CPred<"!::llvm::cast<::mm01::WeightType>($_self).isQuantized()">], "weight stored as floats">;

def Mm01_Vector : Mm01_TensorOf<[AnyFloat], 1, "tensor of one dimension of floats">;
def Mm01_Matrix : Mm01_TensorOf<[AnyFloat], 2, "tensor of two dimensions of floats">;
def Mm01_Heads : Mm01_TensorOf<[AnyFloat], 3, "tensor of floats [tokens, heads, head size]">;
def Mm01_IndexVector : Mm01_TensorOf<[I32], 1, "tensor of one dimension of i32">;
def Mm01_IndexMatrix : Mm01_TensorOf<[I32], 2, "tensor of two dimensions of i32">;
def Mm01_Cache : Mm01_TensorOf<[AnyFloat], 5, "cache tensor of five dimensions of floats">;

#endif // MM01_OP_BASE_TD
