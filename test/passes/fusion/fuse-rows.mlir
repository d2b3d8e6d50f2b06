// RUN: mm01-opt %s --mm01-fuse-rows --canonicalize --cse | FileCheck %s
// RUN: mm01-opt %s --mm01-fuse-rows --mm01-form-kernels --canonicalize --cse | FileCheck %s --check-prefix=KERNELS

#id = affine_map<(i, j) -> (i, j)>

// Combine, residual and norm: temporaries of a tile, the last result in its place. Inside, the ops become loops.
// CHECK-LABEL: func.func @finish
// CHECK-SAME: %[[ROWS:[^,]*]]: tensor<?x64xf32>
// CHECK-SAME: %[[OUT:[^,]*]]: tensor<?x64xf32>)
// CHECK: scf.forall (%{{.*}}) in (%{{.*}}) shared_outs(%[[O:.*]] = %[[OUT]])
// CHECK: %[[COUNT:.*]] = arith.minsi
// CHECK: %[[TMP:.*]] = tensor.empty(%[[COUNT]]) : tensor<?x64xf32>
// CHECK: %[[Y:.*]] = mm01.combine %[[ROWS]], %{{.*}} into %[[TMP]]
// CHECK: %[[H:.*]] = linalg.generic {{.*}} outs(%[[Y]]
// CHECK: %[[TILE:.*]] = tensor.extract_slice %[[O]]
// CHECK: %[[Z:.*]] = mm01.rms_norm %[[H]], %{{.*}} into %[[TILE]]
// CHECK: tensor.parallel_insert_slice %[[Z]] into %[[O]]
// CHECK: mm01.kernel = "combine+generic_addf+rms_norm"
// CHECK-NOT: scf.forall
// KERNELS-LABEL: func.func @finish
// KERNELS: scf.forall
// KERNELS-NOT: mm01.combine
// KERNELS-NOT: mm01.rms_norm
// KERNELS: mm01.kernel = "combine+generic_addf+rms_norm"
// KERNELS-NOT: scf.forall
// KERNELS: return
func.func @finish(%rows: tensor<?x64xf32>, %p: tensor<?x2xi32>, %s: tensor<?x2xf32>, %n: tensor<?x64xf32>,
                  %w: !mm01.weight<64xbf16>, %t: index, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %e = tensor.empty(%t) : tensor<?x64xf32>
  %y = mm01.combine %rows, %p, %s into %e : tensor<?x64xf32>, tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x64xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<?x64xf32>) outs(%y : tensor<?x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x64xf32>
  %z = mm01.rms_norm %h, %w into %out {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}

// A result that is needed after the chain is an output too (pre-norm keeps the sum).
// CHECK-LABEL: func.func @two_results
// CHECK: %[[BOTH:.*]]:2 = scf.forall
// CHECK: mm01.kernel = "embedding+rms_norm"
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
func.func @two_results(%ids: tensor<?xi32>, %table: !mm01.weight<256x64xbf16>, %w: !mm01.weight<64xbf16>, %a: tensor<?x64xf32>,
                       %b: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %x = mm01.embedding %ids, %table into %a : tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x64xf32>
  %y = mm01.rms_norm %x, %w into %b {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  return %x, %y : tensor<?x64xf32>, tensor<?x64xf32>
}

// A row may be reduced, and one row of the same for all is read whole.
// CHECK-LABEL: func.func @row_sums
// CHECK: scf.forall
// CHECK: linalg.add
// CHECK: linalg.reduce
// CHECK: mm01.kernel = "add+reduce"
func.func @row_sums(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>, %a: tensor<?x64xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %s = linalg.add ins(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>) outs(%a : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.reduce ins(%s : tensor<?x64xf32>) outs(%out : tensor<?xf32>) dimensions = [1]
    (%u: f32, %v: f32) { %w = arith.addf %u, %v : f32  linalg.yield %w : f32 }
  return %r : tensor<?xf32>
}

// One op is no chain; mm01-form-kernels makes its kernel.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: scf.forall
func.func @alone(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = mm01.rms_norm %x, %w into %out {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
