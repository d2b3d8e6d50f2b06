// RUN: mm01-opt %s -mm01-expand-exponentials -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @exp
// CHECK: %[[X:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: math.exp2 %[[X]]
func.func @exp(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// A tile of registers too.
// CHECK-LABEL: func.func @log
// CHECK: %[[Y:.*]] = math.log2 %{{.*}} : tensor<64x64xf32>
// CHECK: arith.mulf %[[Y]], %{{.*}} : tensor<64x64xf32>
func.func @log(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = math.log %x : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// Near 0 the series of five terms, away from it the difference.
// CHECK-LABEL: func.func @expm1
// CHECK-COUNT-4: math.fma
// CHECK: math.exp2
// CHECK: arith.subf
// CHECK: arith.select
func.func @expm1(%x: f32) -> f32 {
  %y = math.expm1 %x : f32
  return %y : f32
}

// What the device has stays.
// CHECK-LABEL: func.func @kept
// CHECK: math.rsqrt
// CHECK: math.fma
func.func @kept(%x: f32) -> f32 {
  %y = math.rsqrt %x : f32
  %z = math.fma %x, %y, %y : f32
  return %z : f32
}

// -----

func.func @sin(%x: f32) -> f32 {
  // expected-error @+1 {{'math.sin' op has no form that the device computes}}
  %y = math.sin %x : f32
  return %y : f32
}
