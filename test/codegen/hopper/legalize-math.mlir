// RUN: mm01-opt %s -mm01-legalize-math | FileCheck %s

// CHECK-LABEL: func.func @double
// CHECK-NOT: math.sin
// CHECK-NOT: math.cos
// CHECK-NOT: math.exp
// CHECK: math.fma
func.func @double(%x: f64) -> (f64, f64, f64, f64) {
  %s = math.sin %x : f64
  %c = math.cos %x : f64
  %e = math.exp %x : f64
  %m = math.expm1 %x : f64
  return %s, %c, %e, %m : f64, f64, f64, f64
}

// float32 goes through float64.
// CHECK-LABEL: func.func @single
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK-NOT: math.sin
func.func @single(%x: f32) -> f32 {
  %s = math.sin %x : f32
  return %s : f32
}

// What else there is stays, vectors too.
// CHECK-LABEL: func.func @others
// CHECK: math.sqrt
// CHECK: math.sin %{{.*}} : vector<4xf32>
// CHECK: math.exp %{{.*}} : f16
func.func @others(%x: f64, %v: vector<4xf32>, %h: f16) -> (f64, vector<4xf32>, f16) {
  %s = math.sqrt %x : f64
  %w = math.sin %v : vector<4xf32>
  %e = math.exp %h : f16
  return %s, %w, %e : f64, vector<4xf32>, f16
}
