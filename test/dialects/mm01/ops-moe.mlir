// RUN: mm01-opt %s | mm01-opt | FileCheck %s
// RUN: mm01-opt %s --mlir-print-op-generic | mm01-opt | FileCheck %s

// CHECK-LABEL: func @route
// CHECK-SAME: %[[LOGITS:[^:]+]]: tensor<?x4xf32>, %[[W:[^:]+]]: tensor<?x2xf32>, %[[E:[^:]+]]: tensor
// CHECK: mm01.route %[[LOGITS]] into %[[W]], %[[E]] : tensor<?x4xf32> into tensor<?x2xf32>, tensor<?x2xi32>
func.func @route(%logits: tensor<?x4xf32>, %w: tensor<?x2xf32>, %e: tensor<?x2xi32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %weights, %experts = mm01.route %logits into %w, %e : tensor<?x4xf32> into tensor<?x2xf32>, tensor<?x2xi32>
  return %weights, %experts : tensor<?x2xf32>, tensor<?x2xi32>
}

// Every expert is chosen, and there is only one.
// CHECK-LABEL: func @route_one
// CHECK: mm01.route {{.*}} : tensor<5x1xf32> into tensor<5x1xf32>, tensor<5x1xi32>
func.func @route_one(%logits: tensor<5x1xf32>, %w: tensor<5x1xf32>, %e: tensor<5x1xi32>) -> tensor<5x1xi32> {
  %weights, %experts = mm01.route %logits into %w, %e : tensor<5x1xf32> into tensor<5x1xf32>, tensor<5x1xi32>
  return %experts : tensor<5x1xi32>
}

// CHECK-LABEL: func @dispatch
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xf32>, %[[E:[^:]+]]: tensor<?x2xi32>, %[[ROWS:[^:]+]]: tensor<?x64xf32>, %[[OFFSETS:[^:]+]]: tensor<5xi32>, %[[P:[^:]+]]: tensor
// CHECK: mm01.dispatch %[[X]], %[[E]] into %[[ROWS]], %[[OFFSETS]], %[[P]]
// CHECK-SAME: : tensor<?x64xf32>, tensor<?x2xi32> into tensor<?x64xf32>, tensor<5xi32>, tensor<?x2xi32>
func.func @dispatch(%x: tensor<?x64xf32>, %e: tensor<?x2xi32>, %rows: tensor<?x64xf32>, %offsets: tensor<5xi32>,
                    %positions: tensor<?x2xi32>) -> (tensor<?x64xf32>, tensor<5xi32>, tensor<?x2xi32>) {
  %r, %o, %p = mm01.dispatch %x, %e into %rows, %offsets, %positions
    : tensor<?x64xf32>, tensor<?x2xi32> into tensor<?x64xf32>, tensor<5xi32>, tensor<?x2xi32>
  return %r, %o, %p : tensor<?x64xf32>, tensor<5xi32>, tensor<?x2xi32>
}

// CHECK-LABEL: func @grouped_linear
// CHECK-SAME: %[[ROWS:[^:]+]]: tensor<?x64xf32>, %[[OFFSETS:[^:]+]]: tensor<5xi32>, %[[W:[^:]+]]: !mm01.weight<4x96x64xbf16>, %[[OUT:[^:]+]]: tensor
// CHECK: mm01.grouped_linear %[[ROWS]], %[[OFFSETS]], %[[W]] into %[[OUT]]
// CHECK-SAME: : tensor<?x64xf32>, tensor<5xi32>, <4x96x64xbf16> into tensor<?x96xf32>
func.func @grouped_linear(%rows: tensor<?x64xf32>, %offsets: tensor<5xi32>, %w: !mm01.weight<4x96x64xbf16>,
                          %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.grouped_linear %rows, %offsets, %w into %out
    : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// CHECK-LABEL: func @combine
// CHECK-SAME: %[[ROWS:[^:]+]]: tensor<?x64xf32>, %[[P:[^:]+]]: tensor<?x2xi32>, %[[W:[^:]+]]: tensor<?x2xf32>, %[[OUT:[^:]+]]: tensor
// CHECK: mm01.combine %[[ROWS]], %[[P]], %[[W]] into %[[OUT]]
// CHECK-SAME: : tensor<?x64xf32>, tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x64xf32>
func.func @combine(%rows: tensor<?x64xf32>, %p: tensor<?x2xi32>, %w: tensor<?x2xf32>, %out: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %y = mm01.combine %rows, %p, %w into %out
    : tensor<?x64xf32>, tensor<?x2xi32>, tensor<?x2xf32> into tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
