// RUN: mm01-opt %s -split-input-file -mm01-form-lightning-programs | FileCheck %s

// A cluster of two blocks for each sequence and head, whose maps clip the last
// block of a sequence; scores by the role that runs ahead, the state carried.
// CHECK-LABEL: func.func @two_blocks
// CHECK: %[[N:.*]] = mm01.ragged_size %{{.*}} sequences
// CHECK: tile.program "lightning" grid(%[[N]], %{{.*}}, %{{.*}}) cluster 2 ins(
// CHECK-SAME: : tensor<?x48x128xbf16>, tensor<?x48x128xbf16>, tensor<?x48x128xbf16>, tensor<48xf32>, !mm01.ragged, index)
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<?x48x128xbf16>, tensor<7x?x48x128x128xf32>)
// CHECK: gpu.cluster_block_id x
// CHECK-COUNT-2: exec.tensor_map {{.*}} box [1, 1, 64, 128]
// CHECK-COUNT-2: exec.tensor_map {{.*}} box [1, 1, 64, 64]
// CHECK: tile.load
// CHECK: scf.for
// CHECK-COUNT-2: tile.copy_in {{.*}} multicast
// CHECK: tile.copy_in
// CHECK-COUNT-2: tile.write {{.*}} : tensor<64x64xbf16>, <64x64xbf16>
// CHECK: tile.mma %{{.*}}, %{{.*}} transposed : tensor<64x128xbf16>
// CHECK: tile.mma {{.*}} -> tensor<64x128xf32>
// The block before goes out behind this one's first products.
// CHECK: tile.copy_out
// CHECK: tile.mma {{.*}} transposed into
// CHECK: scf.yield
// CHECK: tile.copy_out
// CHECK: tile.store
func.func @two_blocks(%q: tensor<?x48x128xbf16>, %k: tensor<?x48x128xbf16>, %v: tensor<?x48x128xbf16>,
                      %slopes: tensor<48xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x48x128xbf16>,
                      %state: tensor<7x?x48x128x128xf32>) -> (tensor<?x48x128xbf16>, tensor<7x?x48x128x128xf32>) {
  %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state
    : tensor<?x48x128xbf16>, tensor<48xf32> into tensor<?x48x128xbf16>, tensor<7x?x48x128x128xf32>
  return %o, %s : tensor<?x48x128xbf16>, tensor<7x?x48x128x128xf32>
}

// -----

