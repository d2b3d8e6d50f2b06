// RUN: mm01-opt %s --mm01-form-projections --canonicalize --cse --split-input-file | FileCheck %s
// RUN: mm01-opt %s --mm01-form-projections --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=FOUR

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

// Up to 128 rows are dot products on the weight as it is stored, in groups of rows that stay in a cache. Four rows and two
// columns have their sums at a time; columns that go together are half a panel apart, an odd one is left. Fewer rows than
// four have no loop over blocks of them. More than 128 rows widen the panel for the BLAS.
// CHECK-LABEL: func.func @dot_products
// CHECK: arith.cmpi sle, %[[ROWS:.*]], %c128
// CHECK: scf.if
// CHECK: %[[GROUPS:.*]] = arith.ceildivui %[[ROWS]], %c4
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[GROUPS]]
// CHECK: %[[HERE:.*]] = arith.minsi %{{.*}}, %c4
// CHECK: arith.cmpi sge, %[[HERE]], %c4
// CHECK: scf.if
// CHECK: scf.for %[[N:.*]] = %c0{{.*}} to %c51
// CHECK: %[[OTHER:.*]] = arith.addi %[[N]], %c51
// CHECK: arith.divui %[[HERE]], %c4
// CHECK: scf.for
// CHECK: scf.for {{.*}} = %c0{{.*}} to %c1024{{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32) {
// CHECK-COUNT-4: tensor.extract %{{.*}} : tensor<?x1024xf32>
// CHECK: tensor.extract %[[W:.*]][%[[N]], %{{.*}}] : tensor<103x1024xbf16>
// CHECK: tensor.extract %[[W]][%[[OTHER]], %{{.*}}] : tensor<103x1024xbf16>
// CHECK: tensor.extract %[[W]][%c102, %{{.*}}] : tensor<103x1024xbf16>
// CHECK: } else {
// CHECK-NOT: arith.divui
// CHECK: } else {
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<103x1024xbf16>)
// CHECK: linalg.matmul
func.func @dot_products(%x: tensor<?x1024xf32>, %w: !mm01.weight<103x1024xbf16>, %a: tensor<?x103xf32>) -> tensor<?x103xf32> {
  %y = mm01.linear %x, %w into %a : tensor<?x1024xf32>, !mm01.weight<103x1024xbf16> into tensor<?x103xf32>
  return %y : tensor<?x103xf32>
}

// What has no kernel is left for mm01-form-kernels to name.
// CHECK-LABEL: func.func @half
// CHECK: mm01.linear
func.func @half(%x: tensor<?x64xf16>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf16>) -> tensor<?x96xf16> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf16>, !mm01.weight<96x64xbf16> into tensor<?x96xf16>
  return %y : tensor<?x96xf16>
}

// -----

// With AVX-512 there are registers for the sums of four columns; fewer rows than four take two.
// FOUR-LABEL: func.func @four_columns
// FOUR: arith.cmpi sge, %{{.*}}, %c4
// FOUR: scf.for %{{.*}} = %c0{{.*}} to %c24
// FOUR: scf.for {{.*}} = %c0{{.*}} to %c64{{.*}} iter_args({{(%[a-z0-9_]+ = %cst[a-z0-9_]*,? ?)+}}) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) {
// FOUR: } else {
// FOUR: scf.for %{{.*}} = %c0{{.*}} to %c48
// FOUR: scf.for {{.*}} -> (f32, f32) {
module attributes {mm01.isa = "x86-64-v4"} {
  func.func @four_columns(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xi8>, %a: tensor<?x96xf32>) -> tensor<?x96xf32> {
    %y = mm01.linear %x, %w into %a : tensor<?x64xf32>, !mm01.weight<96x64xi8> into tensor<?x96xf32>
    return %y : tensor<?x96xf32>
  }
}
