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
