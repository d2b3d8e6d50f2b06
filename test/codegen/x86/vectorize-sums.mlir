// RUN: mm01-opt %s -mm01-vectorize-sums -canonicalize | FileCheck %s
// RUN: sed s/x86-64-v4/x86-64-v3/ %s | mm01-opt -mm01-vectorize-sums -canonicalize | FileCheck %s --check-prefix=V3

module attributes {mm01.isa = "x86-64-v4"} {

// Dot products of eight rows with a row of a weight: 32 elements of bf16 are a cache line, two vectors a step. Row n of 1536
// bytes asks for what is two rows and 512 elements behind, or for that behind the end of this row.
// CHECK-LABEL: func.func private @weight
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: scf.for %[[N:.*]] = %c0 to %c64
// CHECK: %[[TWO:.*]] = arith.addi %[[N]], %c2
// CHECK: %[[FIRST:.*]] = arith.minsi %[[TWO]], %c63
// CHECK: %[[THREE:.*]] = arith.addi %[[N]], %c3
// CHECK: %[[SECOND:.*]] = arith.minsi %[[THREE]], %c63
// CHECK: %[[SUMS:.*]]:8 = scf.for %[[K:.*]] = %c0 to %c768 step %c32 iter_args(%{{.*}} = %[[ZEROS]],
// CHECK: %[[AT:.*]] = arith.addi %[[K]], %c512
// CHECK: %[[HERE:.*]] = arith.cmpi slt, %[[AT]], %c768
// CHECK: %[[BEHIND:.*]] = arith.addi %[[K]], %c-256
// CHECK: %[[ROW:.*]] = arith.select %[[HERE]], %[[FIRST]], %[[SECOND]]
// CHECK: %[[COLUMN:.*]] = arith.select %[[HERE]], %[[AT]], %[[BEHIND]]
// CHECK: memref.prefetch %{{.*}}[%[[ROW]], %[[COLUMN]]], read, locality<3>
// CHECK-NOT: memref.prefetch
// CHECK: vector.load %{{.*}}[%[[N]], %[[K]]] : memref<64x768xbf16>, vector<16xbf16>
// CHECK: arith.extf {{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK: vector.load %{{.*}}[%[[N]], %{{.*}}] : memref<64x768xbf16>, vector<16xbf16>
// CHECK: vector.reduction <add>, %[[SUMS]]#0 fastmath<reassoc,contract> : vector<16xf32> into f32
// CHECK: vector.reduction <add>, %[[SUMS]]#7
// V3-LABEL: func.func private @weight
// V3: scf.for {{.*}} step %c32 {{.*}} -> (vector<8xf32>, {{.*}})
// V3-COUNT-4: vector.load {{.*}} vector<8xbf16>
func.func private @weight(%workgroup: index, %w: memref<64x768xbf16>, %x: memref<8x768xf32>, %y: memref<64xf32>)
    attributes {exec.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c768 = arith.constant 768 : index
  %z = arith.constant 0.0 : f32
  scf.for %n = %c0 to %c64 step %c1 {
    %r:8 = scf.for %k = %c0 to %c768 step %c1 iter_args(%a = %z, %b = %z, %c = %z, %d = %z, %e = %z, %f = %z, %g = %z, %h = %z)
        -> (f32, f32, f32, f32, f32, f32, f32, f32) {
      %narrow = memref.load %w[%n, %k] : memref<64x768xbf16>
      %wide = arith.extf %narrow : bf16 to f32
      %x0 = memref.load %x[%c0, %k] : memref<8x768xf32>
      %x1 = memref.load %x[%c1, %k] : memref<8x768xf32>
      %p0 = arith.mulf %x0, %wide fastmath<contract> : f32
      %p1 = arith.mulf %x1, %wide fastmath<contract> : f32
      %a1 = arith.addf %a, %p0 fastmath<contract> : f32
      %b1 = arith.addf %b, %p1 fastmath<contract> : f32
      %c3 = arith.addf %c, %p1 fastmath<contract> : f32
      %d1 = arith.addf %d, %p1 fastmath<contract> : f32
      %e1 = arith.addf %e, %p1 fastmath<contract> : f32
      %f1 = arith.addf %p1, %f fastmath<contract> : f32
      %g1 = arith.addf %g, %p1 fastmath<contract> : f32
      %h1 = arith.addf %h, %p1 fastmath<contract> : f32
      scf.yield %a1, %b1, %c3, %d1, %e1, %f1, %g1, %h1 : f32, f32, f32, f32, f32, f32, f32, f32
    }
    %s = arith.addf %r#0, %r#7 : f32
    memref.store %s, %y[%n] : memref<64xf32>
  }
  return
}

// Bytes have 64 in a line; where that does not divide the row, a step is one vector. A scalar from outside is spread.
// CHECK-LABEL: func.func private @bytes
// CHECK: scf.for {{.*}} to %c80 step %c16 {{.*}} -> (vector<16xf32>, {{.*}})
// CHECK: vector.load {{.*}} vector<16xi8>
// CHECK: arith.sitofp {{.*}} : vector<16xi8> to vector<16xf32>
func.func private @bytes(%workgroup: index, %w: memref<80xi8>, %s: f32, %y: memref<8xf32>) attributes {exec.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c80 = arith.constant 80 : index
  %z = arith.constant 0.0 : f32
  %r:8 = scf.for %k = %c0 to %c80 step %c1 iter_args(%a = %z, %b = %z, %c = %z, %d = %z, %e = %z, %f = %z, %g = %z, %h = %z)
      -> (f32, f32, f32, f32, f32, f32, f32, f32) {
    %byte = memref.load %w[%k] : memref<80xi8>
    %wide = arith.sitofp %byte : i8 to f32
    %p = arith.mulf %s, %wide : f32
    %a1 = arith.addf %a, %p : f32
    %b1 = arith.addf %b, %p : f32
    %c3 = arith.addf %c, %p : f32
    %d1 = arith.addf %d, %p : f32
    %e1 = arith.addf %e, %p : f32
    %f1 = arith.addf %f, %p : f32
    %g1 = arith.addf %g, %p : f32
    %h1 = arith.addf %h, %p : f32
    scf.yield %a1, %b1, %c3, %d1, %e1, %f1, %g1, %h1 : f32, f32, f32, f32, f32, f32, f32, f32
  }
  memref.store %r#3, %y[%c0] : memref<8xf32>
  return
}

// Seven sums, a row that vectors do not divide, a sum that another adds up or that does not start from 0, f16, and columns are
// left.
// CHECK-LABEL: func.func private @others
// CHECK-NOT: vector
// CHECK-COUNT-6: iter_args
// CHECK-NOT: vector
func.func private @others(%workgroup: index, %x: memref<64x64xf32>, %h: memref<64xf16>, %y: memref<8xf32>, %one: f32)
    attributes {exec.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c60 = arith.constant 60 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %r0:7 = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %z, %b = %z, %c = %z, %d = %z, %e = %z, %f = %z, %g = %z)
      -> (f32, f32, f32, f32, f32, f32, f32) {
    %p = memref.load %x[%c0, %k] : memref<64x64xf32>
    %a1 = arith.addf %a, %p : f32
    %b1 = arith.addf %b, %p : f32
    %c3 = arith.addf %c, %p : f32
    %d1 = arith.addf %d, %p : f32
    %e1 = arith.addf %e, %p : f32
    %f1 = arith.addf %f, %p : f32
    %g1 = arith.addf %g, %p : f32
    scf.yield %a1, %b1, %c3, %d1, %e1, %f1, %g1 : f32, f32, f32, f32, f32, f32, f32
  }
  memref.store %r0#3, %y[%c0] : memref<8xf32>
  %r1:8 = scf.for %k = %c0 to %c60 step %c1 iter_args(%a = %z, %b = %z, %c = %z, %d = %z, %e = %z, %f = %z, %g = %z, %i = %z)
      -> (f32, f32, f32, f32, f32, f32, f32, f32) {
    %p = memref.load %x[%c0, %k] : memref<64x64xf32>
    %a1 = arith.addf %a, %p : f32
    %b1 = arith.addf %b, %p : f32
    %c3 = arith.addf %c, %p : f32
    %d1 = arith.addf %d, %p : f32
    %e1 = arith.addf %e, %p : f32
    %f1 = arith.addf %f, %p : f32
    %g1 = arith.addf %g, %p : f32
    %i1 = arith.addf %i, %p : f32
    scf.yield %a1, %b1, %c3, %d1, %e1, %f1, %g1, %i1 : f32, f32, f32, f32, f32, f32, f32, f32
  }
  memref.store %r1#3, %y[%c0] : memref<8xf32>
  %r2:8 = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %z, %b = %z, %c = %z, %d = %z, %e = %z, %f = %z, %g = %z, %i = %z)
      -> (f32, f32, f32, f32, f32, f32, f32, f32) {
    %p = memref.load %x[%c0, %k] : memref<64x64xf32>
    %a1 = arith.addf %a, %p : f32
    %b1 = arith.addf %b, %a1 : f32
    %c3 = arith.addf %c, %p : f32
    %d1 = arith.addf %d, %p : f32
    %e1 = arith.addf %e, %p : f32
    %f1 = arith.addf %f, %p : f32
    %g1 = arith.addf %g, %p : f32
    %i1 = arith.addf %i, %p : f32
    scf.yield %a1, %b1, %c3, %d1, %e1, %f1, %g1, %i1 : f32, f32, f32, f32, f32, f32, f32, f32
  }
  memref.store %r2#3, %y[%c0] : memref<8xf32>
  %r3:8 = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %one, %b = %z, %c = %z, %d = %z, %e = %z, %f = %z, %g = %z, %i = %z)
      -> (f32, f32, f32, f32, f32, f32, f32, f32) {
    %p = memref.load %x[%c0, %k] : memref<64x64xf32>
    %a1 = arith.addf %a, %p : f32
    %b1 = arith.addf %b, %p : f32
    %c3 = arith.addf %c, %p : f32
    %d1 = arith.addf %d, %p : f32
    %e1 = arith.addf %e, %p : f32
    %f1 = arith.addf %f, %p : f32
    %g1 = arith.addf %g, %p : f32
    %i1 = arith.addf %i, %p : f32
    scf.yield %a1, %b1, %c3, %d1, %e1, %f1, %g1, %i1 : f32, f32, f32, f32, f32, f32, f32, f32
  }
  memref.store %r3#3, %y[%c0] : memref<8xf32>
  %r4:8 = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %z, %b = %z, %c = %z, %d = %z, %e = %z, %f = %z, %g = %z, %i = %z)
      -> (f32, f32, f32, f32, f32, f32, f32, f32) {
    %n = memref.load %h[%k] : memref<64xf16>
    %p = arith.extf %n : f16 to f32
    %a1 = arith.addf %a, %p : f32
    %b1 = arith.addf %b, %p : f32
    %c3 = arith.addf %c, %p : f32
    %d1 = arith.addf %d, %p : f32
    %e1 = arith.addf %e, %p : f32
    %f1 = arith.addf %f, %p : f32
    %g1 = arith.addf %g, %p : f32
    %i1 = arith.addf %i, %p : f32
    scf.yield %a1, %b1, %c3, %d1, %e1, %f1, %g1, %i1 : f32, f32, f32, f32, f32, f32, f32, f32
  }
  memref.store %r4#3, %y[%c0] : memref<8xf32>
  %r5:8 = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %z, %b = %z, %c = %z, %d = %z, %e = %z, %f = %z, %g = %z, %i = %z)
      -> (f32, f32, f32, f32, f32, f32, f32, f32) {
    %p = memref.load %x[%k, %c0] : memref<64x64xf32>
    %a1 = arith.addf %a, %p : f32
    %b1 = arith.addf %b, %p : f32
    %c3 = arith.addf %c, %p : f32
    %d1 = arith.addf %d, %p : f32
    %e1 = arith.addf %e, %p : f32
    %f1 = arith.addf %f, %p : f32
    %g1 = arith.addf %g, %p : f32
    %i1 = arith.addf %i, %p : f32
    scf.yield %a1, %b1, %c3, %d1, %e1, %f1, %g1, %i1 : f32, f32, f32, f32, f32, f32, f32, f32
  }
  memref.store %r5#3, %y[%c0] : memref<8xf32>
  return
}

}
