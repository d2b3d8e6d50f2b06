// RUN: mm01-opt %s -split-input-file -mm01-form-softmax-programs | FileCheck %s

// Two query heads of a key head share a cluster. Rows of tiles are tokens; a page is a box; the scores of a step come before
// its weights meet the values.
// CHECK-LABEL: func.func @two_blocks
// CHECK: %[[T:.*]] = mm01.ragged_size %{{.*}} tokens
// CHECK: %[[BLOCKS:.*]] = arith.divui %[[T]], %c128
// CHECK: %[[N:.*]] = mm01.ragged_size %{{.*}} sequences
// CHECK: %[[ALL:.*]] = arith.addi %[[BLOCKS]], %[[N]]
// CHECK: tile.program "softmax" grid(%c4{{.*}}, %[[ALL]], %c8{{.*}}) cluster 2 ins(
// CHECK-SAME: : tensor<?x64x128xbf16>, tensor<2x?x64x8x128xbf16>, tensor<2x?x64x8x128xbf16>, !mm01.ragged, index)
// CHECK-SAME: outs(%{{.*}} : tensor<?x64x128xbf16>)
// CHECK-COUNT-2: exec.tensor_map {{.*}} box [1, 1, 128, 128]
// CHECK-COUNT-2: exec.tensor_map {{.*}} box [1, 1, 1, 64, 128]
// CHECK: tile.copy_in
// CHECK: scf.for
// CHECK-COUNT-2: mm01.ragged_get {{.*}} page_table
// CHECK: tile.copy_in {{.*}} rows [0, 64] multicast
// CHECK: tile.copy_in {{.*}} rows [64, 64] multicast
// CHECK: tile.copy_in {{.*}} rows [0, 64] multicast
// CHECK: tile.copy_in {{.*}} rows [64, 64] multicast
// CHECK: tile.mma {{.*}} transposed : {{.*}} -> tensor<128x128xf32>
// CHECK: scf.if
// CHECK: tile.row_maximum {{.*}} -> tensor<128x8xf32>
// CHECK: tile.any
// CHECK: scf.if
// CHECK: math.exp2 {{.*}} : tensor<128x128xf32>
// CHECK: tile.row_sum {{.*}} -> tensor<128x8xf32>
// CHECK: tile.mma {{.*}} into
// CHECK: tile.row_sum {{.*}} -> tensor<128xf32>
// CHECK: tile.copy_out
func.func @two_blocks(%q: tensor<?x64x128xbf16>, %keys: tensor<2x?x64x8x128xbf16>, %values: tensor<2x?x64x8x128xbf16>,
                      %r: !mm01.ragged, %layer: index, %out: tensor<?x64x128xbf16>) -> tensor<?x64x128xbf16> {
  %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {scale = 0.08838834764831845}
    : tensor<?x64x128xbf16>, tensor<2x?x64x8x128xbf16> into tensor<?x64x128xbf16>
  return %o : tensor<?x64x128xbf16>
}

// -----

// An odd number of query heads to a key head, and heads of one panel, have blocks of their own.
// CHECK-LABEL: func.func @one_block
// CHECK: tile.program "softmax" grid(%c3{{.*}}, %{{.*}}, %c2{{.*}}) ins(
// CHECK-NOT: multicast
// CHECK: return
func.func @one_block(%q: tensor<?x6x96xbf16>, %keys: tensor<2x?x64x2x96xbf16>, %r: !mm01.ragged, %layer: index,
                     %out: tensor<?x6x96xbf16>) -> tensor<?x6x96xbf16> {
  %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {scale = 0.1}
    : tensor<?x6x96xbf16>, tensor<2x?x64x2x96xbf16> into tensor<?x6x96xbf16>
  return %o : tensor<?x6x96xbf16>
}

// -----

