// RUN: mm01-opt %s -mm01-prefetch-rows -split-input-file | FileCheck %s

// Rows of 32 floats are two cache lines; the last row stands for those behind it.
// CHECK-LABEL: func.func @blocks
// CHECK: scf.for %[[T:.*]] =
// CHECK: %[[BEGIN:.*]] = arith.muli %[[T]], %c8
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[AT:.*]] = arith.addi %[[BEGIN]], %[[I]]
// CHECK: memref.subview %{{.*}}[%[[AT]], 0] [1, 32]
// CHECK: %[[ROWS:.*]] = memref.dim %arg0, %
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]], %
// CHECK: %[[STEP:.*]] = arith.constant 8 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %[[STEP]]
// CHECK: %[[CLIPPED:.*]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK: %[[AHEAD:.*]] = memref.subview %arg0[%[[CLIPPED]], 0] [1, 32]
// CHECK: %[[FIRST:.*]] = arith.constant 0
// CHECK: memref.prefetch %[[AHEAD]][%[[FIRST]]], read, locality<3>, data
// CHECK: %[[SECOND:.*]] = arith.constant 16
// CHECK: memref.prefetch %[[AHEAD]][%[[SECOND]]], read, locality<3>, data
// CHECK-NOT: memref.prefetch
func.func @blocks(%x: memref<?x256xf32>, %sum: memref<32xf32>, %blocks: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %t = %c0 to %blocks step %c1 {
    %begin = arith.muli %t, %c8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %at = arith.addi %begin, %i : index
      %row = memref.subview %x[%at, 0] [1, 32] [1, 1] : memref<?x256xf32> to memref<32xf32, strided<[1], offset: ?>>
      linalg.add ins(%row, %sum : memref<32xf32, strided<[1], offset: ?>>, memref<32xf32>) outs(%sum : memref<32xf32>)
    }
  }
  return
}

// -----

// Left alone: rows that lie near each other, scratch of an iteration, and a row whose number does not grow evenly.
// CHECK-LABEL: func.func @others
// CHECK-NOT: memref.prefetch
func.func @others(%near: memref<?x255xf32>, %far: memref<?x256xf32>, %sum: memref<32xf32>, %blocks: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %t = %c0 to %blocks step %c1 {
    %own = memref.alloc(%c8) : memref<?x256xf32>
    %begin = arith.muli %t, %c8 : index
    %even = arith.muli %t, %t : index
    scf.for %i = %c0 to %c8 step %c1 {
      %at = arith.addi %begin, %i : index
      %uneven = arith.addi %even, %i : index
      %a = memref.subview %near[%at, 0] [1, 32] [1, 1] : memref<?x255xf32> to memref<32xf32, strided<[1], offset: ?>>
      %b = memref.subview %own[%i, 0] [1, 32] [1, 1] : memref<?x256xf32> to memref<32xf32, strided<[1], offset: ?>>
      %c = memref.subview %far[%uneven, 0] [1, 32] [1, 1] : memref<?x256xf32> to memref<32xf32, strided<[1], offset: ?>>
      linalg.add ins(%a, %b : memref<32xf32, strided<[1], offset: ?>>, memref<32xf32, strided<[1], offset: ?>>) outs(%sum : memref<32xf32>)
      linalg.add ins(%c, %sum : memref<32xf32, strided<[1], offset: ?>>, memref<32xf32>) outs(%sum : memref<32xf32>)
    }
    memref.dealloc %own : memref<?x256xf32>
  }
  return
}
