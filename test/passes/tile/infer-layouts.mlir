// RUN: mm01-opt %s -mm01-infer-layouts -split-input-file -verify-diagnostics | FileCheck %s

// Tensors have the matrix unit's layout, in loops and constants too; a buffer has
// the narrowest panel that holds its row, up to 128 bytes; the map's box is a panel.
// CHECK-LABEL: tile.kernel @widths
// CHECK-SAME: %{{.*}}: !exec.tensor_map {tile.box = [64, 64], tile.swizzle = 128 : i64}
// CHECK-SAME: %{{.*}}: !exec.tensor_map {tile.box = [64, 16], tile.swizzle = 32 : i64}
// CHECK: tile.alloc : <4x64x80xbf16, 128>
// CHECK: tile.slot {{.*}} : <4x64x80xbf16, 128> -> <64x80xbf16, 128>
// CHECK: tile.alloc : <64x16xbf16, 32>
// CHECK: arith.constant dense<0.000000e+00> : tensor<64x16xf32, #tile.accumulator>
// CHECK: scf.for {{.*}} -> (tensor<64x16xf32, #tile.accumulator>)
// CHECK: tile.alloc : <64x32xbf16, 64>
tile.kernel @widths(%wide: !exec.tensor_map, %narrow: !exec.tensor_map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.alloc : !tile.buffer<4x64x80xbf16>
  %q = tile.slot %ring[%c0] : !tile.buffer<4x64x80xbf16> -> !tile.buffer<64x80xbf16>
  tile.copy_in %wide[%c0, %c0] to %q : !tile.buffer<64x80xbf16>
  %k = tile.alloc : !tile.buffer<64x16xbf16>
  tile.copy_in %narrow[%c0, %c0] to %k : !tile.buffer<64x16xbf16>
  tile.copy_out %k to %narrow[%c0, %c0] : !tile.buffer<64x16xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %zero) -> tensor<64x16xf32> {
    %y = arith.addf %x, %x : tensor<64x16xf32>
    scf.yield %y : tensor<64x16xf32>
  }
  %other = tile.alloc : !tile.buffer<64x32xbf16>
  tile.return
}

// -----

// A role of two groups holds 128 rows, and vectors with an element for each; a box has the rows that one copy fills.
// CHECK-LABEL: tile.kernel @groups
// CHECK-SAME: tile.box = [64, 64]
// CHECK: tile.row_sum %{{.*}} : tensor<128x64xf32, #tile.accumulator> -> tensor<128xf32, #tile.accumulator>
tile.kernel @groups(%map: !exec.tensor_map, %x: f32) {
  %c0 = arith.constant 0 : index
  %k = tile.alloc : !tile.buffer<128x64xbf16>
  tile.copy_in %map[%c0, %c0] to %k rows [0, 64] : !tile.buffer<128x64xbf16>
  tile.copy_in %map[%c0, %c0] to %k rows [64, 64] : !tile.buffer<128x64xbf16>
  tile.role "compute" registers 232 groups 2 {
    %t = tensor.splat %x : tensor<128x64xf32>
    %r = tile.row_sum %t : tensor<128x64xf32> -> tensor<128xf32>
  }
  tile.return
}

// -----

tile.kernel @too_many_rows(%x: f32) {
  tile.role "compute" registers 232 {
    // expected-error @+1 {{expected 64 rows and a multiple of 8 columns, found 'tensor<128xf32>'}}
    %t = tensor.splat %x : tensor<128xf32>
  }
  tile.return
}

// -----

tile.kernel @odd(%x: f32) {
  // expected-error @+1 {{has a tile that its warp groups cannot hold: expected 64 rows and a multiple of 8 columns, found 'tensor<32x64xf32>'}}
  %t = tensor.splat %x : tensor<32x64xf32>
  tile.return
}

// -----

tile.kernel @odd_columns(%x: f32) {
  // expected-error @+1 {{expected 64 rows and a multiple of 8 columns, found 'tensor<64x20xf32>'}}
  %t = tensor.splat %x : tensor<64x20xf32>
  tile.return
}

// -----

// Blocks that share a tile of one panel each copy some of its rows.
// CHECK-LABEL: tile.kernel @shared_rows
// CHECK-SAME: {tile.box = [64, 64], tile.swizzle = 128 : i64}
tile.kernel @shared_rows(%map: !exec.tensor_map) attributes {cluster = 2 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !tile.buffer<128x64xbf16>
  tile.copy_in %map[%c0, %c0] to %a multicast : !tile.buffer<128x64xbf16>
  // CHECK: tile.rows %{{.*}}[64] : <128x64xbf16, 128> -> <64x64xbf16, 128>
  %b = tile.rows %a[64] : !tile.buffer<128x64xbf16> -> !tile.buffer<64x64xbf16>
  tile.return
}

// -----

// One map cannot serve two kinds of boxes.
tile.kernel @two_boxes(%map: !exec.tensor_map) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !tile.buffer<64x64xbf16>
  %b = tile.alloc : !tile.buffer<64x16xbf16>
  tile.copy_in %map[%c0, %c0] to %a : !tile.buffer<64x64xbf16>
  // expected-error @+1 {{copies boxes of [64, 16] through a map that has boxes of [64, 64]}}
  tile.copy_in %map[%c0, %c0] to %b : !tile.buffer<64x16xbf16>
  tile.return
}

// -----

func.func private @map() -> !exec.tensor_map
tile.kernel @made_inside() {
  %c0 = arith.constant 0 : index
  %map = func.call @map() : () -> !exec.tensor_map
  %a = tile.alloc : !tile.buffer<64x64xbf16>
  // expected-error @+1 {{expected a tensor map that is an argument of the kernel}}
  tile.copy_in %map[%c0, %c0] to %a : !tile.buffer<64x64xbf16>
  tile.return
}
