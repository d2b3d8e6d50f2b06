//===- TileRowOps.td - rows of tiles in registers ----------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ROW_OPS_TD
#define TILE_ROW_OPS_TD

include "dialects/tile/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_RowReduction<string mnemonic, string what, string formula, string more> : Tile_Op<mnemonic, [Pure]> {
  let summary = "the " # what # " of each row of a tile";
  let description = "A result [m] has the " # what # [{ of each row. A result [m, 8] puts together
    every eighth column, `result[i, j] = }] # formula # [{`, which each thread does with elements of its own: what a
    loop gathers need be exchanged among threads only after it.}] # more # [{

    - C1: the result has the rows of the value, and 8 columns or none.

    ```mlir
    func.func @reduce(%p: tensor<64x128xf32>) -> tensor<64xf32> {
      %parts = tile.}] # mnemonic # [{ %p : tensor<64x128xf32> -> tensor<64x8xf32>
      %all = tile.}] # mnemonic # [{ %parts : tensor<64x8xf32> -> tensor<64xf32>
      return %all : tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins Tile_FragmentOf<[F32]>:$value);
  let results = (outs Tile_FragmentOf<[F32]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_RowSumOp : Tile_RowReduction<"row_sum", "sum", "Σ_c value[i, 8 c + j]", "">;
def Tile_RowMaximumOp : Tile_RowReduction<"row_maximum", "maximum", "max_c value[i, 8 c + j]", [{
    It passes over elements that are not numbers.}]>;

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "a tile with one value in each row";
  let description = [{
    `result[i, j] = rows[i]`.

    - C1: the result has a row for each of the values.

    ```mlir
    func.func @scale(%o: tensor<64x128xf32>, %by: tensor<64xf32>) -> tensor<64x128xf32> {
      %all = tile.broadcast %by : tensor<64xf32> -> tensor<64x128xf32>
      %scaled = arith.mulf %o, %all : tensor<64x128xf32>
      return %scaled : tensor<64x128xf32>
    }
    ```
  }];
  let arguments = (ins Tile_FragmentOf<[F32]>:$rows);
  let results = (outs Tile_FragmentOf<[F32]>:$result);
  let assemblyFormat = "$rows attr-dict `:` type($rows) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_AnyOp : Tile_Op<"any", [Pure]> {
  let summary = "whether an element is set, for each 16 rows";
  let description = [{
    True where one of the 16 rows that a warp holds has an element that is set. So
    each warp gets an answer of its own, and what is done under it must concern rows
    alone: arithmetic, reductions and broadcasts, no products and no turns.

    ```mlir
    func.func @above(%s: tensor<64x8xf32>, %limit: tensor<64x8xf32>) -> i1 {
      %above = arith.cmpf ogt, %s, %limit : tensor<64x8xf32>
      %any = tile.any %above : tensor<64x8xi1>
      return %any : i1
    }
    ```
  }];
  let arguments = (ins Tile_FragmentOf<[I1]>:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // TILE_ROW_OPS_TD
