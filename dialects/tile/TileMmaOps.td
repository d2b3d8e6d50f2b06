//===- TileMmaOps.td - products of tiles -------------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_MMA_OPS_TD
#define TILE_MMA_OPS_TD

include "dialects/tile/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_MmaOp : Tile_Op<"mma", [
    OptionalTypesMatchWith<"the accumulator has the type of the result", "result", "accumulator", "$_self">]> {
  let summary = "multiplies two tiles, and adds";
  let description = [{
    `result[m, n] = a[m, k] · b[k, n] (+ accumulator)` in float32. A comes from
    registers or from shared memory, B from shared memory; a `transposed` operand
    is a buffer of the other order. Both orders cost the same.

    Until products are scheduled the result is there at once. Afterwards the op
    only begins the product: its operands must stay as they are and the result may
    not be touched before the `tile.mma_wait` that returns it.

    - C1: the operands have the extents of the formula, seen as `transposed` says.
    - C2: an operand in registers is not transposed.
    - C3: there are 64 rows for each warp group, k is a multiple of 16, n a multiple
      of 8 up to 256.
    - C4: operands in shared memory are of bf16.

    ```mlir
    func.func @scores(%q: !tile.buffer<64x128xbf16>, %k: !tile.buffer<64x128xbf16>) -> tensor<64x64xf32> {
      %s = tile.mma %q, %k transposed : !tile.buffer<64x128xbf16>, !tile.buffer<64x128xbf16> -> tensor<64x64xf32>
      return %s : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<AnyTypeOf<[Tile_Buffer, Tile_FragmentOf<[BF16]>]>, "", [MemRead]>:$a,
                       Arg<Tile_Buffer, "", [MemRead]>:$b, Optional<Tile_FragmentOf<[F32]>>:$accumulator,
                       UnitAttr:$transposeA, UnitAttr:$transposeB);
  let results = (outs Tile_FragmentOf<[F32]>:$result);
  let assemblyFormat = [{
    $a (`transposed` $transposeA^)? `,` $b (`transposed` $transposeB^)? (`into` $accumulator^)? attr-dict
    `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_MmaFenceOp : Tile_Op<"mma_fence", [AllTypesMatch<["values", "results"]>]> {
  let summary = "hands registers over to the matrix unit";
  let description = [{
    Stands between arithmetic on `values` and the product that reads them as its
    accumulator or as A. The results are the same values; that they pass through
    the op keeps arithmetic from moving behind it.

    ```mlir
    func.func @fence(%o: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %0 = tile.mma_fence(%o : tensor<64x64xf32>)
      return %0 : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_FloatFragment>:$values);
  let results = (outs Variadic<Tile_FloatFragment>:$results);
  let assemblyFormat = "`(` ($values^ `:` type($values))? `)` attr-dict";
}

def Tile_MmaCommitOp : Tile_Op<"mma_commit"> {
  let summary = "closes a group of products that are waited for together";
  let description = [{
    ```mlir
    func.func @commit() {
      tile.mma_commit
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_MmaWaitOp : Tile_Op<"mma_wait", [AllTypesMatch<["values", "results"]>]> {
  let summary = "waits until few groups of products are in flight";
  let description = [{
    Returns when at most `pending` of the latest groups are not complete. `values`
    are results of complete products; the op's results may be used.

    - C1: `pending` is from 0 to 7.

    ```mlir
    func.func @wait(%o: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %0 = tile.mma_wait 1, %o : tensor<64x64xf32>
      return %0 : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$pending, Variadic<Tile_FragmentOf<[F32]>>:$values);
  let results = (outs Variadic<Tile_FragmentOf<[F32]>>:$results);
  let assemblyFormat = "$pending (`,` $values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

#endif // TILE_MMA_OPS_TD
