// RUN: mm01-opt %s -mm01-expand-arith | FileCheck %s

// CHECK-LABEL: func.func @rounding_divisions
// CHECK-NOT: arith.ceildiv
// CHECK-NOT: arith.floordiv
func.func @rounding_divisions(%a: index, %b: index) -> (index, index, index) {
  %0 = arith.ceildivui %a, %b : index
  %1 = arith.ceildivsi %a, %b : index
  %2 = arith.floordivsi %a, %b : index
  return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: func.func @narrow_floats
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
func.func @narrow_floats(%a: bf16, %b: f16, %c: f32) -> (f32, f32, bf16) {
  %0 = arith.extf %a : bf16 to f32
  %1 = arith.extf %b : f16 to f32
  %2 = arith.truncf %c : f32 to bf16
  return %0, %1, %2 : f32, f32, bf16
}

// Widening to float64 is an instruction of every level.
// CHECK-LABEL: func.func @wide
// CHECK: arith.extf %{{.*}} : f32 to f64
func.func @wide(%a: f32) -> f64 {
  %0 = arith.extf %a : f32 to f64
  return %0 : f64
}

// Narrowing to f16 needs no function either.
// CHECK-LABEL: func.func @to_half
// CHECK-NOT: arith.truncf
func.func @to_half(%a: f32) -> f16 {
  %0 = arith.truncf %a : f32 to f16
  return %0 : f16
}

// What x86 traps on is kept from it, where the divisor is not known to be harmless.
// CHECK-LABEL: func.func @unknown_divisors
// CHECK-SAME: (%[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK: %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[B]]
// CHECK: arith.divsi %[[A]], %[[SAFE]]
// CHECK: arith.select
// CHECK: %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[B]]
// CHECK: arith.remui %[[A]], %[[SAFE]]
func.func @unknown_divisors(%a: i32, %b: i32) -> (i32, i32) {
  %0 = arith.divsi %a, %b : i32
  %1 = arith.remui %a, %b : i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: func.func @known_divisor
// CHECK-NOT: arith.select
func.func @known_divisor(%a: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %0 = arith.divsi %a, %c3 : i32
  return %0 : i32
}
