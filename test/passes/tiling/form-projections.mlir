// RUN: mm01-opt %s --mm01-form-projections | FileCheck %s

// A product becomes a kernel; what reads it stays whole, so that it can join it.
// CHECK-LABEL: func.func @projection
// CHECK: %[[Y:.*]] = scf.forall
// CHECK: mm01.kernel = "linear"
// CHECK: mm01.rms_norm %[[Y]]
func.func @projection(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %g: !mm01.weight<96xbf16>, %a: tensor<?x96xf32>,
                      %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  %z = mm01.rms_norm %y, %g into %out {eps = 1.0e-5} : tensor<?x96xf32>, !mm01.weight<96xbf16> into tensor<?x96xf32>
  return %z : tensor<?x96xf32>
}

// An expert's rows are cut into tiles, so that what a workgroup writes has a bound.
// CHECK-LABEL: func.func @experts
// CHECK-DAG: %[[TILE:.*]] = arith.constant 512 : index
// CHECK: scf.forall (%[[E:.*]], %[[I:.*]], %{{.*}}) in (4, %{{.*}}, 1)
// CHECK: %[[COUNT:.*]] = arith.minsi
// CHECK: mm01.kernel = "grouped_linear"
func.func @experts(%rows: tensor<?x64xf32>, %offsets: tensor<5xi32>, %w: !mm01.weight<4x96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.grouped_linear %rows, %offsets, %w into %out
    : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// What has no kernel is left for mm01-form-kernels to name.
// CHECK-LABEL: func.func @half
// CHECK: mm01.linear
func.func @half(%x: tensor<?x64xf16>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf16>) -> tensor<?x96xf16> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf16>, !mm01.weight<96x64xbf16> into tensor<?x96xf16>
  return %y : tensor<?x96xf16>
}