// Single tokens are another's: blocks are those of sequences of several tokens, and there are none without such.
// CHECK-LABEL: func.func @skip_single
// CHECK: mm01.ragged_size %{{.*}} several
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[BLOCKS:.*]] = arith.select %[[NONE]], %c0{{.*}}, %{{.*}} : index
// CHECK: tile.program "softmax" grid(%c4{{.*}}, %[[BLOCKS]], %c8{{.*}}) cluster 2 ins(
// CHECK-SAME: attributes {exec.sequences = #exec.sequences<several>}
// CHECK-COUNT-2: mm01.ragged_get {{.*}} several_sequence
func.func @skip_single(%q: tensor<?x64x128xbf16>, %keys: tensor<2x?x64x8x128xbf16>, %r: !mm01.ragged, %layer: index,
                       %out: tensor<?x64x128xbf16>) -> tensor<?x64x128xbf16> {
  %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {mm01.skip_single, scale = 0.08838834764831845}
    : tensor<?x64x128xbf16>, tensor<2x?x64x8x128xbf16> into tensor<?x64x128xbf16>
  return %o : tensor<?x64x128xbf16>
}

// -----

// CHECK-LABEL: func.func @float32
// CHECK-NOT: tile.program
// CHECK: mm01.softmax_attention
func.func @float32(%q: tensor<?x4x64xf32>, %keys: tensor<2x?x64x2x64xf32>, %r: !mm01.ragged, %layer: index,
                   %out: tensor<?x4x64xf32>) -> tensor<?x4x64xf32> {
  %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {scale = 0.125}
    : tensor<?x4x64xf32>, tensor<2x?x64x2x64xf32> into tensor<?x4x64xf32>
  return %o : tensor<?x4x64xf32>
}

// -----

// CHECK-LABEL: func.func @head_size
// CHECK-NOT: tile.program
// CHECK: mm01.softmax_attention
func.func @head_size(%q: tensor<?x4x72xbf16>, %keys: tensor<2x?x64x2x72xbf16>, %r: !mm01.ragged, %layer: index,
                     %out: tensor<?x4x72xbf16>) -> tensor<?x4x72xbf16> {
  %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {scale = 0.125}
    : tensor<?x4x72xbf16>, tensor<2x?x64x2x72xbf16> into tensor<?x4x72xbf16>
  return %o : tensor<?x4x72xbf16>
}

// -----

// CHECK-LABEL: func.func @page_size
// CHECK-NOT: tile.program
// CHECK: mm01.softmax_attention
func.func @page_size(%q: tensor<?x4x64xbf16>, %keys: tensor<2x?x32x2x64xbf16>, %r: !mm01.ragged, %layer: index,
                     %out: tensor<?x4x64xbf16>) -> tensor<?x4x64xbf16> {
  %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {scale = 0.125}
    : tensor<?x4x64xbf16>, tensor<2x?x32x2x64xbf16> into tensor<?x4x64xbf16>
  return %o : tensor<?x4x64xbf16>
}

// -----

// CHECK-LABEL: func.func @heads
// CHECK-NOT: tile.program
// CHECK: mm01.softmax_attention
func.func @heads(%q: tensor<?x?x64xbf16>, %keys: tensor<2x?x64x2x64xbf16>, %r: !mm01.ragged, %layer: index,
                 %out: tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16> {
  %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {scale = 0.125}
    : tensor<?x?x64xbf16>, tensor<2x?x64x2x64xbf16> into tensor<?x?x64xbf16>
  return %o : tensor<?x?x64xbf16>
}

// -----

// CHECK-LABEL: func.func @scale
// CHECK-NOT: tile.program
// CHECK: mm01.softmax_attention
func.func @scale(%q: tensor<?x4x64xbf16>, %keys: tensor<2x?x64x2x64xbf16>, %r: !mm01.ragged, %layer: index,
                 %out: tensor<?x4x64xbf16>) -> tensor<?x4x64xbf16> {
  %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {scale = -0.125}
    : tensor<?x4x64xbf16>, tensor<2x?x64x2x64xbf16> into tensor<?x4x64xbf16>
  return %o : tensor<?x4x64xbf16>
}
