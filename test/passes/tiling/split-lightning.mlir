// RUN: mm01-opt %s --mm01-split-lightning -split-input-file | FileCheck %s

// Without fusions, single tokens take three kernels over one another's states, and longer sequences read what kernels
// before made: tables of decays, and q, k and v by heads. Both kinds of kernels may find nothing to do.
// CHECK-LABEL: func.func @lightning
// CHECK-SAME: %[[Q:[^:]*]]: tensor<?x4x64xf32>, %[[K:[^:]*]]: tensor<?x4x64xf32>, %[[V:[^:]*]]: tensor<?x4x64xf32>
// CHECK-SAME: %[[OUT:[^:]*]]: tensor<?x4x64xf32>, %[[STATE:[^:]*]]: tensor<7x?x4x64x64xf32>)
// One sequence of several tokens has no single ones.
// CHECK: %[[ALL:.*]] = mm01.ragged_size %{{.*}} sequences
// CHECK: %[[SINGLES:.*]] = arith.select %{{.*}}, %c0{{.*}}, %[[ALL]]
// CHECK: %[[DECAYED:.*]] = scf.forall ({{.*}}) in (%[[SINGLES]], 4) shared_outs(%{{.*}} = %[[STATE]])
// CHECK: arith.select
// CHECK: mm01.kernel = "lightning_decay"
// CHECK: %[[UPDATED:.*]] = scf.forall {{.*}} shared_outs(%{{.*}} = %[[DECAYED]])
// CHECK: mm01.kernel = "lightning_outer"
// CHECK: %[[READ:.*]] = scf.forall {{.*}} shared_outs(%{{.*}} = %[[OUT]])
// CHECK: tensor.extract_slice %[[UPDATED]]
// CHECK: mm01.kernel = "lightning_read"
// A batch of single tokens has nothing else.
// CHECK: %[[N:.*]] = arith.select %{{.*}}, %c0{{.*}}, %{{.*}} : index
// CHECK: %[[QH:.*]] = scf.forall ({{.*}}) in (%[[N]], 4) shared_outs(%{{.*}} = %{{.*}}) -> (tensor<4x?x64xf32>)
// CHECK: mm01.kernel = "lightning_layout"
// CHECK: %[[KH:.*]] = scf.forall {{.*}} -> (tensor<4x?x64xf32>)
// CHECK: %[[VH:.*]] = scf.forall {{.*}} -> (tensor<4x?x64xf32>)
// CHECK: %[[DECAYS:.*]]:2 = scf.forall {{.*}} -> (tensor<4x17xf32>, tensor<4x256xf32>)
// CHECK: mm01.kernel = "lightning_decays"
// CHECK: %[[OH:.*]]:2 = scf.forall ({{.*}}) in (%{{.*}}) shared_outs(%{{.*}} = %{{.*}}, %{{.*}} = %[[UPDATED]])
// CHECK-DAG: tensor.extract_slice %[[QH]]
// CHECK-DAG: tensor.extract_slice %[[KH]]
// CHECK-DAG: tensor.extract_slice %[[VH]]
// CHECK-DAG: tensor.extract_slice %[[DECAYS]]#0
// CHECK-DAG: tensor.extract_slice %[[DECAYS]]#1
// CHECK-COUNT-4: linalg.matmul
// CHECK: mm01.kernel = "lightning_attention", mm01.lightning_plan = {repeat = 16 : i64, rest = []}
// CHECK: %[[DONE:.*]] = scf.forall {{.*}} shared_outs(%{{.*}} = %[[READ]]) -> (tensor<?x4x64xf32>)
// CHECK: tensor.extract_slice %[[OH]]#0
// CHECK: mm01.kernel = "lightning_layout"
// CHECK: return %[[DONE]], %[[OH]]#1
module attributes {mm01.fusion = []} {
  func.func @lightning(%q: tensor<?x4x64xf32>, %k: tensor<?x4x64xf32>, %v: tensor<?x4x64xf32>, %slopes: tensor<4xf32>,
                       %r: !mm01.ragged, %layer: index, %out: tensor<?x4x64xf32>, %state: tensor<7x?x4x64x64xf32>)
      -> (tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>) {
    %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state
      {mm01.lightning_plan = {repeat = 16, rest = []}}
      : tensor<?x4x64xf32>, tensor<4xf32> into tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
    return %o, %s : tensor<?x4x64xf32>, tensor<7x?x4x64x64xf32>
  }
}

// -----

// A plan of single tokens alone needs no tables; bf16 is widened, and ordered by heads as it is.
// CHECK-LABEL: func.func @recurrence
// CHECK: -> (tensor<4x?x32xbf16>)
// CHECK-NOT: lightning_decays
// CHECK: mm01.kernel = "lightning_attention"
module attributes {mm01.fusion = ["rows", "launches"]} {
  func.func @recurrence(%q: tensor<?x4x32xbf16>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                        %out: tensor<?x4x32xbf16>, %state: tensor<7x?x4x32x32xf32>)
      -> (tensor<?x4x32xbf16>, tensor<7x?x4x32x32xf32>) {
    %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x32xbf16>, tensor<4xf32> into tensor<?x4x32xbf16>, tensor<7x?x4x32x32xf32>
    return %o, %s : tensor<?x4x32xbf16>, tensor<7x?x4x32x32xf32>
  }
}

// -----

// With the fusion, which is so without the attribute, too, the op stays.
// CHECK-LABEL: func.func @wanted
// CHECK-NOT: scf.forall
// CHECK: mm01.lightning_attention
module attributes {mm01.fusion = ["attention"]} {
  func.func @wanted(%q: tensor<?x4x32xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                    %out: tensor<?x4x32xf32>, %state: tensor<7x?x4x32x32xf32>)
      -> (tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>) {
    %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
      : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
    return %o, %s : tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
  }
}

// -----

// Left: an op whose single tokens have a kernel, and states of another type, which form-kernels refuses.
// CHECK-LABEL: func.func @left
// CHECK-NOT: scf.forall
// CHECK-COUNT-2: mm01.lightning_attention
module attributes {mm01.fusion = []} {
  func.func @left(%q: tensor<?x4x32xf32>, %slopes: tensor<4xf32>, %r: !mm01.ragged, %layer: index,
                  %out: tensor<?x4x32xf32>, %state: tensor<7x?x4x32x32xf32>, %other: tensor<7x?x4x32x32xf64>)
      -> (tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>, tensor<7x?x4x32x32xf64>) {
    %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state {mm01.skip_single}
      : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>
    %p, %t = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %o, %other
      : tensor<?x4x32xf32>, tensor<4xf32> into tensor<?x4x32xf32>, tensor<7x?x4x32x32xf64>
    return %p, %s, %t : tensor<?x4x32xf32>, tensor<7x?x4x32x32xf32>, tensor<7x?x4x32x32xf64>
  }
}
