//===- TileBase.td - the tile dialect and its types --------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_BASE_TD
#define TILE_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::mm01::tile";
  let summary = "Programs of one cluster of thread blocks";
  let description = [{
    A kernel works on tiles. A tile in registers is a tensor of static shape that
    the 128 threads of a warp group hold together; arith and math compute on it.
    A tile in shared memory is a `!tile.buffer`. Which thread holds which element
    and where an element lies in memory is unknown until layouts are inferred;
    then tensors have the encoding `#tile.accumulator` and buffers a swizzle.

    Attributes of a kernel's arguments that are tensor maps, written when layouts
    are inferred, for the host that makes the map:

    - `tile.box` (array of i64): rows and columns that one bulk copy moves.
    - `tile.swizzle` (i64): bytes of the swizzle, 32, 64 or 128.
  }];
  let dependentDialects = ["::mm01::exec::ExecDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_BufferType : Tile_Type<"Buffer", "buffer"> {
  let summary = "a tile, or a ring of equal tiles, in shared memory";
  let description = [{
    `!tile.buffer<64x128xbf16>` is a tile of 64 rows, `!tile.buffer<4x64x128xbf16>`
    a ring of four. With a swizzle, `!tile.buffer<64x128xbf16, 128>`, the place of
    each element is known: see SharedLayout.h. Elements are bf16, or i8, as weights of
    one byte are: they reach the matrix unit by way of registers, as bf16.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let assemblyFormat = "`<` custom<TileShape>($shape, $elementType) (`,` $swizzle^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// True for a ring of tiles, whose first extent is the number of tiles.
    bool isRing() const { return getShape().size() == 3; }
    /// Tiles in the ring; 1 for a tile.
    int64_t getVersions() const { return isRing() ? getShape()[0] : 1; }
    int64_t getRows() const { return getShape()[getShape().size() - 2]; }
    int64_t getColumns() const { return getShape().back(); }
    /// The type of one tile of a ring.
    BufferType getTile() const;
    /// A ring of `versions` tiles of this type.
    BufferType getRing(int64_t versions) const;
    BufferType withSwizzle(int64_t bytes) const;
    /// Where the elements of one tile lie. Requires a swizzle.
    SharedLayout getLayout() const;
  }];
}

def Tile_PipeType : Tile_Type<"Pipe", "pipe"> {
  let summary = "the turns of a producer and its consumers on rings of buffers";
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` $stages `>`";
}

def Tile_BarriersType : Tile_Type<"Barriers", "barriers"> {
  let summary = "barriers in shared memory, one for each tile of a ring";
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
}

def Tile_WordsType : Tile_Type<"Words", "words"> {
  let summary = "words of 32 bits in shared memory";
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Tile_AccumulatorAttr : AttrDef<Tile_Dialect, "Accumulator"> {
  let mnemonic = "accumulator";
  let summary = "encoding of a tensor that is held as the matrix unit holds a result";
  let description = [{
    Says which thread of a warp group holds which elements of a tensor [64, n], and
    in which registers: see FragmentLayout.h.

    ```mlir
    func.func private @scores() -> tensor<64x64xf32, #tile.accumulator>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

class Tile_Operand<string type, string what>
    : DialectType<Tile_Dialect, CPred<"::llvm::isa<" # type # ">($_self)">, what, type>;
def Tile_Buffer : Tile_Operand<"::mm01::tile::BufferType", "tile buffer">;
def Tile_Pipe : Tile_Operand<"::mm01::tile::PipeType", "tile pipe">;
def Tile_Barriers : Tile_Operand<"::mm01::tile::BarriersType", "tile barriers">;
def Tile_Words : Tile_Operand<"::mm01::tile::WordsType", "tile words">;
def Tile_TensorMap : Type<CPred<"::llvm::isa<::mm01::exec::TensorMapType>($_self)">, "tensor map",
                          "::mm01::exec::TensorMapType">,
                     BuildableType<"$_builder.getType<::mm01::exec::TensorMapType>()">;
class Tile_FragmentOf<list<Type> elements> : StaticShapeTensorOf<elements>;
def Tile_FloatFragment : Tile_FragmentOf<[F32, BF16]>;

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

#endif // TILE_BASE_TD
