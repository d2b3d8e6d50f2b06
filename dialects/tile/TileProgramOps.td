//===- TileProgramOps.td - kernels, roles and places -------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_PROGRAM_OPS_TD
#define TILE_PROGRAM_OPS_TD

include "dialects/tile/TileBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_KernelOp : Tile_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "a program of one cluster of thread blocks";
  let description = [{
    Runs once for every cluster of a grid. Arguments: memrefs, scalars, and tensor
    maps, through which bulk copies move tiles. Before roles are assigned it is a
    sequential program; after that its body holds `tile.role` operations, which
    run at the same time.

    - C1: it has no results.
    - C2: `cluster`, the number of its blocks, which lie along x, is from 1 to 8.

    ```mlir
    tile.kernel @nothing(%x: memref<?xf32>, %n: index) attributes {cluster = 2 : i64} {
      tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       DefaultValuedAttr<I64Attr, "1">:$cluster);
  let regions = (region AnyRegion:$body);
  let extraClassDeclaration = [{
    mlir::ArrayRef<mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    mlir::ArrayRef<mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    mlir::Region *getCallableRegion() { return &getBody(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, HasParent<"KernelOp">, Terminator]> {
  let summary = "ends a kernel";
  let description = [{
    ```mlir
    tile.kernel @nothing() {
      tile.return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_RoleOp : Tile_Op<"role", [HasParent<"KernelOp">, NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "what one warp group, or one thread, of a kernel does";
  let description = [{
    All roles of a kernel run at the same time and meet at its end. A role runs on
    a warp group of 128 threads, or on as many as `groups` says, which hold tiles of
    64 rows for each group together; with `single` on one thread, and single roles
    share the first warp group. `registers` is what each thread of the warp groups
    may use; single roles of one kernel have the same number.

    - C1: `registers` is a multiple of 8 from 24 to 256.
    - C2: there are 1 to 4 groups, and 1 of a single role.

    ```mlir
    tile.kernel @two() {
      tile.role "load" registers 40 single {
      }
      tile.role "compute" registers 232 groups 2 {
      }
      tile.return
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$registers, UnitAttr:$single, DefaultValuedAttr<I64Attr, "1">:$groups);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `registers` $registers (`single` $single^)? (`groups` $groups^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "the row or the column of each element";
  let description = [{
    `result[i, j] = i` for dimension 0 and `j` for dimension 1. Factors that depend
    on a place are arithmetic on it; a thread computes only what differs among its
    own elements.

    - C1: the dimension is 0 or 1.

    ```mlir
    func.func @rows() -> tensor<64x64xi32> {
      %rows = tile.iota 0 : tensor<64x64xi32>
      return %rows : tensor<64x64xi32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$dimension);
  let results = (outs Tile_FragmentOf<[I32]>:$result);
  let assemblyFormat = "$dimension attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // TILE_PROGRAM_OPS_TD
