// RUN: mm01-opt %s --mm01-form-kernels --canonicalize --cse | FileCheck %s

// The choice is by the logits, the shares are exponentials over their sum.
// CHECK-LABEL: func.func @route
// CHECK: arith.cmpf ogt
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: mm01.kernel = "route"
func.func @route(%logits: tensor<?x4xf32>, %w: tensor<?x2xf32>, %e: tensor<?x2xi32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %weights, %experts = mm01.route %logits into %w, %e : tensor<?x4xf32> into tensor<?x2xf32>, tensor<?x2xi32>
  return %weights, %experts : tensor<?x2xf32>, tensor<?x2xi32>
}

// One workgroup counts and orders, then all copy rows.
// CHECK-LABEL: func.func @dispatch
// CHECK: scf.forall (%{{.*}}) in (1)
// CHECK: mm01.kernel = "dispatch_order"
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 2)
// CHECK: mm01.kernel = "dispatch_rows"
func.func @dispatch(%x: tensor<?x64xf32>, %e: tensor<?x2xi32>, %rows: tensor<?x64xf32>, %offsets: tensor<5xi32>,
                    %positions: tensor<?x2xi32>) -> (tensor<?x64xf32>, tensor<5xi32>, tensor<?x2xi32>) {
  %r, %o, %p = mm01.dispatch %x, %e into %rows, %offsets, %positions
    : tensor<?x64xf32>, tensor<?x2xi32> into tensor<?x64xf32>, tensor<5xi32>, tensor<?x2xi32>
  return %r, %o, %p : tensor<?x64xf32>, tensor<5xi32>, tensor<?x2xi32>
}

// A workgroup takes the part of its expert.
// CHECK-LABEL: func.func @experts
// CHECK: scf.forall (%[[E:.*]], %{{.*}}, %{{.*}}) in (4, %{{.*}}, 1)
// CHECK: mm01.weight_part %{{.*}}[%[[E]]]
// CHECK: mm01.kernel = "grouped_linear"
func.func @experts(%rows: tensor<?x64xf32>, %offsets: tensor<5xi32>, %w: !mm01.weight<4x96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.grouped_linear %rows, %offsets, %w into %out
    : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// CHECK-LABEL: func.func @combine
// CHECK: scf.for
// CHECK: tensor.extract %{{.*}} : tensor<?x2xi32>
// CHECK: mm01.kernel = "combine"
func.func @combine(%rows: tensor<?x64xf32>, %p: tensor<?x2xi32>, %w: tensor<?x2xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = mm01.combine %rows, %p, %w into %out
    : tensor<?x64xf32>, tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
