// RUN: mm01-opt %s -mm01-relax-float-order | FileCheck %s

// Flags that are there stay; a division and a comparison keep their order, and what is no sum of a loop, too.
// CHECK-LABEL: func.func private @kernel
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<nnan,contract> : f64
// CHECK: arith.subf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : f32
func.func private @kernel(%workgroup: index, %a: f32, %b: f64) attributes {exec.kernel} {
  %0 = arith.addf %a, %a : f32
  %1 = arith.mulf %b, %b fastmath<nnan> : f64
  %2 = arith.subf %0, %a : f32
  %3 = arith.divf %2, %a : f32
  %4 = arith.maximumf %3, %a : f32
  return
}

// A sum that a loop carries, and one that is loaded from where it is stored, may have partial sums.
// CHECK-LABEL: func.func private @sums
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
func.func private @sums(%workgroup: index, %x: memref<8xf32>, %y: memref<f32>) attributes {exec.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %total = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> f32 {
    %v = memref.load %x[%i] : memref<8xf32>
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    %sum = memref.load %y[] : memref<f32>
    %next = arith.addf %v, %sum : f32
    memref.store %next, %y[] : memref<f32>
  }
  memref.store %total, %x[%c0] : memref<8xf32>
  return
}

// So may a reduction; what goes element by element keeps its order.
// CHECK-LABEL: func.func private @reduction
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
func.func private @reduction(%workgroup: index, %x: memref<8xf32>, %y: memref<f32>, %z: memref<f32>)
    attributes {exec.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                  iterator_types = ["reduction"]} ins(%x : memref<8xf32>) outs(%y, %z : memref<f32>, memref<f32>) {
  ^bb0(%a: f32, %sum: f32, %product: f32):
    %next = arith.addf %a, %sum : f32
    %power = arith.mulf %a, %product : f32
    linalg.yield %next, %power : f32, f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<8xf32>) {
  ^bb0(%a: f32):
    %next = arith.addf %a, %a : f32
    linalg.yield %next : f32
  }
  return
}

// Another element each time is no sum; a product that is stored does not contract, one that is added does.
// CHECK-LABEL: func.func private @elements
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
func.func private @elements(%workgroup: index, %x: memref<8xf32>, %y: memref<8xf32>, %v: vector<4xf32>)
    attributes {exec.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = memref.load %y[%i] : memref<8xf32>
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %p, %b : f32
    memref.store %s, %y[%i] : memref<8xf32>
    %q = arith.mulf %a, %b fastmath<contract> : f32
    memref.store %q, %x[%i] : memref<8xf32>
  }
  %w = arith.addf %v, %v : vector<4xf32>
  return
}

// CHECK-LABEL: func.func @host
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
func.func @host(%a: f32) {
  %0 = arith.addf %a, %a : f32
  return
}
