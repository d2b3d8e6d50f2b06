// RUN: mm01-opt %s -mm01-vectorize-products | FileCheck %s
// RUN: sed s/x86-64-v4/x86-64-v3/ %s | mm01-opt -mm01-vectorize-products | FileCheck %s --check-prefix=V3
// RUN: sed s/x86-64-v4/x86-64/ %s | mm01-opt -mm01-vectorize-products | FileCheck %s --check-prefix=V1

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

module attributes {mm01.isa = "x86-64-v4"} {

// Eight rows of two vectors stay in registers while k runs; operands may be views.
// CHECK-LABEL: func.func private @product
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[C32]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[C8]]
// CHECK-COUNT-16: vector.load {{.*}} vector<16xf32>
// CHECK: %[[SUMS:.*]]:16 = scf.for
// CHECK-COUNT-2: vector.load {{.*}} vector<16xf32>
// CHECK: memref.load
// CHECK: vector.broadcast
// CHECK: arith.mulf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK: scf.yield
// CHECK-COUNT-16: vector.store %[[SUMS]]#{{.*}} vector<16xf32>
// V3-LABEL: func.func private @product
// V3-COUNT-8: vector.load {{.*}} vector<8xf32>
// V3: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// V1-LABEL: func.func private @product
// V1-COUNT-8: vector.load {{.*}} vector<4xf32>
func.func private @product(%workgroup: index, %a: memref<16x8xf32, strided<[64, 1], offset: ?>>, %b: memref<8x64xf32>,
                           %c: memref<16x64xf32>) attributes {exec.kernel} {
  linalg.matmul ins(%a, %b : memref<16x8xf32, strided<[64, 1], offset: ?>>, memref<8x64xf32>)
      outs(%c : memref<16x64xf32>)
  return
}

// A tile divides c: 12 rows take four, 48 columns one vector of 16, 24 one of 8.
// CHECK-LABEL: func.func private @narrow
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: scf.for {{.*}} -> (vector<8xf32>)
func.func private @narrow(%workgroup: index, %a: memref<12x8xf32>, %b: memref<8x48xf32>, %c: memref<12x48xf32>,
                          %d: memref<1x8xf32>, %e: memref<8x24xf32>, %f: memref<1x24xf32>) attributes {exec.kernel} {
  linalg.matmul ins(%a, %b : memref<12x8xf32>, memref<8x48xf32>) outs(%c : memref<12x48xf32>)
  linalg.matmul ins(%d, %e : memref<1x8xf32>, memref<8x24xf32>) outs(%f : memref<1x24xf32>)
  return
}

// No vector divides 130 columns.
// CHECK-LABEL: func.func private @odd
// CHECK: linalg.matmul
func.func private @odd(%workgroup: index, %a: memref<8x8xf32>, %b: memref<8x130xf32>, %c: memref<8x130xf32>)
    attributes {exec.kernel} {
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x130xf32>) outs(%c : memref<8x130xf32>)
  return
}

// What the library takes, what is not static, has other strides or types, or is no product of two matrices, is left.
// CHECK-LABEL: func.func private @others
// CHECK-COUNT-4: linalg.matmul
// CHECK: linalg.add
func.func private @others(%workgroup: index, %a: memref<8x8xf32>, %d: memref<?x8xf32>,
                          %s: memref<8x8xf32, strided<[16, 2]>>, %h: memref<8x8xbf16>) attributes {exec.kernel} {
  linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  linalg.matmul ins(%d, %a : memref<?x8xf32>, memref<8x8xf32>) outs(%d : memref<?x8xf32>)
  linalg.matmul ins(%a, %s : memref<8x8xf32>, memref<8x8xf32, strided<[16, 2]>>) outs(%a : memref<8x8xf32>)
  linalg.matmul ins(%h, %h : memref<8x8xbf16>, memref<8x8xbf16>) outs(%a : memref<8x8xf32>)
  linalg.add ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// The host's products are none of a kernel's.
// CHECK-LABEL: func.func @host
// CHECK: linalg.matmul
func.func @host(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

}
