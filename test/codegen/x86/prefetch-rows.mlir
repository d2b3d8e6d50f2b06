// RUN: mm01-opt %s -mm01-prefetch-rows -split-input-file | FileCheck %s

// Rows of 32 floats are two cache lines; those of the block after the next are asked for, or the last row there is.
// CHECK-LABEL: func.func @blocks
// CHECK: scf.for %[[T:.*]] =
// CHECK: %[[BEGIN:.*]] = arith.muli %[[T]], %c8
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[AT:.*]] = arith.addi %[[BEGIN]], %[[I]]
// CHECK: memref.subview %{{.*}}[%[[AT]], 0] [1, 32]
// CHECK: %[[ROWS:.*]] = memref.dim %arg0, %
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]], %
// CHECK: %[[STEP:.*]] = arith.constant 16 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %[[STEP]]
// CHECK: %[[CLIPPED:.*]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK: %[[AHEAD:.*]] = memref.subview %arg0[%[[CLIPPED]], 0] [1, 32]
// CHECK: %[[FIRST:.*]] = arith.constant 0
// CHECK: memref.prefetch %[[AHEAD]][%[[FIRST]]], read, locality<2>, data
// CHECK: %[[SECOND:.*]] = arith.constant 16
// CHECK: memref.prefetch %[[AHEAD]][%[[SECOND]]], read, locality<2>, data
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

// -----

// Products compute while rows come in: those of the first tensor are asked for before the first of them, those of the
// second before the second, though the second is written after it. What makes their numbers is computed there.
// CHECK-LABEL: func.func @products
// CHECK: scf.for %[[T:.*]] =
// CHECK: scf.for
// CHECK: memref.subview %arg0
// CHECK-NOT: memref.prefetch
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[ROWS:.*]] step
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[I]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %c16
// CHECK: %[[CLIPPED:.*]] = arith.minsi %[[NEXT]]
// CHECK: %[[AHEAD:.*]] = memref.subview %arg0[%[[CLIPPED]], 0] [1, 16]
// CHECK: memref.prefetch %[[AHEAD]][%{{.*}}], read, locality<2>, data
// CHECK: linalg.matmul
// CHECK: scf.for
// CHECK: memref.subview %arg1
// CHECK-COUNT-1: memref.prefetch
// CHECK: linalg.matmul
// CHECK: scf.for
// CHECK: memref.subview %arg1
// CHECK-NOT: memref.prefetch
func.func @products(%x: memref<?x256xf32>, %y: memref<?x256xf32>, %tile: memref<8x16xf32>, %square: memref<16x16xf32>, %blocks: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %t = %c0 to %blocks step %c1 {
    %begin = arith.muli %t, %c8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %at = arith.addi %begin, %i : index
      %from = memref.subview %x[%at, 0] [1, 16] [1, 1] : memref<?x256xf32> to memref<16xf32, strided<[1], offset: ?>>
      %to = memref.subview %tile[%i, 0] [1, 16] [1, 1] : memref<8x16xf32> to memref<16xf32, strided<[1], offset: ?>>
      linalg.copy ins(%from : memref<16xf32, strided<[1], offset: ?>>) outs(%to : memref<16xf32, strided<[1], offset: ?>>)
    }
    linalg.matmul ins(%tile, %square : memref<8x16xf32>, memref<16x16xf32>) outs(%tile : memref<8x16xf32>)
    linalg.matmul ins(%tile, %square : memref<8x16xf32>, memref<16x16xf32>) outs(%tile : memref<8x16xf32>)
    %again = arith.muli %t, %c8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %at = arith.addi %again, %i : index
      %from = memref.subview %tile[%i, 0] [1, 16] [1, 1] : memref<8x16xf32> to memref<16xf32, strided<[1], offset: ?>>
      %to = memref.subview %y[%at, 0] [1, 16] [1, 1] : memref<?x256xf32> to memref<16xf32, strided<[1], offset: ?>>
      linalg.copy ins(%from : memref<16xf32, strided<[1], offset: ?>>) outs(%to : memref<16xf32, strided<[1], offset: ?>>)
    }
  }
  return
}

// -----

// A number that is read from memory is not moved before the product: the row is asked for where it is written.
// CHECK-LABEL: func.func @not_moved
// CHECK: linalg.matmul
// CHECK: scf.for
// CHECK: memref.subview %arg0
// CHECK: memref.prefetch
func.func @not_moved(%y: memref<?x256xf32>, %numbers: memref<?xindex>, %tile: memref<8x16xf32>, %square: memref<16x16xf32>, %blocks: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %t = %c0 to %blocks step %c1 {
    linalg.matmul ins(%tile, %square : memref<8x16xf32>, memref<16x16xf32>) outs(%tile : memref<8x16xf32>)
    %begin = arith.muli %t, %c8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %column = memref.load %numbers[%i] : memref<?xindex>
      %at = arith.addi %begin, %i : index
      %to = memref.subview %y[%at, %column] [1, 16] [1, 1] : memref<?x256xf32> to memref<16xf32, strided<[1], offset: ?>>
      linalg.fill ins(%zero : f32) outs(%to : memref<16xf32, strided<[1], offset: ?>>)
    }
  }
  return
}
