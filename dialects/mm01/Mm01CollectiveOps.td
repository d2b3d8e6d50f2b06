//===- Mm01CollectiveOps.td - communication between ranks -----*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_COLLECTIVE_OPS_TD
#define MM01_COLLECTIVE_OPS_TD

include "dialects/mm01/Mm01CollectiveTypes.td"
include "dialects/mm01/Mm01MeshOps.td"

// Optional operands come last: types are inferred from operands that are counted from the front.
def Mm01_Transferable : RankedTensorOf<[AnyFloat, I32, I64]>;

// Starts a collective of the group of `after` that fills `out`. The group must exist.
class Mm01_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Mm01_Op<mnemonic, !listconcat([MemoryEffects<[MemRead<Mm01_Communicator>, MemWrite<Mm01_Communicator>]>,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>, DeclareOpInterfaceMethods<Mm01_CostOpInterface>,
        Mm01_UsedOnce, AllTypesMatch<["after", "token"]>,
        TypesMatchWith<"the pending tensor has the type of out", "out", "pending",
                       "::mm01::PendingType::get(::llvm::cast<::mlir::RankedTensorType>($_self))">], traits)> {
  let hasVerifier = 1;
  let results = (outs Mm01_PendingType:$pending, Mm01_TokenType:$token);
}

def Mm01_AllReduceOp : Mm01_CollectiveOp<"all_reduce"> {
  let summary = "combines the tensors of all ranks of a group";
  let description = [{
    out on every rank = x of rank 0 ∘ x of rank 1 ∘ …, element by element, with
    ∘ sum or max.

    - C1: out has the type of x.

    ```mlir
    mm01.mesh @world <tp = 2>
    mm01.process_group @TP over @world axes ["tp"]
    func.func @all_reduce(%x: tensor<?x64xf32>, %out: tensor<?x64xf32>, %t0: !mm01.token<@TP>) -> (tensor<?x64xf32>, !mm01.token<@TP>) {
      %p, %t1 = mm01.all_reduce sum %x into %out after %t0 : tensor<?x64xf32> into tensor<?x64xf32>, !mm01.token<@TP>
      %y = mm01.wait %p : !mm01.pending<tensor<?x64xf32>>
      return %y, %t1 : tensor<?x64xf32>, !mm01.token<@TP>
    }
    ```
  }];
  let arguments = (ins Mm01_ReductionAttr:$reduction, Mm01_Transferable:$x, Mm01_Transferable:$out,
                       Mm01_TokenType:$after);
  let assemblyFormat = [{
    $reduction $x `into` $out `after` $after attr-dict `:` type($x) `into` type($out) `,` qualified(type($after))
  }];
}

def Mm01_AllGatherOp : Mm01_CollectiveOp<"all_gather"> {
  let summary = "puts the tensors of all ranks one after another";
  let description = [{
    out on every rank = x of rank 0, then of rank 1, … along one dimension. With
    `counts`, rank r contributes counts[r] rows, 0 allowed; without, all alike.

    - C1: x and out have one element type and one shape but for that dimension.
    - C2: without counts, that extent of out is the group's size times that of x.
    - C3: counts has one element a rank, and goes with dimension 0 only.

    ```mlir
    mm01.mesh @experts <etp = 2, ep = 8>
    mm01.process_group @ETP over @experts axes ["etp"]
    func.func @all_gather(%x: tensor<?x64xf32>, %counts: tensor<2xi32>, %out: tensor<?x64xf32>, %t0: !mm01.token<@ETP>) -> (tensor<?x64xf32>, !mm01.token<@ETP>) {
      %p, %t1 = mm01.all_gather %x along 0 counts %counts into %out after %t0
        : tensor<?x64xf32>, tensor<2xi32> into tensor<?x64xf32>, !mm01.token<@ETP>
      %y = mm01.wait %p : !mm01.pending<tensor<?x64xf32>>
      return %y, %t1 : tensor<?x64xf32>, !mm01.token<@ETP>
    }
    ```
  }];
  let arguments = (ins Mm01_Transferable:$x, I64Attr:$dimension, Mm01_Transferable:$out, Mm01_TokenType:$after,
                       Optional<Mm01_IndexVector>:$counts);
  let assemblyFormat = [{
    $x `along` $dimension (`counts` $counts^)? `into` $out `after` $after attr-dict
    `:` type($x) (`,` type($counts)^)? `into` type($out) `,` qualified(type($after))
  }];
}

