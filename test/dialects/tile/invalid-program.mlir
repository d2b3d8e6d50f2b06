// RUN: mm01-opt %s -split-input-file -verify-diagnostics

// A body sees a buffer of any layout, not that of the tensor.
func.func @program_c1(%x: tensor<4xf32>, %n: index) {
  // expected-error @+1 {{C1: expected a body with arguments ('memref<4xf32, strided<[?], offset: ?>>'), found ('memref<4xf32>')}}
  %y = tile.program "p" grid(%n, %n, %n) ins() outs(%x : tensor<4xf32>) {
  ^bb0(%a: memref<4xf32>):
    tile.return
  } -> tensor<4xf32>
  return
}

// -----

func.func @program_c2(%x: memref<4xf32>, %n: index) {
  // expected-error @+1 {{C2: expected a cluster of 1 to 8 blocks, found 16}}
  tile.program "p" grid(%n, %n, %n) cluster 16 ins() outs(%x : memref<4xf32>) {
  ^bb0(%a: memref<4xf32, strided<[?], offset: ?>>):
    tile.return
  }
  return
}

// -----

func.func @program_c3(%x: memref<4xf32>, %n: index) {
  // expected-error @+1 {{C3: expected a body that ends with tile.return}}
  tile.program "p" grid(%n, %n, %n) ins() outs(%x : memref<4xf32>) {
  ^bb0(%a: memref<4xf32, strided<[?], offset: ?>>):
    llvm.unreachable
  }
  return
}

// -----

func.func @program_c4(%x: memref<4xf32>, %n: index) {
  // expected-error @+1 {{C4: expected 1 to 8 resident blocks, found 9}}
  tile.program "p" grid(%n, %n, %n) resident 9 ins() outs(%x : memref<4xf32>) {
  ^bb0(%a: memref<4xf32, strided<[?], offset: ?>>):
    tile.return
  }
  return
}
