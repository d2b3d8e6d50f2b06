// RUN: mm01-opt %s --mm01-form-lightning-decode -split-input-file | FileCheck %s

// Again, it changes nothing.
// RUN: mm01-opt %s --mm01-form-lightning-decode -split-input-file > %t.once
// RUN: mm01-opt %t.once --mm01-form-lightning-decode -split-input-file | diff %t.once -

// A workgroup has 32 columns of a head's state; the op gets what is left.
// CHECK-LABEL: func.func @lightning
// CHECK-SAME: %[[Q:[^:]*]]: tensor<?x4x64xf32>
// CHECK-SAME: %[[OUT:[^:]*]]: tensor<?x4x64xf32>, %[[STATE:[^:]*]]: tensor<7x?x4x64x64xf32>)
// Where all have several tokens there is no launch; padding has none, and counts.
// CHECK: %[[ALL:.*]] = mm01.ragged_size %{{.*}} sequences
// CHECK: %[[SEVERAL:.*]] = mm01.ragged_size %{{.*}} several
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[ALL]], %[[SEVERAL]] : index
// CHECK: %[[N:.*]] = arith.select %[[NONE]], %{{.*}}, %[[ALL]] : index
// CHECK: %[[R:.*]]:2 = scf.forall (%[[SEQ:.*]], %[[H:.*]], %[[PART:.*]]) in (%[[N]], 4, 2) shared_outs(%[[O:.*]] = %[[OUT]], %[[S:.*]] = %[[STATE]])
// CHECK: %[[COLUMN:.*]] = arith.muli %[[PART]]
// CHECK: %[[STATES:.*]] = tensor.extract_slice %[[S]][{{.*}}, %[[H]], 0, %[[COLUMN]]] [1, 1, 1, 64, 32]
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[O]][{{.*}}, %[[H]], %[[COLUMN]]] [1, 1, 32]
// CHECK: %[[SINGLE:.*]] = arith.cmpi eq
// CHECK: scf.if %[[SINGLE]]
// One sweep over the state, which is read and written in it.
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins({{.*}} : tensor<64xf32>, tensor<64xf32>, tensor<32xf32>) outs(%[[STATES]], %{{.*}} : tensor<64x32xf32>, tensor<32xf32>)
// CHECK: arith.select
// CHECK: arith.addf {{.*}}fastmath<reassoc,contract>
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[ROW]], %[[STATES]]
// CHECK: exec.sequences = #exec.sequences<single>, {{.*}}mm01.kernel = "lightning_decode"
// CHECK: mm01.lightning_attention %[[Q]], %[[Q]], %[[Q]], {{.*}} into %[[R]]#0, %[[R]]#1 {mm01.skip_single}
func.func @lightning(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                     %out: tensor<?x4x64xf32>, %state: tensor<7x?x4x64x64xf32>)
    -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  return %o, %s : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
}

// -----

// Head sizes that are no multiple of 32 have narrower parts; bf16 is widened.
// CHECK-LABEL: func.func @narrow
// CHECK: tensor.extract_slice {{.*}}[1, 1, 1, 48, 16]
// CHECK: arith.extf {{.*}} bf16 to f32
func.func @narrow(%q: tensor<?x4x48xbf16>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                  %out: tensor<?x4x48xbf16>, %state: tensor<7x?x4x48x48xf32>)
    -> (tensor<?x4x48xbf16>, tensor<7x?x4x48x48xf32>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x4x48xbf16>, tensor<4xf32> into tensor<?x4x48xbf16>, tensor<7x?x4x48x48xf32>
  return %o, %s : tensor<?x4x48xbf16>, tensor<7x?x4x48x48xf32>
}

// -----

// States of another type are not refused here, but by form-kernels.
// CHECK-LABEL: func.func @other_state
// CHECK-NOT: scf.forall
func.func @other_state(%q: tensor<?x4x64xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                       %out: tensor<?x4x64xf32>, %state: tensor<7x?x4x64x64xf64>)
    -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf64>) {
  %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
    : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf64>
  return %o, %s : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf64>
}
