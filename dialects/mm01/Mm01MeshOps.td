//===- Mm01MeshOps.td - meshes, process groups and tokens -----*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_MESH_OPS_TD
#define MM01_MESH_OPS_TD

include "dialects/mm01/Mm01CollectiveTypes.td"
include "dialects/mm01/Mm01OpBase.td"

def Mm01_MeshOp : Mm01_Op<"mesh", [Symbol]> {
  let summary = "names the axes of a grid of ranks";
  let description = [{
    Rank = Σ_i coordinate_i · Π_{j<i} extent_j: neighbours on the first axis have
    neighbouring ranks. A module may have several meshes over the same ranks, such
    as one for dense layers and one for experts.

    - C1: there is at least one axis, and their names differ.
    - C2: extents are positive, and there are fewer than 2^31 ranks.
    - C3: all meshes of a module have one number of ranks.

    ```mlir
    mm01.mesh @world <tp = 2, cp = 4, dp = 4, pp = 2>
    mm01.mesh @experts <etp = 2, ep = 8, edp = 2, pp = 2>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$axes, DenseI64ArrayAttr:$extents);
  let assemblyFormat = "$sym_name custom<MeshAxes>($axes, $extents) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Number of ranks.
    int64_t getSize();
  }];
}

def Mm01_ProcessGroupOp : Mm01_Op<"process_group", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "splits the ranks into groups along axes of a mesh";
  let description = [{
    Ranks whose coordinates differ on these axes only are one group; each rank is in
    one. In its group a rank has the number that the mesh's formula gives it over
    these axes alone.

    - C1: the mesh is an `mm01.mesh`.
    - C2: the axes are axes of the mesh, at least one, in its order.

    ```mlir
    mm01.mesh @world <tp = 2, cp = 4, dp = 4, pp = 2>
    mm01.process_group @TP over @world axes ["tp"]
    mm01.process_group @SHARDS over @world axes ["cp", "dp"]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$mesh, StrArrayAttr:$axes);
  let assemblyFormat = "$sym_name `over` $mesh `axes` $axes attr-dict";
  let extraClassDeclaration = [{
    /// Number of ranks in each group; 0 where the mesh or an axis is missing.
    int64_t getSize();
  }];
}

def Mm01_RankOp : Mm01_Op<"rank", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the number of this rank in its group";
  let description = [{
    - C1: the group is an `mm01.process_group`.

    ```mlir
    mm01.mesh @world <tp = 2>
    mm01.process_group @TP over @world axes ["tp"]
    func.func @rank() -> index {
      %r = mm01.rank @TP
      return %r : index
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group);
  let results = (outs Index:$result);
  let assemblyFormat = "$group attr-dict";
}

def Mm01_TokenStartOp
    : Mm01_Op<"token_start", [MemoryEffects<[MemRead<Mm01_Communicator>, MemWrite<Mm01_Communicator>]>, Mm01_UsedOnce,
                              DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "starts the chain of tokens of a group";
  let description = [{
    - C1: the group is an `mm01.process_group`.
    - C2: it is the only chain of its group in the function: there is no other
      start, and the token is no argument.

    ```mlir
    mm01.mesh @world <tp = 2>
    mm01.process_group @TP over @world axes ["tp"]
    func.func @nothing() {
      %t = mm01.token_start : !mm01.token<@TP>
      mm01.token_end %t : !mm01.token<@TP>
      return
    }
    ```
  }];
  let results = (outs Mm01_TokenType:$token);
  let assemblyFormat = "attr-dict `:` qualified(type($token))";
}

def Mm01_TokenEndOp
    : Mm01_Op<"token_end", [MemoryEffects<[MemRead<Mm01_Communicator>, MemWrite<Mm01_Communicator>]>, Mm01_UsedOnce]> {
  let summary = "ends the chain of tokens of a group";
  let description = [{
    ```mlir
    func.func @end(%t: !mm01.token<@TP>) {
      mm01.token_end %t : !mm01.token<@TP>
      return
    }
    ```
  }];
  let arguments = (ins Mm01_TokenType:$token);
  let assemblyFormat = "$token attr-dict `:` qualified(type($token))";
}

#endif // MM01_MESH_OPS_TD
