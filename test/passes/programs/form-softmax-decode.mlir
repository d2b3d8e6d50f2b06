// RUN: mm01-opt %s --mm01-form-softmax-decode -split-input-file | FileCheck %s

// Again, it changes nothing.
// RUN: mm01-opt %s --mm01-form-softmax-decode -split-input-file > %t.once
// RUN: mm01-opt %t.once --mm01-form-softmax-decode -split-input-file | diff %t.once -

// A block has a key head of a sequence and a piece of its pages, 16 at most, of 4 pages or more: as many as the page tables
// are wide for. Query heads are rows, and what is behind them is 0. The op gets what is left.
// CHECK-LABEL: func.func @grouped
// CHECK-SAME: %[[Q:[^:]*]]: tensor<?x64x128xbf16>
// CHECK-SAME: %[[OUT:[^:]*]]: tensor<?x64x128xbf16>)
// CHECK: %[[ALL:.*]] = mm01.ragged_size %[[R:.*]] sequences
// CHECK: %[[SUMS:.*]] = tensor.empty(%[[ALL]]) : tensor<?x64x16x2xf32>
// CHECK: %[[OUTPUTS:.*]] = tensor.empty(%[[ALL]]) : tensor<?x16x64x128xf32>
// CHECK: %[[WIDTH:.*]] = mm01.ragged_size %[[R]] pages
// CHECK: %[[PIECES:.*]] = arith.minsi
// A batch without single tokens needs no launch.
// CHECK: mm01.ragged_size %[[R]] several
// CHECK: %[[N:.*]] = arith.select
// CHECK: %[[ITEMS:.*]] = arith.muli %[[N]], %c8
// CHECK: %[[PARTS:.*]]:2 = tile.program "softmax_decode" grid(%[[ITEMS]], %[[PIECES]], %c1{{.*}}) resident 2 ins(%[[Q]],
// CHECK-SAME: outs(%[[SUMS]], %[[OUTPUTS]] : tensor<?x64x16x2xf32>, tensor<?x16x64x128xf32>)
// CHECK-SAME: exec.sequences = #exec.sequences<single>
// CHECK: exec.tensor_map {{.*}} box [1, 1, 64, 128]
// CHECK-COUNT-2: exec.tensor_map {{.*}} box [1, 1, 1, 64, 128]
// CHECK: tile.copy_in
// CHECK: scf.for
// CHECK: mm01.ragged_get {{.*}} page_table
// CHECK-COUNT-2: tile.copy_in
// CHECK: tile.mma {{.*}} transposed : {{.*}} -> tensor<64x64xf32>
// CHECK: tile.any
// CHECK: math.exp2 {{.*}} : tensor<64x64xf32>
// CHECK: tile.mma {{.*}} into {{.*}} -> tensor<64x128xf32>
// CHECK: tile.store {{.*}} : tensor<64x8xf32>
// CHECK: tile.store {{.*}} : tensor<64x128xf32>
// CHECK: } -> tensor<?x64x16x2xf32>, tensor<?x16x64x128xf32>
// CHECK: %[[MERGED:.*]] = scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 8) shared_outs(%[[O:.*]] = %[[OUT]])
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[O]][{{.*}}] [1, 8, 128]
// CHECK: scf.if
// CHECK: scf.forall {{.*}} in (%c8{{.*}}) shared_outs
// CHECK: arith.maxnumf
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<128xf32>)
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[ROWS]]
// CHECK: {exec.sequences = #exec.sequences<single>, mapping = {{.*}}, mm01.kernel = "softmax_merge"}
// CHECK: mm01.softmax_attention %[[Q]], {{.*}} into %[[MERGED]] {mm01.skip_single, scale
func.func @grouped(%q: tensor<?x64x128xbf16>, %keys: tensor<2x?x64x8x128xbf16>, %values: tensor<2x?x64x8x128xbf16>,
                   %r: !mm01.ragged, %layer: index, %out: tensor<?x64x128xbf16>) -> tensor<?x64x128xbf16> {
  %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {scale = 0.08838834764831845}
    : tensor<?x64x128xbf16>, tensor<2x?x64x8x128xbf16> into tensor<?x64x128xbf16>
  return %o : tensor<?x64x128xbf16>
}

// -----

// As many query heads as a tile has rows, on one key head, which makes more pieces fill a chip.
// CHECK-LABEL: func.func @one_key_head
// CHECK: tile.program "softmax_decode" {{.*}} outs({{.*}} : tensor<?x64x132x2xf32>, tensor<?x132x64x64xf32>)
func.func @one_key_head(%q: tensor<?x64x64xbf16>, %keys: tensor<2x?x64x1x64xbf16>, %r: !mm01.ragged, %layer: index,
                        %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {scale = 0.125}
    : tensor<?x64x64xbf16>, tensor<2x?x64x1x64xbf16> into tensor<?x64x64xbf16>
  return %o : tensor<?x64x64xbf16>
}

// -----

// A head more does not fit.
// CHECK-LABEL: func.func @wide_group
// CHECK-NOT: tile.program
// CHECK-NOT: mm01.skip_single
// CHECK: return
func.func @wide_group(%q: tensor<?x65x64xbf16>, %keys: tensor<2x?x64x1x64xbf16>, %r: !mm01.ragged, %layer: index,
                      %out: tensor<?x65x64xbf16>) -> tensor<?x65x64xbf16> {
  %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {scale = 0.125}
    : tensor<?x65x64xbf16>, tensor<2x?x64x1x64xbf16> into tensor<?x65x64xbf16>
  return %o : tensor<?x65x64xbf16>
}

// -----

// What has no program does single tokens itself.
// CHECK-LABEL: func.func @float32
// CHECK-NOT: tile.program
// CHECK-NOT: mm01.skip_single
// CHECK: return
func.func @float32(%q: tensor<?x4x64xf32>, %keys: tensor<2x?x64x2x64xf32>, %r: !mm01.ragged, %layer: index,
                   %out: tensor<?x4x64xf32>) -> tensor<?x4x64xf32> {
  %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {scale = 0.125}
    : tensor<?x4x64xf32>, tensor<2x?x64x2x64xf32> into tensor<?x4x64xf32>
  return %o : tensor<?x4x64xf32>
}
