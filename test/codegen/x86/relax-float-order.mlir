// RUN: mm01-opt %s -mm01-relax-float-order | FileCheck %s

// Flags that are there stay; a division and a comparison keep their order.
// CHECK-LABEL: func.func private @kernel
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,nnan,contract> : f64
// CHECK: arith.subf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
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

// CHECK-LABEL: func.func @host
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
func.func @host(%a: f32) {
  %0 = arith.addf %a, %a : f32
  return
}
