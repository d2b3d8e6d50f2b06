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

// A tile divides c: 12 rows take four, 48 columns one vector of 16, 24 one of 8. Fewer than eight sums are sums of parts of
// k, which the end adds.
// CHECK-LABEL: func.func private @narrow
// CHECK-COUNT-4: vector.load {{.*}} vector<16xf32>
// CHECK: %[[TWO:.*]]:8 = scf.for {{.*}} to %{{.*}} step %c2{{.*}} -> (vector<16xf32>, {{.*}})
// CHECK: arith.addf %[[TWO]]#0, %[[TWO]]#4 : vector<16xf32>
// CHECK: arith.addf %[[TWO]]#3, %[[TWO]]#7 : vector<16xf32>
// CHECK-COUNT-4: vector.store {{.*}} vector<16xf32>
// CHECK: %[[ALL:.*]]:8 = scf.for {{.*}} to %{{.*}} step %c8{{.*}} -> (vector<8xf32>, {{.*}})
// CHECK-COUNT-7: arith.addf {{.*}} : vector<8xf32>
// CHECK: vector.store {{.*}} vector<8xf32>
func.func private @narrow(%workgroup: index, %a: memref<12x8xf32>, %b: memref<8x48xf32>, %c: memref<12x48xf32>,
                          %d: memref<1x8xf32>, %e: memref<8x24xf32>, %f: memref<1x24xf32>) attributes {exec.kernel} {
  linalg.matmul ins(%a, %b : memref<12x8xf32>, memref<8x48xf32>) outs(%c : memref<12x48xf32>)
  linalg.matmul ins(%d, %e : memref<1x8xf32>, memref<8x24xf32>) outs(%f : memref<1x24xf32>)
  return
}

// Where a row has one vector, twice the rows; k = 6 has two parts at most, and 5 has none.
// CHECK-LABEL: func.func private @column
// CHECK: scf.for {{.*}} step %c16
// CHECK: %{{.*}}:16 = scf.for {{.*}} step %c1{{ }}
// CHECK: %{{.*}}:4 = scf.for {{.*}} step %c2{{ }}
// CHECK: %{{.*}}:2 = scf.for {{.*}} step %c1{{ }}
func.func private @column(%workgroup: index, %a: memref<16x6xf32>, %b: memref<6x16xf32>, %c: memref<16x16xf32>,
                          %d: memref<2x16xf32>, %e: memref<2x5xf32>, %f: memref<5x16xf32>) attributes {exec.kernel} {
  %two = memref.subview %a[0, 0] [2, 6] [1, 1] : memref<16x6xf32> to memref<2x6xf32, strided<[6, 1]>>
  linalg.matmul ins(%a, %b : memref<16x6xf32>, memref<6x16xf32>) outs(%c : memref<16x16xf32>)
  linalg.matmul ins(%two, %b : memref<2x6xf32, strided<[6, 1]>>, memref<6x16xf32>) outs(%d : memref<2x16xf32>)
  linalg.matmul ins(%e, %f : memref<2x5xf32>, memref<5x16xf32>) outs(%d : memref<2x16xf32>)
  return
}

// k may be anything; then there are no parts of it.
// CHECK-LABEL: func.func private @any_depth
// CHECK: %[[K:.*]] = memref.dim %arg1, %c1
// CHECK: %{{.*}}:8 = scf.for {{.*}} = %c0 to %[[K]] step %c1{{ }}
// CHECK: %{{.*}}:2 = scf.for {{.*}} step %c1{{ }}
func.func private @any_depth(%workgroup: index, %a: memref<4x?xf32, strided<[64, 1]>>, %b: memref<?x64xf32>,
                             %c: memref<4x64xf32>, %d: memref<1x?xf32>, %e: memref<1x64xf32>) attributes {exec.kernel} {
  linalg.matmul ins(%a, %b : memref<4x?xf32, strided<[64, 1]>>, memref<?x64xf32>) outs(%c : memref<4x64xf32>)
  linalg.matmul ins(%d, %b : memref<1x?xf32>, memref<?x64xf32>) outs(%e : memref<1x64xf32>)
  return
}

// What fills or scales c right before is done to the tile, past what only asks for memory.
// CHECK-LABEL: func.func private @before
// CHECK-NOT: linalg
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-NOT: linalg
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]],
// CHECK: %[[ROW:.*]] = memref.load %arg4[%{{.*}}] : memref<8xf32, strided<[1], offset: 1>>
// CHECK: %[[C:.*]] = vector.load %arg3
// CHECK: %[[W:.*]] = vector.broadcast %[[ROW]] : f32 to vector<16xf32>
// CHECK: %[[START:.*]] = arith.mulf %[[C]], %[[W]] : vector<16xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]],
func.func private @before(%workgroup: index, %a: memref<8x8xf32>, %b: memref<8x32xf32>, %c: memref<8x32xf32>,
                          %w: memref<8xf32, strided<[1], offset: 1>>) attributes {exec.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<8x32xf32>)
  scf.for %i = %c0 to %c8 step %c1 {
    memref.prefetch %a[%i, %c0], read, locality<2>, data : memref<8x8xf32>
  }
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x32xf32>) outs(%c : memref<8x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%w : memref<8xf32, strided<[1], offset: 1>>) outs(%c : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.mulf %y, %x : f32
    linalg.yield %z : f32
  }
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x32xf32>) outs(%c : memref<8x32xf32>)
  return
}

// Another c, a part of c, what is read in between, and what vectors do not have stay where they are.
// CHECK-LABEL: func.func private @not_before
// CHECK-COUNT-2: linalg.fill
// CHECK: vector.load
// CHECK: linalg.fill
// CHECK: memref.load
// CHECK: vector.load
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: vector.load
func.func private @not_before(%workgroup: index, %a: memref<8x8xf32>, %b: memref<8x32xf32>, %c: memref<8x32xf32>,
                              %d: memref<8x32xf32>) attributes {exec.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %part = memref.subview %c[0, 0] [4, 32] [1, 1] : memref<8x32xf32> to memref<4x32xf32, strided<[32, 1]>>
  linalg.fill ins(%zero : f32) outs(%part : memref<4x32xf32, strided<[32, 1]>>)
  linalg.fill ins(%zero : f32) outs(%d : memref<8x32xf32>)
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x32xf32>) outs(%c : memref<8x32xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<8x32xf32>)
  %read = memref.load %c[%c0, %c0] : memref<8x32xf32>
  memref.store %read, %d[%c0, %c0] : memref<8x32xf32>
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x32xf32>) outs(%c : memref<8x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<8x32xf32>) {
  ^bb0(%y: f32):
    %z = math.exp %y : f32
    linalg.yield %z : f32
  }
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x32xf32>) outs(%c : memref<8x32xf32>)
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
