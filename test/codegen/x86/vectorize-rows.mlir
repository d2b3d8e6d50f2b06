// RUN: mm01-opt %s -mm01-vectorize-rows -canonicalize | FileCheck %s
// RUN: sed s/x86-64-v4/x86-64-v3/ %s | mm01-opt -mm01-vectorize-rows -canonicalize | FileCheck %s --check-prefix=V3

#row = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i)>
#second = affine_map<(i, j) -> (j)>
#turned = affine_map<(i, j) -> (j, i)>

module attributes {mm01.isa = "x86-64-v4"} {

// A row of 32 is two vectors of 16 or four of 8; a scalar becomes a vector, and rows may be views. What is
// stored is rounded: it does not contract with a sum elsewhere.
// CHECK-LABEL: func.func private @scale
// CHECK-NOT: scf.for
// CHECK: %[[X:.*]] = vector.load %{{.*}}[%c0] : {{.*}} vector<16xf32>
// CHECK: %[[S:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[S]] : vector<16xf32>
// CHECK: vector.store %[[P]], %{{.*}}[%c0]
// CHECK: vector.load %{{.*}}[%c16]
// CHECK: vector.store {{.*}}[%c16]
// CHECK-NOT: linalg
// V3-LABEL: func.func private @scale
// V3-COUNT-4: vector.store {{.*}} vector<8xf32>
func.func private @scale(%workgroup: index, %x: memref<32xf32, strided<[1], offset: ?>>, %y: memref<32xf32>, %s: f32)
    attributes {exec.kernel} {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : memref<32xf32, strided<[1], offset: ?>>) outs(%y : memref<32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %s fastmath<contract> : f32
    linalg.yield %p : f32
  }
  return
}

// A loop over the rows of a matrix, with one number for each row; comparisons have vectors of bits.
// CHECK-LABEL: func.func private @rows
// CHECK: scf.for %[[I:.*]] = %c0 to %c3
// CHECK: memref.load %{{.*}}[%[[I]]] : memref<3xf32>
// CHECK: arith.cmpf oeq, {{.*}} : vector<16xf32>
// CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK-COUNT-2: vector.store
// CHECK-NOT: vector.store
func.func private @rows(%workgroup: index, %x: memref<3xf32>, %y: memref<3x32xf32>) attributes {exec.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#first, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<3xf32>) outs(%y : memref<3x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %none = arith.cmpf oeq, %b, %zero : f32
    %p = arith.mulf %a, %b : f32
    %r = arith.select %none, %zero, %p : f32
    linalg.yield %r : f32
  }
  return
}

// Fills and copies. Vectors of 8 and of 4 divide what those of 16 do not.
// CHECK-LABEL: func.func private @copies
// CHECK-COUNT-3: vector.store {{.*}} vector<8xf32>
// CHECK: vector.store {{.*}} vector<4xf32>
// CHECK-NOT: linalg
func.func private @copies(%workgroup: index, %x: memref<24xf32>, %y: memref<24xf32>, %z: memref<4xf32>)
    attributes {exec.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.copy ins(%x : memref<24xf32>) outs(%y : memref<24xf32>)
  linalg.fill ins(%zero : f32) outs(%z : memref<4xf32>)
  return
}

// Eight vectors are a short row where there are 32 registers, and a long one where there are 16; nine never.
// CHECK-LABEL: func.func private @boundary
// CHECK-COUNT-8: vector.store {{.*}} vector<16xf32>
// CHECK-NOT: vector.store
// CHECK: linalg.fill
// V3-LABEL: func.func private @boundary
// V3-COUNT-2: linalg.fill
func.func private @boundary(%workgroup: index, %x: memref<128xf32>, %y: memref<144xf32>) attributes {exec.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<128xf32>)
  linalg.fill ins(%zero : f32) outs(%y : memref<144xf32>)
  return
}

// What no vector divides, other types, columns apart, one row for all, another order, other functions and other sizes.
// CHECK-LABEL: func.func private @others
// CHECK-COUNT-8: linalg
// CHECK-NOT: vector
func.func private @others(%workgroup: index, %x: memref<6xf32>, %h: memref<16xbf16>, %s: memref<16xf32, strided<[2]>>,
                          %v: memref<16xf32>, %m: memref<16x16xf32>, %n: memref<16x16xf32>, %d: memref<?xf32>)
    attributes {exec.kernel} {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : bf16
  linalg.fill ins(%zero : f32) outs(%x : memref<6xf32>)
  linalg.fill ins(%none : bf16) outs(%h : memref<16xbf16>)
  linalg.fill ins(%zero : f32) outs(%s : memref<16xf32, strided<[2]>>)
  linalg.fill ins(%zero : f32) outs(%d : memref<?xf32>)
  linalg.generic {indexing_maps = [#second, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : memref<16xf32>) outs(%m : memref<16x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : memref<16x16xf32>) outs(%n : memref<16x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%v : memref<16xf32>) outs(%v : memref<16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%h : memref<16xbf16>) outs(%v : memref<16xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %e = arith.extf %a : bf16 to f32
    linalg.yield %e : f32
  }
  return
}

// The host's rows are none of a kernel's.
// CHECK-LABEL: func.func @host
// CHECK: linalg.fill
func.func @host(%x: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<16xf32>)
  return
}

}
