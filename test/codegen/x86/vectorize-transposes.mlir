// RUN: mm01-opt %s -mm01-vectorize-transposes | FileCheck %s
// RUN: sed 's/"x86-64"/"x86-64-v4"/' %s | mm01-opt -mm01-vectorize-transposes | FileCheck %s --check-prefix=V4

#in = affine_map<(i, j) -> (j, i)>
#out = affine_map<(i, j) -> (i, j)>

module attributes {mm01.isa = "x86-64"} {

// A square of four vectors takes two rounds: neighbours exchange odd for even columns, then pairs exchange pairs.
// CHECK-LABEL: func.func private @transpose
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-4: vector.load {{.*}} vector<4xf32>
// CHECK: vector.shuffle %[[A:.*]], %[[B:.*]] [0, 4, 2, 6] : vector<4xf32>, vector<4xf32>
// CHECK: vector.shuffle %[[A]], %[[B]] [1, 5, 3, 7]
// CHECK-COUNT-2: vector.shuffle
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5]
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [2, 3, 6, 7]
// CHECK-COUNT-4: vector.store {{.*}} vector<4xf32>
func.func private @transpose(%workgroup: index, %x: memref<8x4xf32, strided<[64, 1], offset: ?>>, %y: memref<4x8xf32>)
    attributes {exec.kernel} {
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x4xf32, strided<[64, 1], offset: ?>>) outs(%y : memref<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Where squares of the longest vectors do not divide, shorter ones do.
// V4-LABEL: func.func private @transpose
// V4-COUNT-4: vector.load {{.*}} vector<4xf32>
// V4-LABEL: func.func private @halves
// V4-COUNT-8: vector.load {{.*}} vector<8xf32>
func.func private @halves(%workgroup: index, %x: memref<8x16xf32>, %y: memref<16x8xf32>) attributes {exec.kernel} {
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x16xf32>) outs(%y : memref<16x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// What squares do not divide, what computes, and what does not transpose is left.
// CHECK-LABEL: func.func private @others
// CHECK-COUNT-3: linalg.generic
func.func private @others(%workgroup: index, %x: memref<6x4xf32>, %y: memref<4x6xf32>, %z: memref<4x4xf32>)
    attributes {exec.kernel} {
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<6x4xf32>) outs(%y : memref<4x6xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<4x4xf32>) outs(%z : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#out, #out], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<4x4xf32>) outs(%z : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// The host's transposes are none of a kernel's.
// CHECK-LABEL: func.func @host
// CHECK: linalg.generic
func.func @host(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

}
