// RUN: mm01-opt %s -split-input-file -mm01-relate-extents | FileCheck %s

// An elementwise op on tensors; the result says nothing about arguments.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %{{[^:]*}}: tensor<?x4xf32> {mm01.extents = ["e0", unit]}, %{{[^:]*}}: tensor<?x4xf32> {mm01.extents = ["e0", unit]})
// CHECK-SAME: -> tensor<?x4xf32> {
func.func @elementwise(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %z = arith.addf %x, %y : tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// The loops of linalg: rows, columns and the dimension that is summed. The
// destination's extents are those of the product.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: tensor<?x?xf32> {mm01.extents = ["e0", "e1"]}
// CHECK-SAME: tensor<?x?xf32> {mm01.extents = ["e1", "e2"]}
// CHECK-SAME: tensor<?x?xf32> {mm01.extents = ["e0", "e2"]}
func.func @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// Extents that casts fix, from a type and to one.
// CHECK-LABEL: func.func @numbers(
// CHECK-SAME: tensor<?xf32> {mm01.extents = [5]}, %{{[^:]*}}: tensor<5xf32>, %{{[^:]*}}: tensor<?xf32> {mm01.extents = [3]})
func.func @numbers(%x: tensor<?xf32>, %y: tensor<5xf32>, %z: tensor<?xf32>) -> (tensor<?xf32>, tensor<3xf32>) {
  %cast = tensor.cast %y : tensor<5xf32> to tensor<?xf32>
  %sum = arith.addf %x, %cast : tensor<?xf32>
  %three = tensor.cast %z : tensor<?xf32> to tensor<3xf32>
  return %sum, %three : tensor<?xf32>, tensor<3xf32>
}

// A destination that is made for one argument and filled from another; an index
// that is an extent.
// CHECK-LABEL: func.func @through_values(
// CHECK-SAME: tensor<?xf32> {mm01.extents = ["e0"]}, %{{[^:]*}}: tensor<?xf32> {mm01.extents = ["e0"]}, %{{[^:]*}}: index {mm01.extents = ["e1"]}, %{{[^:]*}}: tensor<?xf32> {mm01.extents = ["e1"]})
func.func @through_values(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index, %z: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%t) : tensor<?xf32>
  %copy = linalg.copy ins(%y : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %other = tensor.empty(%n) : tensor<?xf32>
  %second = linalg.copy ins(%z : tensor<?xf32>) outs(%other : tensor<?xf32>) -> tensor<?xf32>
  return %copy, %second : tensor<?xf32>, tensor<?xf32>
}

// A reshape keeps the dimensions that it neither splits nor joins.
// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME: tensor<?x8xf32> {mm01.extents = ["e0", unit]}, %{{[^:]*}}: tensor<?x2x4xf32> {mm01.extents = ["e0", unit, unit]})
func.func @reshaped(%x: tensor<?x8xf32>, %y: tensor<?x2x4xf32>) -> tensor<?x8xf32> {
  %flat = tensor.collapse_shape %y [[0], [1, 2]] : tensor<?x2x4xf32> into tensor<?x8xf32>
  %sum = arith.addf %x, %flat : tensor<?x8xf32>
  return %sum : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @expanded(
// CHECK-SAME: tensor<?x8xf32> {mm01.extents = ["e0", unit]}, %{{[^:]*}}: tensor<?x2x4xf32> {mm01.extents = ["e0", unit, unit]}, %{{[^:]*}}: index {mm01.extents = ["e0"]})
func.func @expanded(%x: tensor<?x8xf32>, %y: tensor<?x2x4xf32>, %n: index) -> tensor<?x2x4xf32> {
  %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 4] : tensor<?x8xf32> into tensor<?x2x4xf32>
  %sum = arith.addf %heads, %y : tensor<?x2x4xf32>
  %like = tensor.empty(%n) : tensor<?x2x4xf32>
  %copy = linalg.copy ins(%sum : tensor<?x2x4xf32>) outs(%like : tensor<?x2x4xf32>) -> tensor<?x2x4xf32>
  return %copy : tensor<?x2x4xf32>
}

// Two calls of one function relate their own arguments, not each other's, and
// what it returns has the extents of what it was given.
// CHECK-LABEL: func.func @calls(
// CHECK-SAME: tensor<?xf32> {mm01.extents = ["e0"]}
// CHECK-SAME: tensor<?xf32> {mm01.extents = ["e0"]}
// CHECK-SAME: tensor<?xf32> {mm01.extents = ["e1"]}
// CHECK-SAME: tensor<?xf32> {mm01.extents = ["e1"]}
// CHECK-SAME: tensor<?xf32> {mm01.extents = ["e0"]}
func.func @calls(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<?xf32>, %e: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = call @add(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = call @add(%c, %d) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = call @add(%0, %e) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2, %1 : tensor<?xf32>, tensor<?xf32>
}

// A private function gets no attribute: the runtime does not call it.
// CHECK-LABEL: func.func private @add(
// CHECK-NOT: mm01.extents
func.func private @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %z = arith.addf %x, %y : tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

// What a branch or a loop needs is not needed in every call.
// CHECK-LABEL: func.func @branch(
// CHECK-NOT: mm01.extents
func.func @branch(%x: tensor<?xf32>, %y: tensor<?xf32>, %condition: i1) -> tensor<?xf32> {
  %z = scf.if %condition -> tensor<?xf32> {
    %sum = arith.addf %x, %y : tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %z : tensor<?xf32>
}

// A slice may be of any extent up to that of its source, and a concatenation of
// any: nothing is known.
// CHECK-LABEL: func.func @slice(
// CHECK-NOT: mm01.extents
func.func @slice(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %z = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %both = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %z, %both : tensor<?xf32>, tensor<?xf32>
}

// A convolution walks along sums of loops, which are no extents.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME: tensor<?xf32>, %{{[^:]*}}: tensor<?xf32>, %{{[^:]*}}: tensor<?xf32>)
func.func @sums(%x: tensor<?xf32>, %w: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Two numbers are never equal: the function fails whatever it is given, and the
// numbers are not mixed up with those of others.
// CHECK-LABEL: func.func @never(
// CHECK-SAME: tensor<?xf32> {mm01.extents = [4]}, %{{[^:]*}}: tensor<?xf32> {mm01.extents = [5]})
func.func @never(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %four = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %five = tensor.cast %y : tensor<?xf32> to tensor<5xf32>
  %sum = arith.addf %x, %y : tensor<?xf32>
  return %sum : tensor<?xf32>
}

// A function that calls itself.
// CHECK-LABEL: func.func @recursive(
// CHECK-SAME: tensor<?xf32> {mm01.extents = ["e0"]}, %{{[^:]*}}: tensor<?xf32> {mm01.extents = ["e0"]})
func.func @recursive(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %z = arith.addf %x, %y : tensor<?xf32>
  %w = call @recursive(%y, %z) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// What an earlier run said is replaced.
// CHECK-LABEL: func.func @again(
// CHECK-NOT: mm01.extents
func.func @again(%x: tensor<?xf32> {mm01.extents = ["e7"]}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
