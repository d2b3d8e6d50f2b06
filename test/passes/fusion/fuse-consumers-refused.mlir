// RUN: mm01-opt %s --split-input-file --mm01-form-projections --mm01-fuse-consumers --canonicalize | FileCheck %s

// The product is wanted itself, too.
// CHECK-LABEL: func.func @another_use
// CHECK: mm01.kernel = "linear"}
// CHECK: linalg.exp
func.func @another_use(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %a: tensor<?x96xf32>, %out: tensor<?x96xf32>)
    -> (tensor<?x96xf32>, tensor<?x96xf32>) {
  %y = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  %z = linalg.exp ins(%y : tensor<?x96xf32>) outs(%out : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %y, %z : tensor<?x96xf32>, tensor<?x96xf32>
}

// -----

// A norm needs whole rows; a workgroup writes 128 of 192 columns.
// CHECK-LABEL: func.func @panels
// CHECK: mm01.kernel = "linear"}
// CHECK: mm01.rms_norm
func.func @panels(%x: tensor<?x64xf32>, %w: !mm01.weight<192x64xbf16>, %g: !mm01.weight<192xbf16>, %a: tensor<?x192xf32>,
                  %out: tensor<?x192xf32>) -> tensor<?x192xf32> {
  %y = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<192x64xbf16> into tensor<?x192xf32>
  %z = mm01.rms_norm %y, %g into %out {eps = 1.0e-5} : tensor<?x192xf32>, !mm01.weight<192xbf16> into tensor<?x192xf32>
  return %z : tensor<?x192xf32>
}

// -----

// A sum over columns would be one over a panel.
// CHECK-LABEL: func.func @sums
// CHECK: mm01.kernel = "linear"}
// CHECK: linalg.reduce
func.func @sums(%x: tensor<?x64xf32>, %w: !mm01.weight<192x64xbf16>, %a: tensor<?x192xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %y = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<192x64xbf16> into tensor<?x192xf32>
  %z = linalg.reduce ins(%y : tensor<?x192xf32>) outs(%out : tensor<?xf32>) dimensions = [1]
    (%u: f32, %v: f32) { %s = arith.addf %u, %v : f32  linalg.yield %s : f32 }
  return %z : tensor<?xf32>
}

// -----

// 512 rows of 33 elements are more than the 16,384 that a workgroup of its own would get; of 32 they are not.
// CHECK-LABEL: func.func @few_workgroups
// CHECK: mm01.kernel = "linear"}
// CHECK: mm01.rms_norm
// CHECK-LABEL: func.func @enough_workgroups
// CHECK: mm01.kernel = "linear+rms_norm"}
func.func @few_workgroups(%x: tensor<?x64xf32>, %w: !mm01.weight<33x64xbf16>, %g: !mm01.weight<33xbf16>, %t: index,
                          %out: tensor<?x33xf32>) -> tensor<?x33xf32> {
  %a = tensor.empty(%t) : tensor<?x33xf32>
  %y = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<33x64xbf16> into tensor<?x33xf32>
  %z = mm01.rms_norm %y, %g into %out {eps = 1.0e-5} : tensor<?x33xf32>, !mm01.weight<33xbf16> into tensor<?x33xf32>
  return %z : tensor<?x33xf32>
}
func.func @enough_workgroups(%x: tensor<?x64xf32>, %w: !mm01.weight<32x64xbf16>, %g: !mm01.weight<32xbf16>, %t: index,
                             %out: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %a = tensor.empty(%t) : tensor<?x32xf32>
  %y = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<32x64xbf16> into tensor<?x32xf32>
  %z = mm01.rms_norm %y, %g into %out {eps = 1.0e-5} : tensor<?x32xf32>, !mm01.weight<32xbf16> into tensor<?x32xf32>
  return %z : tensor<?x32xf32>
}

// -----

// The product goes where the caller looks for it: it has a place that cannot move to scratch.
// CHECK-LABEL: func.func @no_scratch
// CHECK: mm01.kernel = "linear"}
// CHECK: linalg.exp
func.func @no_scratch(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %a: tensor<?x96xf32>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  %z = linalg.exp ins(%y : tensor<?x96xf32>) outs(%out : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %z : tensor<?x96xf32>
}

// -----

// A workgroup would write its rows where another reads: the update is of another slice than it made.
// CHECK-LABEL: func.func @another_slice
// CHECK: mm01.kernel = "linear"}
// CHECK: linalg.generic
func.func @another_slice(%x: tensor<64x64xf32>, %w: !mm01.weight<64x64xf32>, %a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = mm01.linear %x, %w into %a : tensor<64x64xf32>, !mm01.weight<64x64xf32> into tensor<64x64xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
                       iterator_types = ["parallel", "parallel"]} ins(%y : tensor<64x64xf32>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%u: f32, %v: f32):
    %s = arith.addf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %z : tensor<64x64xf32>
}

// -----

// The diagonal is no slice.
// CHECK-LABEL: func.func @diagonal
// CHECK: mm01.kernel = "linear"}
// CHECK: linalg.generic
func.func @diagonal(%x: tensor<64x64xf32>, %w: !mm01.weight<64x64xf32>, %a: tensor<64x64xf32>, %out: tensor<64xf32>) -> tensor<64xf32> {
  %y = mm01.linear %x, %w into %a : tensor<64x64xf32>, !mm01.weight<64x64xf32> into tensor<64x64xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%y : tensor<64x64xf32>) outs(%out : tensor<64xf32>) {
  ^bb0(%u: f32, %v: f32):
    linalg.yield %u : f32
  } -> tensor<64xf32>
  return %z : tensor<64xf32>
}

// -----

// The kernel's other result is used first, and a kernel has one place.
// CHECK-LABEL: func.func @used_before
// CHECK: mm01.kernel = "mine"}
// CHECK: linalg.exp
// CHECK: linalg.exp
func.func @used_before(%v: f32, %a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y:2 = scf.forall (%i) in (8) shared_outs(%o = %a, %p = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    %s = tensor.from_elements %v : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %s into %p[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  } {mm01.kernel = "mine"}
  %c = tensor.cast %y#0 : tensor<8xf32> to tensor<?xf32>
  %d = tensor.cast %c : tensor<?xf32> to tensor<8xf32>
  %first = linalg.exp ins(%d : tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %second = linalg.exp ins(%y#1 : tensor<8xf32>) outs(%y#1 : tensor<8xf32>) -> tensor<8xf32>
  return %first, %second : tensor<8xf32>, tensor<8xf32>
}

// -----

// The module wants other fusions.
// CHECK-LABEL: func.func @off
// CHECK: linalg.exp
module attributes {mm01.fusion = []} {
  func.func @off(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
    %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
    %z = linalg.exp ins(%y : tensor<?x96xf32>) outs(%y : tensor<?x96xf32>) -> tensor<?x96xf32>
    return %z : tensor<?x96xf32>
  }
}
