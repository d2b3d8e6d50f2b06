// RUN: mm01-opt %s -mm01-convert-matmul-to-gemm | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Accumulates into c, which may be a view with contiguous rows.
// CHECK-LABEL: func.func private @accumulate
// CHECK: exec.gemm %{{.*}}, %{{.*}}, %{{.*}} accumulate
func.func private @accumulate(%workgroup: index, %a: memref<?x8xf32>, %b: memref<4x8xf32>,
                              %c: memref<?x4xf32, strided<[16, 1], offset: ?>>) attributes {exec.kernel} {
  linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%a, %b : memref<?x8xf32>, memref<4x8xf32>)
      outs(%c : memref<?x4xf32, strided<[16, 1], offset: ?>>)
  return
}

// The zeros need not be written when the library overwrites c.
// CHECK-LABEL: func.func private @overwrite
// CHECK-NOT: linalg.fill
// CHECK: exec.gemm %{{.*}}, %{{.*}}, %{{.*}} : memref
func.func private @overwrite(%workgroup: index, %a: memref<2x8xf32>, %b: memref<4x8xf32>, %c: memref<2x4xf32>)
    attributes {exec.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<2x4xf32>)
  linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%a, %b : memref<2x8xf32>, memref<4x8xf32>) outs(%c : memref<2x4xf32>)
  return
}

// Another start value stays.
// CHECK-LABEL: func.func private @bias
// CHECK: linalg.fill
// CHECK: exec.gemm %{{.*}}, %{{.*}}, %{{.*}} accumulate
func.func private @bias(%workgroup: index, %a: memref<2x8xf32>, %b: memref<4x8xf32>, %c: memref<2x4xf32>)
    attributes {exec.kernel} {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%c : memref<2x4xf32>)
  linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%a, %b : memref<2x8xf32>, memref<4x8xf32>) outs(%c : memref<2x4xf32>)
  return
}

// The library wants B transposed, float32 and contiguous rows.
// CHECK-LABEL: func.func private @refused
// CHECK-COUNT-3: linalg.matmul
// CHECK-NOT: exec.gemm
func.func private @refused(%workgroup: index, %a: memref<2x8xf32>, %b: memref<8x4xf32>, %c: memref<2x4xf32>,
                           %d: memref<2x8xf64>, %e: memref<4x8xf64>, %f: memref<2x4xf64>,
                           %g: memref<4x8xf32, strided<[1, 4]>>) attributes {exec.kernel} {
  linalg.matmul indexing_maps = [#mk, #kn, #mn] ins(%a, %b : memref<2x8xf32>, memref<8x4xf32>) outs(%c : memref<2x4xf32>)
  linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%d, %e : memref<2x8xf64>, memref<4x8xf64>) outs(%f : memref<2x4xf64>)
  linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%a, %g : memref<2x8xf32>, memref<4x8xf32, strided<[1, 4]>>)
      outs(%c : memref<2x4xf32>)
  return
}

// The host calls no library.
// CHECK-LABEL: func.func @host
// CHECK: linalg.matmul
func.func @host(%a: memref<2x8xf32>, %b: memref<4x8xf32>, %c: memref<2x4xf32>) {
  linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%a, %b : memref<2x8xf32>, memref<4x8xf32>) outs(%c : memref<2x4xf32>)
  return
}
