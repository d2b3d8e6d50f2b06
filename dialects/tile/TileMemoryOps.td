//===- TileMemoryOps.td - tiles in shared and global memory *- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_MEMORY_OPS_TD
#define TILE_MEMORY_OPS_TD

include "dialects/tile/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_AllocOp : Tile_Op<"alloc"> {
  let summary = "a tile, or a ring of tiles, of shared memory";
  let description = [{
    In a loop of a sequential program, a new tile for every iteration. In the body
    of a kernel, memory that lives as long as the kernel.

    ```mlir
    func.func @one() {
      %tile = tile.alloc : !tile.buffer<64x64xbf16>
      return
    }
    ```
  }];
  let results = (outs Res<Tile_Buffer, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_SlotOp : Tile_Op<"slot", [Pure]> {
  let summary = "one tile of a ring";
  let description = [{
    The tile of number `index`, which is less than the number of tiles once
    barriers are explicit, and before that counts turns: tile `index mod versions`.

    - C1: the result is a tile of the ring.

    ```mlir
    func.func @slot(%ring: !tile.buffer<4x64x64xbf16>, %t: index) {
      %tile = tile.slot %ring[%t] : !tile.buffer<4x64x64xbf16> -> !tile.buffer<64x64xbf16>
      return
    }
    ```
  }];
  let arguments = (ins Tile_Buffer:$ring, Index:$index);
  let results = (outs Tile_Buffer:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_RowsOp : Tile_Op<"rows", [Pure]> {
  let summary = "some rows of a tile";
  let description = [{
    The rows of `tile` from `first` on, as many as the result has: so two warp
    groups can each take a part of one tile. It is a view, and a part of a tile
    begins where its panel's pattern does.

    - C1: the result lies inside of the tile and has its columns.
    - C2: `first` is a multiple of 8.
    - C3: a row of the tile has at most 128 bytes, one panel.

    ```mlir
    func.func @rows(%x: !tile.buffer<256x64xbf16>) {
      %half = tile.rows %x[128] : !tile.buffer<256x64xbf16> -> !tile.buffer<128x64xbf16>
      return
    }
    ```
  }];
  let arguments = (ins Tile_Buffer:$tile, I64Attr:$first);
  let results = (outs Tile_Buffer:$result);
  let assemblyFormat = "$tile `[` $first `]` attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_CopyInOp : Tile_Op<"copy_in", [AttrSizedOperandSegments]> {
  let summary = "copies a box of a tensor in global memory into a tile";
  let description = [{
    A bulk copy through a tensor map, at `coordinates`, the innermost first. What
    lies outside of the tensor becomes 0. A tile that is wider than the map's box
    takes several copies. With `rows` the box fills only those rows of the tile, so
    that a tile can be put together from places that do not follow each other. With
    `multicast` each block of the cluster copies its part of the tile into all
    blocks, so that each gets the whole: some of its panels, or, if it has one, some
    of its rows, along the second coordinate. Once barriers are
    explicit the copy counts its bytes at `barriers[slot]`.

    - C1: there are from 2 to 5 coordinates.
    - C2: barriers come with a slot, and a slot with barriers.
    - C3: the copy writes one tile, not a ring.
    - C4: rows are in the tile, and come in blocks of 8.

    ```mlir
    func.func @load(%map: !exec.tensor_map, %c: index, %r: index, %q: !tile.buffer<64x128xbf16>) {
      tile.copy_in %map[%c, %r] to %q multicast : !tile.buffer<64x128xbf16>
      return
    }

    // Rows 64 to 127 of a tile.
    func.func @second_page(%map: !exec.tensor_map, %c: index, %r: index, %k: !tile.buffer<128x128xbf16>) {
      tile.copy_in %map[%c, %r] to %k rows [64, 64] : !tile.buffer<128x128xbf16>
      return
    }
    ```
  }];
  let arguments = (ins Tile_TensorMap:$map, Variadic<Index>:$coordinates, Arg<Tile_Buffer, "", [MemWrite]>:$buffer,
                       Optional<Tile_Barriers>:$barriers, Optional<Index>:$slot, UnitAttr:$multicast,
                       OptionalAttr<DenseI64ArrayAttr>:$rows);
  let extraClassDeclaration = [{
    /// The first row of the tile that the copy fills, and how many it does.
    int64_t getFirstRow() { return getRows() ? (*getRows())[0] : 0; }
    int64_t getRowCount() { return getRows() ? (*getRows())[1] : getBuffer().getType().getRows(); }
  }];
  let assemblyFormat = [{
    $map `[` $coordinates `]` `to` $buffer (`rows` $rows^)? (`multicast` $multicast^)? (`signals` $barriers^ `[` $slot `]`)? attr-dict
    `:` type($buffer) (`,` type($barriers)^)?
  }];
  let hasVerifier = 1;
}

def Tile_CopyOutOp : Tile_Op<"copy_out"> {
  let summary = "copies a tile to a box of a tensor in global memory";
  let description = [{
    The reverse of `tile.copy_in`; what lies outside of the tensor is not written.
    The tile may be written again after a `tile.copy_wait`.

    - C1: there are from 2 to 5 coordinates.

    ```mlir
    func.func @store(%map: !exec.tensor_map, %c: index, %r: index, %o: !tile.buffer<64x64xbf16>) {
      tile.copy_out %o to %map[%c, %r] : !tile.buffer<64x64xbf16>
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_Buffer, "", [MemRead]>:$buffer, Arg<Tile_TensorMap, "", [MemWrite]>:$map,
                       Variadic<Index>:$coordinates);
  let assemblyFormat = "$buffer `to` $map `[` $coordinates `]` attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Tile_CopyWaitOp : Tile_Op<"copy_wait"> {
  let summary = "waits until few copies out of shared memory are in flight";
  let description = [{
    Returns when the tiles of all but the latest `pending` `tile.copy_out`s of this
    thread have been read.

    - C1: `pending` is from 0 to 7.

    ```mlir
    func.func @wait() {
      tile.copy_wait 1
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Tile_ReadOp : Tile_Op<"read"> {
  let summary = "reads a tile of shared memory into registers";
  let description = [{
    Of i8 a thread reads two neighbours of a row at a time. `arith.sitofp` makes bf16
    of them, exactly: so a weight of one byte becomes the first operand of a product.

    - C1: the result has the extents of the tile, exchanged if `transposed`.
    - C2: the result has the elements of the tile.
    - C3: a tile of i8 is not transposed.

    ```mlir
    func.func @read(%v: !tile.buffer<64x64xbf16>) -> tensor<64x64xbf16> {
      %t = tile.read %v transposed : !tile.buffer<64x64xbf16> -> tensor<64x64xbf16>
      return %t : tensor<64x64xbf16>
    }

    func.func @widen(%w: !tile.buffer<64x128xi8>) -> tensor<64x128xbf16> {
      %t = tile.read %w : !tile.buffer<64x128xi8> -> tensor<64x128xi8>
      %wide = arith.sitofp %t : tensor<64x128xi8> to tensor<64x128xbf16>
      return %wide : tensor<64x128xbf16>
    }
    ```
  }];
  let arguments = (ins Arg<Tile_Buffer, "", [MemRead]>:$buffer, UnitAttr:$transposed);
  let results = (outs Tile_FragmentOf<[BF16, I8]>:$result);
  let assemblyFormat = "$buffer (`transposed` $transposed^)? attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_WriteOp : Tile_Op<"write"> {
  let summary = "writes registers into a tile of shared memory";
  let description = [{
    - C1: the value has the extents of the tile, exchanged if `transposed`.
    - C2: the tile is of bf16.

    ```mlir
    func.func @write(%p: tensor<64x64xbf16>, %tile: !tile.buffer<64x64xbf16>) {
      tile.write %p to %tile : tensor<64x64xbf16>, !tile.buffer<64x64xbf16>
      return
    }
    ```
  }];
  let arguments = (ins Tile_FragmentOf<[BF16]>:$value, Arg<Tile_Buffer, "", [MemWrite]>:$buffer, UnitAttr:$transposed);
  let assemblyFormat = "$value `to` $buffer (`transposed` $transposed^)? attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load"> {
  let summary = "loads elements of global memory into registers";
  let description = [{
    `result[i, j] = memory[offset + i · strides[0] + j · strides[1]]` where the mask
    is set, else 0; what is masked out is not touched. Offset and strides count
    elements from the first one of `memory`, whatever its shape is.

    - C1: there is a stride for each dimension of the result.
    - C2: the mask has the result's extents.

    ```mlir
    func.func @load(%s: memref<?xf32>, %at: index, %row: index, %one: index, %m: tensor<64x64xi1>) -> tensor<64x64xf32> {
      %t = tile.load %s[%at] strides [%row, %one] where %m : memref<?xf32>, tensor<64x64xi1> -> tensor<64x64xf32>
      return %t : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<MemRefOf<[F32]>, "", [MemRead]>:$memory, Index:$offset, Variadic<Index>:$strides,
                       Tile_FragmentOf<[I1]>:$mask);
  let results = (outs Tile_FragmentOf<[F32]>:$result);
  let assemblyFormat = [{
    $memory `[` $offset `]` `strides` `[` $strides `]` `where` $mask attr-dict
    `:` type($memory) `,` type($mask) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "stores registers into global memory";
  let description = [{
    The reverse of `tile.load`.

    - C1: there is a stride for each dimension of the value.
    - C2: the mask has the value's extents.

    ```mlir
    func.func @store(%t: tensor<64x64xf32>, %s: memref<?xf32>, %at: index, %row: index, %one: index,
                     %m: tensor<64x64xi1>) {
      tile.store %t to %s[%at] strides [%row, %one] where %m : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
      return
    }
    ```
  }];
  let arguments = (ins Tile_FragmentOf<[F32]>:$value, Arg<MemRefOf<[F32]>, "", [MemWrite]>:$memory,
                       Index:$offset, Variadic<Index>:$strides, Tile_FragmentOf<[I1]>:$mask);
  let assemblyFormat = [{
    $value `to` $memory `[` $offset `]` `strides` `[` $strides `]` `where` $mask attr-dict
    `:` type($value) `,` type($memory) `,` type($mask)
  }];
  let hasVerifier = 1;
}

#endif // TILE_MEMORY_OPS_TD
