// RUN: mm01-opt %s -split-input-file -verify-diagnostics

func.func @row_sum_c1(%p: tensor<64x64xf32>) {
  // expected-error @+1 {{C1: expected [m, n] -> [m] or [m, 8], found 'tensor<64x64xf32>' -> 'tensor<64x16xf32>'}}
  %s = tile.row_sum %p : tensor<64x64xf32> -> tensor<64x16xf32>
  return
}

// -----

func.func @row_maximum_c1(%p: tensor<64x64xf32>) {
  // expected-error @+1 {{C1: expected [m, n] -> [m] or [m, 8], found 'tensor<64x64xf32>' -> 'tensor<32xf32>'}}
  %s = tile.row_maximum %p : tensor<64x64xf32> -> tensor<32xf32>
  return
}

// -----

func.func @broadcast_c1(%r: tensor<64xf32>) {
  // expected-error @+1 {{C1: expected [m] -> [m, n], found 'tensor<64xf32>' -> 'tensor<128x64xf32>'}}
  %all = tile.broadcast %r : tensor<64xf32> -> tensor<128x64xf32>
  return
}