// A small head is one block's, and a sequence of one token may be another kernel's:
// there are clusters for the others alone, and the two may run side by side. Where
// prefill takes less than half a chip beside decode, clusters take several heads:
// that is a program of its own.
// CHECK-LABEL: func.func @one_block
// CHECK: %[[N:.*]] = mm01.ragged_size %{{.*}} several
// CHECK: %[[HIDES:.*]] = arith.cmpi sle, %[[PREFILL:.*]], %{{.*}} : index
// CHECK: %[[SHARE:.*]] = arith.ceildivui %[[PREFILL]], %{{.*}} : index
// CHECK: %[[HEADS:.*]] = arith.minsi %[[SHARE]], %[[ALL:.*]] : index
// CHECK: %[[SHARED:.*]] = arith.select %[[HIDES]], %[[N]], %{{.*}} : index
// CHECK: %[[R:.*]]:2 = tile.program "lightning_heads" grid(%[[SHARED]], %[[HEADS]], %{{.*}}) ins(
// CHECK-SAME: attributes {exec.sequences = #exec.sequences<several>}
// CHECK-NOT: multicast
// CHECK: %[[X:.*]] = gpu.cluster_id x
// CHECK: %[[SEQUENCE:.*]] = mm01.ragged_get %{{.*}} several_sequence[%[[X]]]
// CHECK: mm01.ragged_get %{{.*}} seq_offsets[%[[SEQUENCE]]]
// CHECK: %[[FIRST:.*]] = gpu.block_id y
// CHECK: %[[STEP:.*]] = gpu.grid_dim y
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[STEP]] {
// CHECK: %[[OTHERS:.*]] = arith.select %[[HIDES]], %{{.*}}, %[[N]] : index
// CHECK: tile.program "lightning" grid(%[[OTHERS]], %[[ALL]], %{{.*}}) ins(
// CHECK-SAME: outs(%[[R]]#0, %[[R]]#1 :
// CHECK-SAME: attributes {exec.sequences = #exec.sequences<several>}
// CHECK-NOT: gpu.grid_dim
func.func @one_block(%q: tensor<?x128x16xbf16>, %slopes: tensor<128xf32>, %r: !mm01.ragged, %layer: index,
                     %out: tensor<?x128x16xbf16>, %state: tensor<7x?x128x16x16xf32>)
    -> (tensor<?x128x16xbf16>, tensor<7x?x128x16x16xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state {mm01.skip_single}
    : tensor<?x128x16xbf16>, tensor<128xf32> into tensor<?x128x16xbf16>, tensor<7x?x128x16x16xf32>
  return %o, %s : tensor<?x128x16xbf16>, tensor<7x?x128x16x16xf32>
}

// -----

// Eight heads of two blocks are a chip's eighth: batches of 2,496 tokens or more
// have eight segments, and twice as many entries at most.
// CHECK-LABEL: func.func @segments
// CHECK: %[[N:.*]] = mm01.ragged_size %{{.*}} sequences
// CHECK: %[[T:.*]] = mm01.ragged_size %{{.*}} tokens
// CHECK: %[[LEAST:.*]] = arith.constant 2496 : index
// CHECK: %[[LONG:.*]] = arith.cmpi sge, %[[T]], %[[LEAST]] : index
// CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[N]], %{{.*}} : index
// CHECK: %[[SEVERAL:.*]] = arith.andi %[[LONG]], %[[SOME]]
// CHECK: %[[ALL:.*]] = arith.maxsi %[[T]], %{{.*}} : index
// CHECK: %[[LENGTH:.*]] = arith.select %[[SEVERAL]], %{{.*}}, %[[ALL]] : index
// CHECK: %[[STATES:.*]] = tensor.empty() : tensor<16x8x128x128xf32>
// CHECK: %[[ENTRIES:.*]] = arith.select %[[SEVERAL]]
// CHECK: %[[ADDED:.*]] = tile.program "lightning_segments" grid(%[[ENTRIES]], %{{.*}}, %{{.*}}) cluster 2 ins(
// CHECK-SAME: outs(%[[STATES]] : tensor<16x8x128x128xf32>)
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.mma
// CHECK: tile.store
// CHECK: %[[CLUSTERS:.*]] = arith.addi %[[N]], %[[ENTRIES]] : index
// CHECK: tile.program "lightning" grid(%[[CLUSTERS]], %{{.*}}, %{{.*}}) cluster 2 ins(
// CHECK-SAME: %[[LENGTH]], %[[ADDED]] :
// The state of a segment is the sum of those before.
// CHECK: scf.for {{.*}} -> (tensor<64x128xf32>)
// CHECK: tile.load
// CHECK: tile.copy_in
func.func @segments(%q: tensor<?x8x128xbf16>, %slopes: tensor<8xf32>, %r: !mm01.ragged, %layer: index,
                    %out: tensor<?x8x128xbf16>, %state: tensor<7x?x8x128x128xf32>)
    -> (tensor<?x8x128xbf16>, tensor<7x?x8x128x128xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x8x128xbf16>, tensor<8xf32> into tensor<?x8x128xbf16>, tensor<7x?x8x128x128xf32>
  return %o, %s : tensor<?x8x128xbf16>, tensor<7x?x8x128x128xf32>
}

// -----

// In reverse, scores are those of later keys, weights do not depend on a block's
// length and the state's decays do.
// CHECK-LABEL: func.func @reverse
// CHECK: tile.program "lightning"
// CHECK: %[[J:.*]] = tile.iota 1
// CHECK: %[[I:.*]] = tile.iota 0
// CHECK: arith.subi %[[J]], %[[I]] : tensor<64x64xi32>
// CHECK: scf.for
// CHECK: tile.mma %{{.*}}, %{{.*}} transposed : tensor<64x128xbf16>
// CHECK-NOT: scf.if
// CHECK: tile.mma {{.*}} -> tensor<64x128xf32>
// CHECK: tile.copy_out
// CHECK: %[[DECAYS:.*]] = scf.if %{{.*}} -> (tensor<64x64xf32>)
// CHECK: arith.mulf %{{.*}}, %[[DECAYS]] : tensor<64x64xf32>
func.func @reverse(%q: tensor<?x48x128xbf16>, %slopes: tensor<48xf32>, %r: !mm01.ragged, %layer: index,
                   %out: tensor<?x48x128xbf16>, %state: tensor<7x?x48x128x128xf32>)
    -> (tensor<?x48x128xbf16>, tensor<7x?x48x128x128xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state {mm01.reverse}
    : tensor<?x48x128xbf16>, tensor<48xf32> into tensor<?x48x128xbf16>, tensor<7x?x48x128x128xf32>
  return %o, %s : tensor<?x48x128xbf16>, tensor<7x?x48x128x128xf32>
}

// -----

// Refused: activations of float32.
// CHECK-LABEL: func.func @float32
// CHECK: mm01.lightning_attention
func.func @float32(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                   %out: tensor<?x4x64xf32>, %state: tensor<7x?x4x64x64xf32>)
    -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  return %o, %s : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
}

