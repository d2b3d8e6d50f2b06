// RUN: mm01-opt %s -mm01-plan-scratch=stack-bytes=0 | FileCheck %s

// Threads of a GPU have no stack in common: all buffers are scratch.
// CHECK-LABEL: func.func private @places
// CHECK-SAME: exec.scratch_bytes = 1088 : i64
// CHECK: exec.scratch at 0() : memref<4xf32>
// CHECK: exec.scratch at 64() : memref<256xf32>
// CHECK-NOT: memref.alloca
func.func private @places(%workgroup: index) attributes {exec.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %small = memref.alloc() : memref<4xf32>
  %row = memref.alloc() : memref<256xf32>
  memref.store %zero, %small[%c0] : memref<4xf32>
  memref.store %zero, %row[%c0] : memref<256xf32>
  return
}
