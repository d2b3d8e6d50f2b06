// RUN: mm01-opt %s -split-input-file -mm01-approximate-math | FileCheck %s

// A level without fused multiply-add gets none.
// CHECK-LABEL: func.func private @without
// CHECK-NOT: math.fma
// CHECK: return
module attributes {mm01.isa = "x86-64-v2"} {
  func.func private @without(%workgroup: index, %x: f32, %out: memref<1xf32>) attributes {exec.kernel} {
    %c0 = arith.constant 0 : index
    %e = math.exp %x : f32
    memref.store %e, %out[%c0] : memref<1xf32>
    return
  }
}

// -----

// CHECK-LABEL: func.func private @with
// CHECK: math.fma
module attributes {mm01.isa = "x86-64-v3"} {
  func.func private @with(%workgroup: index, %x: f32, %out: memref<1xf32>) attributes {exec.kernel} {
    %c0 = arith.constant 0 : index
    %e = math.exp %x : f32
    memref.store %e, %out[%c0] : memref<1xf32>
    return
  }
}