// -----

// Refused: head sizes that are no multiple of 16, or above 128.
// CHECK-LABEL: func.func @sizes
// CHECK: mm01.lightning_attention
// CHECK: mm01.lightning_attention
func.func @sizes(%q: tensor<?x4x72xbf16>, %wide: tensor<?x4x144xbf16>, %slopes: tensor<4xf32>, %r: !mm01.ragged,
                 %layer: index, %out: tensor<?x4x72xbf16>, %state: tensor<7x?x4x72x72xf32>,
                 %out2: tensor<?x4x144xbf16>, %state2: tensor<7x?x4x144x144xf32>)
    -> (tensor<?x4x72xbf16>, tensor<7x?x4x72x72xf32>, tensor<?x4x144xbf16>, tensor<7x?x4x144x144xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x4x72xbf16>, tensor<4xf32> into tensor<?x4x72xbf16>, tensor<7x?x4x72x72xf32>
  %p, %t = mm01.lightning_attention %wide, %wide, %wide, %slopes, %r, %layer into %out2, %state2
    : tensor<?x4x144xbf16>, tensor<4xf32> into tensor<?x4x144xbf16>, tensor<7x?x4x144x144xf32>
  return %o, %s, %p, %t : tensor<?x4x72xbf16>, tensor<7x?x4x72x72xf32>, tensor<?x4x144xbf16>, tensor<7x?x4x144x144xf32>
}

// -----

// Where launches are not to run side by side, no prefill hides.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK-NOT: "lightning_heads"
// CHECK: tile.program "lightning"
// CHECK-NOT: tile.program
module attributes {mm01.fusion = ["rows"]} {
  func.func @one_after_the_other(%q: tensor<?x128x16xbf16>, %slopes: tensor<128xf32>, %r: !mm01.ragged, %layer: index,
                                 %out: tensor<?x128x16xbf16>, %state: tensor<7x?x128x16x16xf32>)
      -> (tensor<?x128x16xbf16>, tensor<7x?x128x16x16xf32>) {
    %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state {mm01.skip_single}
      : tensor<?x128x16xbf16>, tensor<128xf32> into tensor<?x128x16xbf16>, tensor<7x?x128x16x16xf32>
    return %o, %s : tensor<?x128x16xbf16>, tensor<7x?x128x16x16xf32>
  }
}
