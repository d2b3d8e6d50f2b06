// RUN: mm01-opt %s --mm01-form-kernels --canonicalize --cse | FileCheck %s
// RUN: mm01-opt %s --mm01-phase-tiled --mm01-phase-scheduled | FileCheck %s --check-prefix=SCHEDULED

// A row of three parts, the last one shorter. Greedy choices take the first two kernels and the last.
// CHECK-LABEL: func.func @parts
// CHECK: %[[MAXIMA:.*]] = scf.forall (%{{.*}}, %[[P:.*]]) in (%[[N:.*]], 3)
// CHECK: arith.cmpi slt, %[[P]], %c2
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c4096 step %c1 iter_args
// CHECK: arith.maxsi
// CHECK: else
// CHECK: scf.for %{{.*}} = %c0 to %c1808 step %c1 iter_args
// CHECK: mm01.kernel = "sample_maximum"
// CHECK: scf.forall (%{{.*}}) in (%[[N]])
// CHECK: mm01.kernel = "sample_start"

// Eleven rounds or none.
// CHECK: %[[ROUNDS:.*]] = arith.select %{{.*}}, %c11, %c0
// CHECK: scf.for %{{.*}} = %c0 to %[[ROUNDS]]
// CHECK: mm01.kernel = "sample_count"
// CHECK: mm01.kernel = "sample_narrow"
// CHECK: %[[SHARES:.*]] = arith.select %{{.*}}, %c1, %c0
// CHECK: scf.for %{{.*}} = %c0 to %[[SHARES]]
// CHECK: mm01.kernel = "sample_sums"
// CHECK: mm01.kernel = "sample_share"
// CHECK: scf.for
// CHECK: mm01.kernel = "sample_weigh"
// CHECK: mm01.kernel = "sample_narrow_share"
// CHECK: scf.for
// CHECK: mm01.kernel = "sample_sums"
// CHECK: arith.mului_extended
// CHECK: mm01.kernel = "sample_pick"

// Buffers are written in place, and the two kernels of sums are one.
// SCHEDULED-LABEL: func.func @parts
// SCHEDULED-NOT: memref.copy
// SCHEDULED: exec.launch @parts.sample_maximum
// SCHEDULED: exec.launch @parts.sample_start
// SCHEDULED: scf.for %{{.*}} {
// SCHEDULED-NEXT: exec.launch @parts.sample_count
// SCHEDULED-NEXT: exec.launch @parts.sample_narrow
// SCHEDULED: scf.for %{{.*}} {
// SCHEDULED-NEXT: exec.launch @parts.sample_sums
// SCHEDULED-NEXT: exec.launch @parts.sample_share
// SCHEDULED: scf.for %{{.*}} {
// SCHEDULED-NEXT: exec.launch @parts.sample_weigh
// SCHEDULED-NEXT: exec.launch @parts.sample_narrow_share
// SCHEDULED: scf.for %{{.*}} {
// SCHEDULED-NEXT: exec.launch @parts.sample_sums
// SCHEDULED: exec.launch @parts.sample_pick
// SCHEDULED-NOT: exec.launch
// SCHEDULED: return
func.func @parts(%logits: tensor<?x10000xf32>, %draws: tensor<?xi64>, %temperature: f32, %k: i64, %p: f32,
                 %tokens: tensor<?xi32>, %problems: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %t, %s = mm01.sample %logits, %draws temperature %temperature top_k %k top_p %p into %tokens, %problems
    : tensor<?x10000xf32>, tensor<?xi64> into tensor<?xi32>, tensor<?xi32>
  return %t, %s : tensor<?xi32>, tensor<?xi32>
}

// Of whole parts alone, and of less than one: no choice between lengths.
// CHECK-LABEL: func.func @whole
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (3, 2)
// CHECK-NOT: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c4096 step
// CHECK: mm01.kernel = "sample_maximum"
func.func @whole(%logits: tensor<3x8192xf32>, %draws: tensor<3xi64>, %temperature: f32, %k: i64, %p: f32,
                 %tokens: tensor<3xi32>, %problems: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %t, %s = mm01.sample %logits, %draws temperature %temperature top_k %k top_p %p into %tokens, %problems
    : tensor<3x8192xf32>, tensor<3xi64> into tensor<3xi32>, tensor<3xi32>
  return %t, %s : tensor<3xi32>, tensor<3xi32>
}

// CHECK-LABEL: func.func @one
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 1)
// CHECK-NOT: scf.if
// CHECK: mm01.kernel = "sample_maximum"
func.func @one(%logits: tensor<?x1xf32>, %draws: tensor<?xi64>, %temperature: f32, %k: i64, %p: f32,
               %tokens: tensor<?xi32>, %problems: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %t, %s = mm01.sample %logits, %draws temperature %temperature top_k %k top_p %p into %tokens, %problems
    : tensor<?x1xf32>, tensor<?xi64> into tensor<?xi32>, tensor<?xi32>
  return %t, %s : tensor<?xi32>, tensor<?xi32>
}
