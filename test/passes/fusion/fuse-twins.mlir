// RUN: mm01-opt %s --split-input-file --mm01-form-projections --mm01-fuse-twins --canonicalize | FileCheck %s

// Both products of a SwiGLU by one workgroup, in slices that are seen to be the same.
// CHECK-LABEL: func.func @swiglu
// CHECK: %[[BOTH:.*]]:2 = scf.forall {{.*}} shared_outs(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: scf.forall.in_parallel
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[A]][%[[ROW:.*]], 0] [%[[COUNT:.*]], 96] [1, 1]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[B]][%[[ROW]], 0] [%[[COUNT]], 96] [1, 1]
// CHECK: mm01.kernel = "grouped_linear+grouped_linear"
// CHECK-NOT: scf.forall
// CHECK: linalg.mul ins(%[[BOTH]]#0, %[[BOTH]]#1
func.func @swiglu(%x: tensor<?x64xf32>, %o: tensor<5xi32>, %w1: !mm01.weight<4x96x64xbf16>, %w3: !mm01.weight<4x96x64xbf16>,
                  %a: tensor<?x96xf32>, %b: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %g = mm01.grouped_linear %x, %o, %w1 into %a : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  %u = mm01.grouped_linear %x, %o, %w3 into %b : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  %y = linalg.mul ins(%g, %u : tensor<?x96xf32>, tensor<?x96xf32>) outs(%g : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// -----

// Three are two, twice.
// CHECK-LABEL: func.func @triplets
// CHECK: mm01.kernel = "linear+linear+linear"
// CHECK-NOT: scf.forall
func.func @triplets(%x: tensor<?x64xf32>, %m: tensor<?x64xi1>, %w: !mm01.weight<64x64xf32>, %v: !mm01.weight<64x64xf32>, %u: !mm01.weight<64x64xf32>,
                    %a: tensor<?x64xf32>, %b: tensor<?x64xf32>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %p = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<64x64xf32> into tensor<?x64xf32>
  %q = mm01.linear %x, %v into %b : tensor<?x64xf32>, !mm01.weight<64x64xf32> into tensor<?x64xf32>
  %r = mm01.linear %x, %u into %c : tensor<?x64xf32>, !mm01.weight<64x64xf32> into tensor<?x64xf32>
  %y = linalg.select ins(%m, %q, %r : tensor<?x64xi1>, tensor<?x64xf32>, tensor<?x64xf32>) outs(%p : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// Two panels against one.
// CHECK-LABEL: func.func @grids_differ
// CHECK-COUNT-2: mm01.kernel = "linear"
func.func @grids_differ(%x: tensor<?x64xf32>, %w: !mm01.weight<192x64xf32>, %v: !mm01.weight<64x64xf32>,
                        %a: tensor<?x192xf32>, %b: tensor<?x64xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %p = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<192x64xf32> into tensor<?x192xf32>
  %q = mm01.linear %x, %v into %b : tensor<?x64xf32>, !mm01.weight<64x64xf32> into tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i)>],
                       iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%p, %q : tensor<?x192xf32>, tensor<?x64xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%m: f32, %n: f32, %s: f32):
    %t = arith.mulf %m, %n : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Expert 1 has other rows here than there.
// CHECK-LABEL: func.func @slices_differ
// CHECK-COUNT-2: mm01.kernel = "grouped_linear"
func.func @slices_differ(%x: tensor<?x64xf32>, %o: tensor<5xi32>, %p: tensor<5xi32>, %w1: !mm01.weight<4x96x64xbf16>,
                         %w3: !mm01.weight<4x96x64xbf16>, %a: tensor<?x96xf32>, %b: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %g = mm01.grouped_linear %x, %o, %w1 into %a : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  %u = mm01.grouped_linear %x, %p, %w3 into %b : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  %y = linalg.mul ins(%g, %u : tensor<?x96xf32>, tensor<?x96xf32>) outs(%g : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// -----

// The second product reads the first one's result.
// CHECK-LABEL: func.func @used_before
// CHECK-COUNT-2: mm01.kernel = "linear"
func.func @used_before(%x: tensor<?x64xf32>, %w: !mm01.weight<64x64xf32>, %a: tensor<?x64xf32>, %b: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %p = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<64x64xf32> into tensor<?x64xf32>
  %q = mm01.linear %p, %w into %b : tensor<?x64xf32>, !mm01.weight<64x64xf32> into tensor<?x64xf32>
  %y = linalg.mul ins(%p, %q : tensor<?x64xf32>, tensor<?x64xf32>) outs(%p : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// Nothing reads both: no twins.
// CHECK-LABEL: func.func @strangers
// CHECK-COUNT-2: mm01.kernel = "linear"
func.func @strangers(%x: tensor<?x64xf32>, %w: !mm01.weight<64x64xf32>, %a: tensor<?x64xf32>, %b: tensor<?x64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %p = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<64x64xf32> into tensor<?x64xf32>
  %q = mm01.linear %x, %w into %b : tensor<?x64xf32>, !mm01.weight<64x64xf32> into tensor<?x64xf32>
  return %p, %q : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// The module wants other fusions.
// CHECK-LABEL: func.func @off
// CHECK-COUNT-2: mm01.kernel = "linear"
module attributes {mm01.fusion = ["rows"]} {
  func.func @off(%x: tensor<?x64xf32>, %w: !mm01.weight<64x64xf32>, %a: tensor<?x64xf32>, %b: tensor<?x64xf32>) -> tensor<?x64xf32> {
    %p = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<64x64xf32> into tensor<?x64xf32>
    %q = mm01.linear %x, %w into %b : tensor<?x64xf32>, !mm01.weight<64x64xf32> into tensor<?x64xf32>
    %y = linalg.mul ins(%p, %q : tensor<?x64xf32>, tensor<?x64xf32>) outs(%p : tensor<?x64xf32>) -> tensor<?x64xf32>
    return %y : tensor<?x64xf32>
  }
}
