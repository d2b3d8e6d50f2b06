// RUN: mm01-opt %s -split-input-file -mm01-mark-tied-arguments -verify-diagnostics | FileCheck %s

// The destination of what is returned may be written, an operand may not.
// CHECK-LABEL: func.func @destination
// CHECK-SAME: %{{.*}}: tensor<4xf32> {bufferization.writable = false}, %{{.*}}: tensor<4xf32>)
func.func @destination(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.copy ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Through a call, a loop over workgroups and a slice; private functions are left alone.
// CHECK-LABEL: func.func private @callee
// CHECK-NOT: writable
// CHECK: scf.forall
func.func private @callee(%x: tensor<4xf32>, %state: tensor<8xf32>) -> tensor<8xf32> {
  %y = scf.forall (%i) in (2) shared_outs(%o = %state) -> tensor<8xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %y : tensor<8xf32>
}
// CHECK-LABEL: func.func @through_call
// CHECK-SAME: %{{.*}}: tensor<8xf32>, %{{.*}}: tensor<4xf32> {bufferization.writable = false})
func.func @through_call(%state: tensor<8xf32>, %x: tensor<4xf32>) -> tensor<8xf32> {
  %y = call @callee(%x, %state) : (tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32>
  %z = tensor.insert_slice %x into %y[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %z : tensor<8xf32>
}

// A view of another type is not the argument's new content.
// CHECK-LABEL: func.func @other_type
// CHECK-SAME: {bufferization.writable = false}
func.func @other_type(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %y = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// A new tensor is nobody's; a ragged batch has nothing to mark.
// CHECK-LABEL: func.func @fresh
// CHECK-SAME: (%{{.*}}: !mm01.ragged, %{{.*}}: tensor<4xf32> {bufferization.writable = false})
func.func @fresh(%r: !mm01.ragged, %x: tensor<4xf32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %y = linalg.copy ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{programs have no recursion}}
  %y = call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
func.func @external(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{calls elsewhere, expected a function with a body}}
  %y = call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
