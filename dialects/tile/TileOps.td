//===- TileOps.td - all ops of the tile dialect ------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_OPS_TD
#define TILE_OPS_TD

include "dialects/tile/TileMemoryOps.td"
include "dialects/tile/TileMmaOps.td"
include "dialects/tile/TileProgramOps.td"
include "dialects/tile/TileRowOps.td"
include "dialects/tile/TileSyncOps.td"

#endif // TILE_OPS_TD
