// RUN: mm01-opt %s --pass-pipeline='builtin.module(func.func(mm01-distribute-threads),gpu.module(func.func(mm01-distribute-threads)))' -split-input-file -verify-diagnostics | FileCheck %s

// A parallel loop inside a workgroup is shared out.
// CHECK-LABEL: func.func @inner
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: gpu.barrier
// CHECK: scf.for %[[I:.*]] = %[[THREAD]] to
// CHECK: arith.remui %[[I]]
// CHECK: arith.divui %[[I]]
// CHECK: memref.store
gpu.module @kernels {
  func.func @inner(%y: memref<4x8xf32>) {
    %zero = arith.constant 0.0 : f32
    scf.forall (%i, %j) in (4, 8) {
      memref.store %zero, %y[%i, %j] : memref<4x8xf32>
    }
    return
  }
}

// -----

// Functions elsewhere are none of its business.
// CHECK-LABEL: func.func @host
// CHECK-NOT: gpu.thread_id
func.func @host(%y: memref<4x8xf32>, %v: f32) {
  linalg.fill ins(%v : f32) outs(%y : memref<4x8xf32>)
  return
}

// -----

gpu.module @kernels {
  func.func @atomic(%y: memref<4xf32>, %v: f32, %i: index) {
    // expected-error @+1 {{writes memory in a kernel, expected a store, a loop or a linalg operation}}
    %old = memref.atomic_rmw addf %v, %y[%i] : (f32, memref<4xf32>) -> f32
    return
  }
}
