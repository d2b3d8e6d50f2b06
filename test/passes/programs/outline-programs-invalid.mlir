// RUN: mm01-opt %s -split-input-file -mm01-outline-programs -verify-diagnostics

!row = memref<8xf32, strided<[?], offset: ?>>
!rows = memref<?x64xbf16, strided<[?, ?], offset: ?>>

// Bufferization comes before.
func.func @tensors(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  // expected-error @+1 {{is on tensors, expected buffers}}
  %y = tile.program "p" grid(%n, %n, %n) ins() outs(%x : tensor<8xf32>) {
  ^bb0(%m: !row):
    tile.return
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

!rows = memref<?x64xbf16, strided<[?, ?], offset: ?>>

// The host does not know which block it is.
func.func @block(%x: memref<?x64xbf16>, %n: index) {
  tile.program "p" grid(%n, %n, %n) ins() outs(%x : memref<?x64xbf16>) {
  ^bb0(%m: !rows):
    // expected-error @+1 {{is needed for a tensor map, expected arithmetic on extents and numbers that the host knows}}
    %b = gpu.block_id x
    %map = exec.tensor_map %m view [%b, %b] strides [%b] box [64, 64] : !rows
    tile.return
  }
  return
}

// -----

!rows = memref<?x64xbf16, strided<[?, ?], offset: ?>>

// Sequences' places may change before the launch is replayed.
func.func @ragged(%x: memref<?x64xbf16>, %r: !mm01.ragged, %n: index) {
  tile.program "p" grid(%n, %n, %n) ins(%r, %n : !mm01.ragged, index) outs(%x : memref<?x64xbf16>) {
  ^bb0(%s: !mm01.ragged, %i: index, %m: !rows):
    // expected-error @+1 {{is needed for a tensor map}}
    %b = mm01.ragged_get %s past[%i]
    %map = exec.tensor_map %m view [%b, %b] strides [%b] box [64, 64] : !rows
    tile.return
  }
  return
}

// -----

!rows = memref<?x64xbf16, strided<[?, ?], offset: ?>>

func.func @nested(%x: memref<?x64xbf16>, %n: index) {
  tile.program "p" grid(%n, %n, %n) ins(%n : index) outs(%x : memref<?x64xbf16>) {
  ^bb0(%i: index, %m: !rows):
    scf.for %t = %i to %i step %i {
      // expected-error @+1 {{in a tile.program, expected it at the top of the body and with a view}}
      %map = exec.tensor_map %m view [%i, %i] strides [%i] box [64, 64] : !rows
    }
    tile.return
  }
  return
}

// -----

!rows = memref<?x64xbf16, strided<[?, ?], offset: ?>>

// Elements of a row must be neighbours.
func.func @apart(%x: memref<?x64xbf16, strided<[128, 2]>>, %n: index) {
  tile.program "p" grid(%n, %n, %n) ins(%n : index) outs(%x : memref<?x64xbf16, strided<[128, 2]>>) {
  ^bb0(%i: index, %m: !rows):
    // expected-error @+1 {{is of a buffer whose inner stride is not 1}}
    %map = exec.tensor_map %m view [%i, %i] strides [%i] box [64, 64] : !rows
    tile.return
  }
  return
}

// -----

!row = memref<8xf32, strided<[?], offset: ?>>

func.func @copies(%x: memref<8xf32>, %n: index) {
  tile.program "p" grid(%n, %n, %n) ins() outs(%x : memref<8xf32>) {
  ^bb0(%m: !row):
    // expected-error @+1 {{uses a buffer of a tile.program, expected a load, a store or an operation of tile}}
    memref.copy %m, %m : !row to !row
    tile.return
  }
  return
}