def Mm01_ReduceScatterOp : Mm01_CollectiveOp<"reduce_scatter"> {
  let summary = "combines the tensors of all ranks and leaves each its part";
  let description = [{
    The sum or maximum over the ranks of x, of which rank r gets the r-th part along
    one dimension: rows counts[0] + … + counts[r-1] and the counts[r] - 1 that
    follow, or without `counts` the r-th of equal parts.

    - C1: x and out have one element type and one shape but for that dimension.
    - C2: without counts, that extent of x is the group's size times that of out.
    - C3: counts has one element a rank, and goes with dimension 0 only.

    ```mlir
    mm01.mesh @experts <etp = 2, ep = 8>
    mm01.process_group @ETP over @experts axes ["etp"]
    func.func @reduce_scatter(%x: tensor<8x64xf32>, %out: tensor<8x32xf32>, %t0: !mm01.token<@ETP>) -> (tensor<8x32xf32>, !mm01.token<@ETP>) {
      %p, %t1 = mm01.reduce_scatter sum %x along 1 into %out after %t0
        : tensor<8x64xf32> into tensor<8x32xf32>, !mm01.token<@ETP>
      %y = mm01.wait %p : !mm01.pending<tensor<8x32xf32>>
      return %y, %t1 : tensor<8x32xf32>, !mm01.token<@ETP>
    }
    ```
  }];
  let arguments = (ins Mm01_ReductionAttr:$reduction, Mm01_Transferable:$x, I64Attr:$dimension, Mm01_Transferable:$out,
                       Mm01_TokenType:$after, Optional<Mm01_IndexVector>:$counts);
  let assemblyFormat = [{
    $reduction $x `along` $dimension (`counts` $counts^)? `into` $out `after` $after attr-dict
    `:` type($x) (`,` type($counts)^)? `into` type($out) `,` qualified(type($after))
  }];
}

def Mm01_AllToAllOp : Mm01_CollectiveOp<"all_to_all", [AttrSizedOperandSegments]> {
  let summary = "sends each rank of a group its rows";
  let description = [{
    x is rows for rank 0, then for rank 1, …; out is rows from rank 0, then from
    rank 1, …. With `send` and `receive`, send[r] rows go to rank r and receive[r]
    come from it, 0 allowed; without, all alike.

    - C1: x and out have one element type and one shape but for dimension 0.
    - C2: without counts, x and out have the same number of rows, a multiple of the
      group's size.
    - C3: send and receive go together, with one element a rank each.

    ```mlir
    mm01.mesh @experts <etp = 2, ep = 8>
    mm01.process_group @EP over @experts axes ["ep"]
    func.func @all_to_all(%x: tensor<?x64xf32>, %send: tensor<8xi32>, %receive: tensor<8xi32>, %out: tensor<?x64xf32>, %t0: !mm01.token<@EP>) -> (tensor<?x64xf32>, !mm01.token<@EP>) {
      %p, %t1 = mm01.all_to_all %x send %send receive %receive into %out after %t0
        : tensor<?x64xf32>, tensor<8xi32>, tensor<8xi32> into tensor<?x64xf32>, !mm01.token<@EP>
      %y = mm01.wait %p : !mm01.pending<tensor<?x64xf32>>
      return %y, %t1 : tensor<?x64xf32>, !mm01.token<@EP>
    }
    ```
  }];
  let arguments = (ins Mm01_Transferable:$x, Mm01_Transferable:$out, Mm01_TokenType:$after,
                       Optional<Mm01_IndexVector>:$send, Optional<Mm01_IndexVector>:$receive);
  let assemblyFormat = [{
    $x (`send` $send^ `receive` $receive)? `into` $out `after` $after attr-dict
    `:` type($x) (`,` type($send)^ `,` type($receive))? `into` type($out) `,` qualified(type($after))
  }];
}

def Mm01_RingShiftOp : Mm01_CollectiveOp<"ring_shift"> {
  let summary = "passes a tensor on around the ring of a group";
  let description = [{
    out on rank (r + distance) mod g = x of rank r, g the size of the group.

    - C1: out has the type of x.

    ```mlir
    mm01.mesh @world <tp = 2, cp = 4>
    mm01.process_group @CP over @world axes ["cp"]
    func.func @ring_shift(%x: tensor<8x64xf32>, %out: tensor<8x64xf32>, %t0: !mm01.token<@CP>) -> (tensor<8x64xf32>, !mm01.token<@CP>) {
      %p, %t1 = mm01.ring_shift %x by 1 into %out after %t0 : tensor<8x64xf32> into tensor<8x64xf32>, !mm01.token<@CP>
      %y = mm01.wait %p : !mm01.pending<tensor<8x64xf32>>
      return %y, %t1 : tensor<8x64xf32>, !mm01.token<@CP>
    }
    ```
  }];
  let arguments = (ins Mm01_Transferable:$x, I64Attr:$distance, Mm01_Transferable:$out, Mm01_TokenType:$after);
  let assemblyFormat = [{
    $x `by` $distance `into` $out `after` $after attr-dict `:` type($x) `into` type($out) `,` qualified(type($after))
  }];
}

def Mm01_WaitOp
    : Mm01_Op<"wait", [MemoryEffects<[MemRead<Mm01_Communicator>, MemWrite<Mm01_Communicator>]>, Mm01_UsedOnce,
        TypesMatchWith<"the result is the pending tensor", "pending", "result",
                       "::llvm::cast<::mm01::PendingType>($_self).getTensor()">]> {
  let summary = "waits until a collective is done and gives its result";
  let description = [{
    ```mlir
    func.func @wait(%p: !mm01.pending<tensor<8x64xf32>>) -> tensor<8x64xf32> {
      %y = mm01.wait %p : !mm01.pending<tensor<8x64xf32>>
      return %y : tensor<8x64xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_PendingType:$pending);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$pending attr-dict `:` qualified(type($pending))";
}

#endif // MM01_COLLECTIVE_OPS_TD
