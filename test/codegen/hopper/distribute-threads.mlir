// RUN: mm01-opt %s --pass-pipeline='builtin.module(func.func(mm01-distribute-threads),gpu.module(func.func(mm01-distribute-threads)))' -split-input-file -verify-diagnostics | FileCheck %s

// Points of parallel loops are shared out, the last index to neighbours; four of
// f32 are one thread's.
// CHECK-LABEL: func.func @elementwise
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[STEP:.*]] = arith.constant 256 : index
// CHECK: gpu.barrier
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[THREAD]], %[[FOUR]]
// CHECK: %[[STRIDE:.*]] = arith.muli %[[STEP]], %[[FOUR]]
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %{{.*}} step %[[STRIDE]]
// CHECK: %[[COLUMN:.*]] = arith.remui %[[I]]
// CHECK: %[[ROW:.*]] = arith.divui %[[I]]
// CHECK-NOT: scf.for
// CHECK: memref.load %[[X:.*]][%[[ROW]], %{{.*}}]
// CHECK-COUNT-3: memref.load %[[X]][
// CHECK: memref.store %{{.*}}, %[[Y:.*]][%[[ROW]], %{{.*}}]
// CHECK-COUNT-3: memref.store %{{.*}}, %[[Y]][
// CHECK: gpu.barrier
// CHECK-NOT: linalg
gpu.module @kernels {
  func.func @elementwise(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %sum = arith.addf %in, %in : f32
      linalg.yield %sum : f32
    }
    return
  }
}

// -----

// An odd extent is shared out one by one.
// CHECK-LABEL: func.func @odd
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %[[ONE]]
// CHECK: scf.for %[[I:.*]] = %[[FIRST]]
// CHECK-NOT: scf.for
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]]]
gpu.module @kernels {
  func.func @odd(%y: memref<7xf32>, %v: f32) {
    linalg.fill ins(%v : f32) outs(%y : memref<7xf32>)
    return
  }
}

// -----

// A thread does the whole reduction of its point.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for %[[I:.*]] = %{{.*}} to
// CHECK: %[[INIT:.*]] = memref.load %{{.*}}[%[[I]]]
// CHECK: %[[SUM:.*]] = scf.for %[[J:.*]] = %{{.*}} iter_args(%{{.*}} = %[[INIT]])
// CHECK: memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: memref.store %[[SUM]], %{{.*}}[%[[I]]]
gpu.module @kernels {
  func.func @rows(%x: memref<4x8xf32>, %y: memref<4xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<4x8xf32>) outs(%y : memref<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %sum = arith.addf %out, %in : f32
      linalg.yield %sum : f32
    }
    return
  }
}

// -----

// Without parallel loops all threads reduce together, and the first writes.
// CHECK-LABEL: func.func @total
// CHECK-SAME: exec.dynamic_shared_bytes = 320 : i64
// CHECK: exec.scratch at 256() : memref<8xf32>
// CHECK: %[[PART:.*]] = scf.for
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: memref.store
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load
// CHECK: scf.if
// CHECK: %[[OLD:.*]] = memref.load
// CHECK: arith.addf %[[OLD]], %{{.*}} fastmath<reassoc>
gpu.module @kernels {
  func.func @total(%x: memref<4x8xf32>, %y: memref<f32>) attributes {exec.dynamic_shared_bytes = 256 : i64} {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                    iterator_types = ["reduction", "reduction"]}
        ins(%x : memref<4x8xf32>) outs(%y : memref<f32>) {
    ^bb0(%in: f32, %out: f32):
      %sum = arith.addf %out, %in fastmath<reassoc> : f32
      linalg.yield %sum : f32
    }
    return
  }
}

// -----

// A loop that only reduces is done in parts, and its result is everybody's. The
// store of it is the first thread's.
// CHECK-LABEL: func.func @sum
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]]
// CHECK: scf.for
// CHECK: gpu.shuffle
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: memref.store
gpu.module @kernels {
  func.func @sum(%x: memref<?xf32>, %y: memref<1xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
      %v = memref.load %x[%i] : memref<?xf32>
      %next = arith.addf %s, %v fastmath<reassoc> : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%c0] : memref<1xf32>
    return
  }
}

// -----

// The order of this sum is fixed, so every thread does all of it.
// CHECK-LABEL: func.func @ordered
// CHECK: scf.for %{{.*}} = %c0{{.*}} to
// CHECK-NOT: gpu.shuffle
gpu.module @kernels {
  func.func @ordered(%x: memref<?xf32>, %y: memref<1xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
      %v = memref.load %x[%i] : memref<?xf32>
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%c0] : memref<1xf32>
    return
  }
}

// -----

// A loop of stores is the first thread's as a whole; one with linalg inside is
// everybody's, and a barrier stands around each part.
// CHECK-LABEL: func.func @loops
// CHECK: gpu.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: scf.for
// CHECK: memref.store
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %c0
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step
gpu.module @kernels {
  func.func @loops(%x: memref<?xf32>, %y: memref<4x8xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %x[%i] : memref<?xf32>
    }
    scf.for %i = %c0 to %n step %c1 {
      linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
    }
    return
  }
}
