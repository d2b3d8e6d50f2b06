// RUN: mm01-opt %s -split-input-file -mm01-plan-arena -canonicalize -verify-diagnostics | FileCheck %s

// Three buffers of one size: the third begins when the first, seen through a view, is dead.
// CHECK-LABEL: func.func @reuse
// CHECK-SAME: exec.frame = #exec.frame<()[s0] -> (s0 * 512), arguments = [0], extents = [0]>
// CHECK-DAG: %[[BEHIND:.*]] = affine.apply
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0
// CHECK: exec.arena at %[[ZERO]]
// CHECK: exec.arena at %[[BEHIND]]
// CHECK: exec.arena at %[[ZERO]]
func.func @reuse(%x: memref<?x64xf32>) attributes {exec.results = []} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  %a = memref.alloc(%n) : memref<?x64xf32>
  %view = memref.subview %a[0, 0] [%n, 32] [1, 1] : memref<?x64xf32> to memref<?x32xf32, strided<[64, 1]>>
  memref.copy %x, %a : memref<?x64xf32> to memref<?x64xf32>
  %b = memref.alloc(%n) : memref<?x64xf32>
  memref.copy %x, %b : memref<?x64xf32> to memref<?x64xf32>
  %left = memref.subview %b[0, 0] [%n, 32] [1, 1] : memref<?x64xf32> to memref<?x32xf32, strided<[64, 1]>>
  memref.copy %view, %left : memref<?x32xf32, strided<[64, 1]>> to memref<?x32xf32, strided<[64, 1]>>
  %c = memref.alloc(%n) : memref<?x64xf32>
  memref.copy %b, %c : memref<?x64xf32> to memref<?x64xf32>
  memref.copy %c, %x : memref<?x64xf32> to memref<?x64xf32>
  return
}

// -----

// A smaller buffer takes the place of a larger one that is dead; one that is larger for some extents does not.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME: exec.frame = #exec.frame<()[s0, s1] -> (s0 * 512 + s1 * 256)
func.func @sizes(%x: memref<?x64xf32>, %y: memref<?x64xf32>) attributes {exec.results = []} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  %m = memref.dim %y, %c0 : memref<?x64xf32>
  %small = memref.alloc(%n) : memref<?x64xf32>
  memref.store %zero, %small[%c0, %c0] : memref<?x64xf32>
  %large = memref.alloc(%n) : memref<?x128xf32>
  memref.store %zero, %large[%c0, %c0] : memref<?x128xf32>
  %other = memref.alloc(%m) : memref<?x64xf32>
  memref.store %zero, %other[%c0, %c0] : memref<?x64xf32>
  return
}

// -----

// Sizes are rounded up to 64 bytes; ragged extents and scalars are symbols too.
// CHECK-LABEL: func.func @symbols
// CHECK-SAME: exec.frame = #exec.frame<()[s0, s1] -> (((s0 * s1) ceildiv 64) * 64 + (s1 ceildiv 16) * 64
func.func @symbols(%r: !mm01.ragged, %k: index, %x: memref<?xi8>) attributes {exec.results = []} {
  %t = mm01.ragged_size %r tokens
  %size = arith.muli %t, %k : index
  %a = memref.alloc(%size) : memref<?xi8>
  %b = memref.alloc(%k) : memref<?xf32>
  %c0 = arith.constant 0 : index
  %f = memref.load %b[%c0] : memref<?xf32>
  %i = memref.load %a[%c0] : memref<?xi8>
  memref.store %f, %b[%c0] : memref<?xf32>
  memref.store %i, %a[%c0] : memref<?xi8>
  return
}

// -----

// A callee's frame lies behind its caller's, and its symbols become the caller's.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: (%{{.*}}: memref<?x64xf32>, %[[FRAME:.*]]: index)
// CHECK-SAME: exec.frame = #exec.frame<()[s0] -> (s0 * 256), arguments = [0], extents = [0]>
// CHECK: exec.arena at %[[FRAME]]
func.func private @layer(%x: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  %a = memref.alloc(%n) : memref<?x64xf32>
  memref.copy %x, %a : memref<?x64xf32> to memref<?x64xf32>
  return
}
// CHECK-LABEL: func.func @caller
// CHECK-SAME: exec.frame = #exec.frame<()[s0] -> (s0 * 512), arguments = [0], extents = [0]>
// CHECK: %[[BEHIND:.*]] = affine.apply
// CHECK: call @layer(%{{.*}}, %[[BEHIND]])
func.func @caller(%r: !mm01.ragged) attributes {exec.results = []} {
  %t = mm01.ragged_size %r tokens
  %x = memref.alloc(%t) : memref<?x64xf32>
  call @layer(%x) : (memref<?x64xf32>) -> ()
  return
}

// -----

func.func @data_dependent(%x: memref<4xindex>) attributes {exec.results = []} {
  %c0 = arith.constant 0 : index
  %n = memref.load %x[%c0] : memref<4xindex>
  // expected-error @+1 {{extent 0 of this buffer does not follow from the extents of the arguments of data_dependent}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @nested(%n: index) attributes {exec.results = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{host buffer is allocated in a nested region}}
    %a = memref.alloc() : memref<4xf32>
  }
  return
}
