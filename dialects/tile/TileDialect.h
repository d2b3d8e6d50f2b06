//===- TileDialect.h - the tile dialect, its types and ops ------*- C++ -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The one header to include for the dialect. See Tile*.td for what each op
// means, README.md for why they are what they are.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_DIALECTS_TILE_TILEDIALECT_H
#define MM01_DIALECTS_TILE_TILEDIALECT_H

#include "dialects/exec/ExecDialect.h"
#include "dialects/tile/FragmentLayout.h"
#include "dialects/tile/SharedLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/tile/TileDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.h.inc"

namespace mm01::tile {

/// Threads and warps of a warp group.
inline constexpr int64_t kGroupThreads = 128;
inline constexpr int64_t kGroupWarps = 4;

/// Attributes of kernel arguments, see the dialect's description.
inline constexpr llvm::StringLiteral kBoxAttr = "tile.box";
inline constexpr llvm::StringLiteral kSwizzleAttr = "tile.swizzle";

} // namespace mm01::tile

#endif // MM01_DIALECTS_TILE_TILEDIALECT_H
