// RUN: mm01-opt %s --split-input-file --mm01-form-projections --mm01-fuse-twins --mm01-fuse-consumers --canonicalize --cse | FileCheck %s

// SiLU's kin behind a product: the panel is updated where it is.
// CHECK-LABEL: func.func @behind_a_product
// CHECK-SAME: %[[OUT:[^,]*]]: tensor<?x192xf32>)
// CHECK: %[[Y:.*]] = scf.forall {{.*}} shared_outs(%[[O:.*]] = %[[OUT]])
// CHECK: %[[PANEL:.*]] = scf.if
// CHECK: %[[DONE:.*]] = linalg.exp ins(%[[PANEL]] : tensor<?x?xf32>) outs(%[[PANEL]] : tensor<?x?xf32>)
// CHECK: tensor.parallel_insert_slice %[[DONE]] into %[[O]]
// CHECK: mm01.kernel = "linear+exp"
// CHECK-NEXT: return %[[Y]]
func.func @behind_a_product(%x: tensor<?x64xf32>, %w: !mm01.weight<192x64xbf16>, %out: tensor<?x192xf32>) -> tensor<?x192xf32> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<192x64xbf16> into tensor<?x192xf32>
  %z = linalg.exp ins(%y : tensor<?x192xf32>) outs(%y : tensor<?x192xf32>) -> tensor<?x192xf32>
  return %z : tensor<?x192xf32>
}

// -----

// SwiGLU: one kernel, one output. The product that is only read moves to scratch.
// CHECK-LABEL: func.func @swiglu
// CHECK: %[[Y:.*]] = scf.forall {{.*}} shared_outs(%[[O:.*]] = %{{.*}}) -> (tensor<?x96xf32>)
// CHECK: arith.minsi
// CHECK: %[[COUNT:.*]] = arith.minsi
// CHECK: tensor.empty(%[[COUNT]]) : tensor<?x96xf32>
// CHECK: linalg.mul
// CHECK: mm01.kernel = "grouped_linear+grouped_linear+mul"
// CHECK-NOT: scf.forall
func.func @swiglu(%x: tensor<?x64xf32>, %o: tensor<5xi32>, %w1: !mm01.weight<4x96x64xbf16>, %w3: !mm01.weight<4x96x64xbf16>,
                  %t: index) -> tensor<?x96xf32> {
  %a = tensor.empty(%t) : tensor<?x96xf32>
  %b = tensor.empty(%t) : tensor<?x96xf32>
  %g = mm01.grouped_linear %x, %o, %w1 into %a : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  %u = mm01.grouped_linear %x, %o, %w3 into %b : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  %y = linalg.mul ins(%g, %u : tensor<?x96xf32>, tensor<?x96xf32>) outs(%g : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// -----

// The router's one panel is whole rows, so that experts are chosen behind it; its logits move to scratch.
// CHECK-LABEL: func.func @router
// CHECK: %[[BOTH:.*]]:2 = scf.forall
// CHECK: tensor.empty(%{{.*}}) : tensor<?x8xf32>
// CHECK: mm01.route
// CHECK: tensor.parallel_insert_slice
// CHECK: tensor.parallel_insert_slice
// CHECK-NOT: tensor.parallel_insert_slice
// CHECK: mm01.kernel = "linear+route"
// CHECK-NEXT: return %[[BOTH]]#0, %[[BOTH]]#1
func.func @router(%x: tensor<?x64xf32>, %w: !mm01.weight<8x64xf32>, %t: index, %s: tensor<?x2xf32>, %e: tensor<?x2xi32>)
    -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %a = tensor.empty(%t) : tensor<?x8xf32>
  %l = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<8x64xf32> into tensor<?x8xf32>
  %p, %q = mm01.route %l into %s, %e : tensor<?x8xf32> into tensor<?x2xf32>, tensor<?x2xi32>
  return %p, %q : tensor<?x2xf32>, tensor<?x2xi32>
}

// -----

// A second op joins what the first one made.
// CHECK-LABEL: func.func @two_in_a_row
// CHECK: mm01.kernel = "linear+exp+add"
// CHECK-NOT: linalg.add
func.func @two_in_a_row(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %r: tensor<?x96xf32>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  %z = linalg.exp ins(%y : tensor<?x96xf32>) outs(%y : tensor<?x96xf32>) -> tensor<?x96xf32>
  %s = linalg.add ins(%z, %r : tensor<?x96xf32>, tensor<?x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %s : tensor<?x96xf32>
}

// -----

// Each panel goes to its place of the transposed result.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[PANEL:.*]] = scf.if
// CHECK: linalg.transpose ins(%[[PANEL]]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[COLUMN:.*]], %[[ROW:.*]]] [
// CHECK: mm01.kernel = "linear+transpose"
func.func @transposed(%x: tensor<?x64xf32>, %w: !mm01.weight<192x64xbf16>, %t: index, %out: tensor<192x?xf32>) -> tensor<192x?xf32> {
  %a = tensor.empty(%t) : tensor<?x192xf32>
  %y = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<192x64xbf16> into tensor<?x192xf32>
  %z = linalg.transpose ins(%y : tensor<?x192xf32>) outs(%out : tensor<192x?xf32>) permutation = [1, 0]
  return %z : tensor<192x?xf32>
}
