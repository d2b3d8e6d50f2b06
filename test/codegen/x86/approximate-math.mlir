// RUN: mm01-opt %s -mm01-approximate-math | FileCheck %s

// CHECK-LABEL: func.func private @float
// CHECK-NOT: math.exp %
// CHECK-NOT: math.log %
// CHECK: math.sin
func.func private @float(%workgroup: index, %x: f32, %out: memref<3xf32>) attributes {exec.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = math.exp %x : f32
  %l = math.log %x : f32
  %s = math.sin %x : f32
  memref.store %e, %out[%c0] : memref<3xf32>
  memref.store %l, %out[%c1] : memref<3xf32>
  memref.store %s, %out[%c2] : memref<3xf32>
  return
}

// float64 has no polynomials.
// CHECK-LABEL: func.func private @double
// CHECK: math.exp
func.func private @double(%workgroup: index, %x: f64, %out: memref<1xf64>) attributes {exec.kernel} {
  %c0 = arith.constant 0 : index
  %e = math.exp %x : f64
  memref.store %e, %out[%c0] : memref<1xf64>
  return
}

// CHECK-LABEL: func.func @host
// CHECK: math.exp
func.func @host(%x: f32) -> f32 {
  %e = math.exp %x : f32
  return %e : f32
}
