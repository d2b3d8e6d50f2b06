// RUN: mm01-opt %s -split-input-file -verify-diagnostics

func.func @read_c1(%v: !tile.buffer<64x32xbf16>) {
  // expected-error @+1 {{C1: expected the extents of the tile, exchanged, found 'tensor<64x32xbf16>'}}
  %t = tile.read %v transposed : !tile.buffer<64x32xbf16> -> tensor<64x32xbf16>
  return
}

// -----

func.func @read_c2(%w: !tile.buffer<64x128xi8>) {
  // expected-error @+1 {{C2: expected elements of 'i8', found 'tensor<64x128xbf16>'}}
  %t = tile.read %w : !tile.buffer<64x128xi8> -> tensor<64x128xbf16>
  return
}

// -----

func.func @read_c3(%w: !tile.buffer<128x64xi8>) {
  // expected-error @+1 {{C3: a tile of i8 is not transposed}}
  %t = tile.read %w transposed : !tile.buffer<128x64xi8> -> tensor<64x128xi8>
  return
}

// -----

func.func @write_c2(%t: tensor<64x64xbf16>, %w: !tile.buffer<64x64xi8>) {
  // expected-error @+1 {{C2: expected a tile of bf16, found '!tile.buffer<64x64xi8>'}}
  tile.write %t to %w : tensor<64x64xbf16>, !tile.buffer<64x64xi8>
  return
}

// -----

func.func @write_c1(%t: tensor<64x64xbf16>, %v: !tile.buffer<64x32xbf16>) {
  // expected-error @+1 {{C1: expected the extents of the tile, found 'tensor<64x64xbf16>'}}
  tile.write %t to %v : tensor<64x64xbf16>, !tile.buffer<64x32xbf16>
  return
}

// -----

func.func @load_c1(%x: memref<?xf32>, %at: index, %m: tensor<64x64xi1>) {
  // expected-error @+1 {{C1: expected 2 strides, found 1}}
  %t = tile.load %x[%at] strides [%at] where %m : memref<?xf32>, tensor<64x64xi1> -> tensor<64x64xf32>
  return
}

// -----

func.func @load_c2(%x: memref<?xf32>, %at: index, %m: tensor<64x32xi1>) {
  // expected-error @+1 {{C2: expected a mask with the extents of 'tensor<64x64xf32>', found 'tensor<64x32xi1>'}}
  %t = tile.load %x[%at] strides [%at, %at] where %m : memref<?xf32>, tensor<64x32xi1> -> tensor<64x64xf32>
  return
}

// -----

func.func @store_c1(%t: tensor<64x64xf32>, %x: memref<?xf32>, %at: index, %m: tensor<64x64xi1>) {
  // expected-error @+1 {{C1: expected 2 strides, found 3}}
  tile.store %t to %x[%at] strides [%at, %at, %at] where %m : tensor<64x64xf32>, memref<?xf32>, tensor<64x64xi1>
  return
}

// -----

func.func @store_c2(%t: tensor<64x64xf32>, %x: memref<?xf32>, %at: index, %m: tensor<64x32xi1>) {
  // expected-error @+1 {{C2: expected a mask with the extents of 'tensor<64x64xf32>'}}
  tile.store %t to %x[%at] strides [%at, %at] where %m : tensor<64x64xf32>, memref<?xf32>, tensor<64x32xi1>
  return
}

// -----

func.func @pipe_c1() {
  // expected-error @+1 {{C1: expected rings of 4 tiles, found '!tile.buffer<2x64x64xbf16>'}}
  %pipe, %ring = tile.pipe : !tile.pipe<4>, !tile.buffer<2x64x64xbf16>
  return
}

// -----

func.func @barrier_c1() {
  // expected-error @+1 {{C1: expected one arrival or more, found 0}}
  %b = tile.barrier arrivals 0 : !tile.barriers<2>
  return
}

// -----

func.func @expect_c1(%b: !tile.barriers<2>, %slot: index) {
  // expected-error @+1 {{C1: expected from 1 to 1048575 bytes, found 1048576}}
  tile.expect %b[%slot], 1048576 : !tile.barriers<2>
  return
}

// -----

// expected-error @+1 {{a buffer has rows and columns, and a ring the number of its tiles before them; found 1 extents}}
func.func private @vector(!tile.buffer<64xbf16>)

// -----

// expected-error @+1 {{a buffer holds bf16 or i8, found 'f32'}}
func.func private @wide(!tile.buffer<64x64xf32>)

// -----

// expected-error @+1 {{the extents of a buffer are positive}}
func.func private @nothing(!tile.buffer<0x64x64xbf16>)

// -----

// expected-error @+1 {{a buffer's rows come in blocks of 8, found 20}}
func.func private @rows(!tile.buffer<20x64xbf16>)

// -----

// expected-error @+1 {{a swizzle has 32, 64 or 128 bytes, found 16}}
func.func private @narrow(!tile.buffer<64x64xbf16, 16>)
