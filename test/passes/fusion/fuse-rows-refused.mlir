// RUN: mm01-opt %s --mm01-fuse-rows --split-input-file | FileCheck %s

// Combine reads any of its rows: the norm before it must be whole first.
// CHECK-LABEL: func.func @any_row
// CHECK-NOT: scf.forall
func.func @any_row(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %p: tensor<?x2xi32>, %s: tensor<?x2xf32>,
                   %a: tensor<?x64xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = mm01.rms_norm %x, %w into %a {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  %z = mm01.combine %y, %p, %s into %out : tensor<?x64xf32>, tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}

// -----

// A product between two norms needs the first before the chain ends.
// CHECK-LABEL: func.func @used_before_the_end
// CHECK-NOT: scf.forall
func.func @used_before_the_end(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %m: !mm01.weight<64x64xbf16>, %a: tensor<?x64xf32>,
                               %b: tensor<?x64xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = mm01.rms_norm %x, %w into %a {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  %l = mm01.linear %y, %m into %b : tensor<?x64xf32>, !mm01.weight<64x64xbf16> into tensor<?x64xf32>
  %z = linalg.add ins(%y, %l : tensor<?x64xf32>, tensor<?x64xf32>) outs(%out : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}

// -----

// The second op writes over the first one's result, which the caller wants.
// CHECK-LABEL: func.func @overwritten
// CHECK-NOT: scf.forall
func.func @overwritten(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %a: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %y = mm01.rms_norm %x, %w into %a {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  %z = linalg.add ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y, %z : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// A transposed read needs a row of columns.
// CHECK-LABEL: func.func @transposed
// CHECK-NOT: scf.forall
func.func @transposed(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %out: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = linalg.exp ins(%x : tensor<64x64xf32>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = linalg.transpose ins(%y : tensor<64x64xf32>) outs(%out : tensor<64x64xf32>) permutation = [1, 0]
  return %z : tensor<64x64xf32>
}

// -----

// Rows of no static size: a workgroup's temporary would have no bound.
// CHECK-LABEL: func.func @dynamic_rows
// CHECK-NOT: scf.forall
func.func @dynamic_rows(%x: tensor<?x?xf32>, %a: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = linalg.exp ins(%x : tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = linalg.exp ins(%y : tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// -----

// 65,537 elements of a row in all are one too many.
// CHECK-LABEL: func.func @long_rows
// CHECK-NOT: scf.forall
func.func @long_rows(%x: tensor<?x32769xf32>, %y: tensor<?x32768xf32>, %a: tensor<?x32769xf32>, %out: tensor<?x32768xf32>) -> tensor<?x32768xf32> {
  %s = linalg.exp ins(%x : tensor<?x32769xf32>) outs(%a : tensor<?x32769xf32>) -> tensor<?x32769xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<?x32769xf32>) outs(%out : tensor<?x32768xf32>) {
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    linalg.yield %w : f32
  } -> tensor<?x32768xf32>
  return %z : tensor<?x32768xf32>
}

// -----

// 65,536 are not.
// CHECK-LABEL: func.func @long_rows_that_fit
// CHECK: mm01.kernel = "exp+exp"
func.func @long_rows_that_fit(%x: tensor<?x32768xf32>, %a: tensor<?x32768xf32>, %out: tensor<?x32768xf32>) -> tensor<?x32768xf32> {
  %y = linalg.exp ins(%x : tensor<?x32768xf32>) outs(%a : tensor<?x32768xf32>) -> tensor<?x32768xf32>
  %z = linalg.exp ins(%y : tensor<?x32768xf32>) outs(%out : tensor<?x32768xf32>) -> tensor<?x32768xf32>
  return %z : tensor<?x32768xf32>
}

// -----

// The module wants other fusions.
// CHECK-LABEL: func.func @off
// CHECK-NOT: scf.forall
module attributes {mm01.fusion = ["twins", "consumers", "launches"]} {
  func.func @off(%x: tensor<?x64xf32>, %a: tensor<?x64xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
    %y = linalg.exp ins(%x : tensor<?x64xf32>) outs(%a : tensor<?x64xf32>) -> tensor<?x64xf32>
    %z = linalg.exp ins(%y : tensor<?x64xf32>) outs(%out : tensor<?x64xf32>) -> tensor<?x64xf32>
    return %z : tensor<?x64xf32>
  }
}
