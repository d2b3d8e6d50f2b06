// RUN: mm01-opt %s -mm01-offload-copies | FileCheck %s

// Rows of the first dimension are shared out among workgroups.
// CHECK-LABEL: func.func @rows
// CHECK-DAG: %[[TILE:.*]] = arith.constant 64 : index
// CHECK: %[[N:.*]] = memref.dim
// CHECK: %[[GRID:.*]] = arith.ceildivui %[[N]], %[[TILE]]
// CHECK: scf.forall (%[[I:.*]]) in (%[[GRID]])
// CHECK: %[[FIRST:.*]] = arith.muli %[[I]], %[[TILE]]
// CHECK: %[[COUNT:.*]] = arith.minsi
// CHECK: memref.subview %{{.*}}[%[[FIRST]], 0] [%[[COUNT]], 64] [1, 1]
// CHECK: linalg.copy
// CHECK: mm01.kernel = "copy"
func.func @rows(%a: memref<?x64xf32>, %b: memref<?x64xf32>) {
  memref.copy %a, %b : memref<?x64xf32> to memref<?x64xf32>
  return
}

// One element is one workgroup's.
// CHECK-LABEL: func.func @element
// CHECK: scf.forall (%{{.*}}) in (%{{.*}})
// CHECK: linalg.copy ins(%{{.*}} : memref<f32>)
func.func @element(%a: memref<f32>, %b: memref<f32>) {
  memref.copy %a, %b : memref<f32> to memref<f32>
  return
}

// A kernel's own copies stay.
// CHECK-LABEL: func.func @inside
// CHECK: memref.copy
func.func @inside(%a: memref<4xf32>, %b: memref<4xf32>, %n: index) {
  scf.forall (%i) in (%n) {
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  }
  return
}

memref.global "private" constant @slopes : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
memref.global "private" constant @others : memref<4xf32> = dense<[4.0, 3.0, 2.0, 1.0]>
memref.global "private" constant @many : memref<5000xf32> = dense<1.0>

// A constant of the host is no memory of the device: a kernel makes copies, of
// small ones in one launch. What kernels use themselves stays.
// CHECK-LABEL: func.func @constants
// CHECK: %[[CONSTANT:.*]] = memref.get_global @slopes
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[OTHER:.*]] = memref.get_global @others
// CHECK: %[[SECOND:.*]] = memref.alloc() : memref<4xf32>
// CHECK: scf.forall (%{{.*}}) in (1)
// CHECK-NEXT: linalg.copy ins(%[[CONSTANT]] : memref<4xf32>) outs(%[[BUFFER]] : memref<4xf32>)
// CHECK-NEXT: linalg.copy ins(%[[OTHER]] : memref<4xf32>) outs(%[[SECOND]] : memref<4xf32>)
// CHECK-NEXT: mm01.kernel = "constants"
// CHECK-NOT: mm01.kernel
// CHECK: %[[STAYS:.*]] = memref.get_global @slopes
// CHECK: call @layer(%[[BUFFER]])
// CHECK: call @layer(%[[SECOND]])
// CHECK: scf.forall
// CHECK: memref.load %[[STAYS]]
func.func @constants(%x: memref<4xf32>, %n: index) {
  %slopes = memref.get_global @slopes : memref<4xf32>
  %others = memref.get_global @others : memref<4xf32>
  call @layer(%slopes) : (memref<4xf32>) -> ()
  call @layer(%others) : (memref<4xf32>) -> ()
  scf.forall (%i) in (%n) {
    %v = memref.load %slopes[%i] : memref<4xf32>
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}
func.func private @layer(%slopes: memref<4xf32>) {
  return
}

// A large one is shared out among workgroups.
// CHECK-LABEL: func.func @large
// CHECK: %[[MANY:.*]] = memref.get_global @many
// CHECK: memref.alloc() : memref<5000xf32>
// CHECK: memref.subview %[[MANY]]
// CHECK: mm01.kernel = "copy"
func.func @large() {
  %many = memref.get_global @many : memref<5000xf32>
  call @layer_of_many(%many) : (memref<5000xf32>) -> ()
  return
}
func.func private @layer_of_many(memref<5000xf32>)
