// RUN: mm01-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{C1: expected no results, found 'index'}}
tile.kernel @kernel_c1() -> index {
  tile.return
}

// -----

// expected-error @+1 {{C2: expected a cluster of 1 to 8 blocks, found 9}}
tile.kernel @kernel_c2() attributes {cluster = 9 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{C3: expected 1 to 8 resident blocks, found 0}}
tile.kernel @kernel_c3() attributes {resident = 0 : i64} {
  tile.return
}

// -----

tile.kernel @role_c1() {
  // expected-error @+1 {{C1: expected a multiple of 8 from 24 to 256 registers, found 20}}
  tile.role "load" registers 20 {
  }
  tile.return
}

// -----

tile.kernel @role_c2() {
  // expected-error @+1 {{C2: expected 1 group of a single role, found 2}}
  tile.role "load" registers 40 single groups 2 {
  }
  tile.return
}

// -----

tile.kernel @role_c2() {
  // expected-error @+1 {{C2: expected 1 to 4 groups, found 5}}
  tile.role "compute" registers 96 groups 5 {
  }
  tile.return
}

// -----

func.func @iota_c1() {
  // expected-error @+1 {{C1: expected dimension 0 or 1, found 2}}
  %i = tile.iota 2 : tensor<64x64xi32>
  return
}

// -----

// The operands' extents are those of K [64, 128] as it lies, not transposed.
func.func @mma_c1(%q: !tile.buffer<64x128xbf16>, %k: !tile.buffer<64x128xbf16>) {
  // expected-error @+1 {{C1: expected [m, k] · [k, n] -> [m, n], found [64, 128] · [64, 128]}}
  %s = tile.mma %q, %k : !tile.buffer<64x128xbf16>, !tile.buffer<64x128xbf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @mma_c2(%q: tensor<64x64xbf16>, %k: !tile.buffer<64x64xbf16>) {
  // expected-error @+1 {{C2: only an operand in shared memory is transposed}}
  %s = tile.mma %q transposed, %k : tensor<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @mma_c3(%q: !tile.buffer<96x64xbf16>, %k: !tile.buffer<64x64xbf16>) {
  // expected-error @+1 {{C3: expected 64 rows for each warp group, k a multiple of 16 and n a multiple of 8 up to 256}}
  %s = tile.mma %q, %k : !tile.buffer<96x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<96x64xf32>
  return
}

// -----

func.func @mma_c4(%w: !tile.buffer<64x64xi8>, %k: !tile.buffer<64x64xbf16>) {
  // expected-error @+1 {{C4: expected operands of bf16, found '!tile.buffer<64x64xi8>'}}
  %s = tile.mma %w, %k : !tile.buffer<64x64xi8>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @mma_wait_c1() {
  // expected-error @+1 {{C1: expected 0 to 7 pending groups, found 8}}
  tile.mma_wait 8
  return
}

// -----

func.func @copy_wait_c1() {
  // expected-error @+1 {{C1: expected 0 to 7 pending groups, found -1}}
  tile.copy_wait -1
  return
}

// -----

func.func @slot_c1(%ring: !tile.buffer<4x64x64xbf16>, %t: index) {
  // expected-error @+1 {{C1: expected a ring and a tile of it, found '!tile.buffer<4x64x64xbf16>' and '!tile.buffer<64x32xbf16>'}}
  %tile = tile.slot %ring[%t] : !tile.buffer<4x64x64xbf16> -> !tile.buffer<64x32xbf16>
  return
}

// -----

// expected-error @+1 {{'tile.kernel' op attribute 'cluster' failed to satisfy constraint: 64-bit signless integer attribute}}
tile.kernel @cluster_of_another_kind() attributes {cluster = bf16} {
  tile.return
}

// -----

func.func @rows_c1(%tile: !tile.buffer<64x64xbf16>) {
  // expected-error @+1 {{C1: expected rows of the tile from 32 on, found '!tile.buffer<64x64xbf16>' and '!tile.buffer<40x64xbf16>'}}
  %rows = tile.rows %tile[32] : !tile.buffer<64x64xbf16> -> !tile.buffer<40x64xbf16>
  return
}

// -----

func.func @rows_c1_far(%tile: !tile.buffer<64x64xbf16>) {
  // expected-error @+1 {{C1: expected rows of the tile from 9223372036854775800 on}}
  %rows = tile.rows %tile[9223372036854775800] : !tile.buffer<64x64xbf16> -> !tile.buffer<40x64xbf16>
  return
}

// -----

func.func @rows_c2(%tile: !tile.buffer<64x64xbf16>) {
  // expected-error @+1 {{C2: expected a first row that is a multiple of 8, found 4}}
  %rows = tile.rows %tile[4] : !tile.buffer<64x64xbf16> -> !tile.buffer<8x64xbf16>
  return
}

// -----

func.func @rows_c3(%tile: !tile.buffer<64x128xbf16>) {
  // expected-error @+1 {{C3: expected rows of at most 128 bytes, found '!tile.buffer<64x128xbf16>'}}
  %rows = tile.rows %tile[0] : !tile.buffer<64x128xbf16> -> !tile.buffer<8x128xbf16>
  return
}

// -----

func.func @copy_in_c1(%map: !exec.tensor_map, %c: index, %tile: !tile.buffer<64x64xbf16>) {
  // expected-error @+1 {{C1: expected 2 to 5 coordinates, found 1}}
  tile.copy_in %map[%c] to %tile : !tile.buffer<64x64xbf16>
  return
}

// -----

func.func @copy_in_c2(%map: !exec.tensor_map, %c: index, %tile: !tile.buffer<64x64xbf16>, %b: !tile.barriers<2>) {
  // expected-error @+1 {{C2: expected barriers and a slot, or neither}}
  "tile.copy_in"(%map, %c, %c, %tile, %b) <{operandSegmentSizes = array<i32: 1, 2, 1, 1, 0>}>
    : (!exec.tensor_map, index, index, !tile.buffer<64x64xbf16>, !tile.barriers<2>) -> ()
  return
}

// -----

func.func @copy_in_c3(%map: !exec.tensor_map, %c: index, %ring: !tile.buffer<2x64x64xbf16>) {
  // expected-error @+1 {{C3: expected one tile, found the ring '!tile.buffer<2x64x64xbf16>'}}
  tile.copy_in %map[%c, %c] to %ring : !tile.buffer<2x64x64xbf16>
  return
}

// -----

func.func @copy_in_c4(%map: !exec.tensor_map, %c: index, %tile: !tile.buffer<128x64xbf16>) {
  // expected-error @+1 {{C4: expected the first row and the number of rows, in blocks of 8, of a tile of 128 rows, found [96, 64]}}
  tile.copy_in %map[%c, %c] to %tile rows [96, 64] : !tile.buffer<128x64xbf16>
  return
}

// -----

func.func @copy_in_c4(%map: !exec.tensor_map, %c: index, %tile: !tile.buffer<128x64xbf16>) {
  // expected-error @+1 {{C4: expected the first row and the number of rows, in blocks of 8, of a tile of 128 rows, found [0, 63]}}
  tile.copy_in %map[%c, %c] to %tile rows [0, 63] : !tile.buffer<128x64xbf16>
  return
}

// -----

func.func @copy_out_c1(%map: !exec.tensor_map, %c: index, %tile: !tile.buffer<64x64xbf16>) {
  // expected-error @+1 {{C1: expected 2 to 5 coordinates, found 6}}
  tile.copy_out %tile to %map[%c, %c, %c, %c, %c, %c] : !tile.buffer<64x64xbf16>
  return
}
