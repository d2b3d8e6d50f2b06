// RUN: mm01-opt %s -mm01-expand-copies | FileCheck %s

// Strided and dense copies both, on the host too.
// CHECK-LABEL: func.func @copies
// CHECK-NOT: memref.copy
// CHECK: linalg.copy ins(%{{.*}} : memref<4xf32, strided<[8]>>) outs(%{{.*}} : memref<4xf32>)
// CHECK: linalg.copy ins(%{{.*}} : memref<?xf32>) outs(%{{.*}} : memref<?xf32>)
func.func @copies(%a: memref<4xf32, strided<[8]>>, %b: memref<4xf32>, %c: memref<?xf32>, %d: memref<?xf32>) {
  memref.copy %a, %b : memref<4xf32, strided<[8]>> to memref<4xf32>
  memref.copy %c, %d : memref<?xf32> to memref<?xf32>
  return
}
