// RUN: mm01-opt %s -split-input-file -mm01-place-results -verify-diagnostics | FileCheck %s

// A buffer of the function becomes the result's memory, an argument is tied, both keep their positions.
// CHECK-LABEL: func.func @fresh_and_tied
// CHECK-SAME: (%[[N:.*]]: index, %{{.*}}: memref<4xf32>)
// CHECK-SAME: exec.results = [#exec.fresh<"logits" : memref<?xf32>>, #exec.tied<1>]
// CHECK-NEXT: exec.result 0(%[[N]]) : memref<?xf32>
// CHECK-NEXT: return
func.func @fresh_and_tied(%n: index, %s: memref<4xf32>) -> (memref<?xf32> {mm01.role = "logits"}, memref<4xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  return %a, %s : memref<?xf32>, memref<4xf32>
}

// -----

// A view, and the same buffer a second time, are copied.
// CHECK-LABEL: func.func @copied
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>)
// CHECK: %[[A:.*]] = exec.result 1() : memref<4xf32>
// CHECK: %[[VIEW:.*]] = memref.expand_shape %[[X]]
// CHECK: %[[FIRST:.*]] = exec.result 0() : memref<2x2xf32>
// CHECK: memref.copy %[[VIEW]], %[[FIRST]]
// CHECK: %[[THIRD:.*]] = exec.result 2() : memref<4xf32>
// CHECK: memref.copy %[[A]], %[[THIRD]]
func.func @copied(%x: memref<4xf32>) -> (memref<2x2xf32>, memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %view = memref.expand_shape %x [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  return %view, %a, %a : memref<2x2xf32>, memref<4xf32>, memref<4xf32>
}

// -----

// An argument is tied to one result; the second is a copy of it.
// CHECK-LABEL: func.func @argument_twice
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>)
// CHECK-SAME: exec.results = [#exec.tied<0>, #exec.fresh<"" : memref<4xf32>>]
// CHECK: %[[COPY:.*]] = exec.result 1() : memref<4xf32>
// CHECK: memref.copy %[[X]], %[[COPY]]
func.func @argument_twice(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  return %x, %x : memref<4xf32>, memref<4xf32>
}

// -----

// Results of private functions that are arguments go away, through two levels of calls; indices stay.
// CHECK-LABEL: func.func private @inner(%{{.*}}: memref<4xf32>) -> index
func.func private @inner(%x: memref<4xf32>) -> (memref<4xf32>, index) {
  %c0 = arith.constant 0 : index
  return %x, %c0 : memref<4xf32>, index
}
// CHECK-LABEL: func.func private @outer(%{{.*}}: memref<4xf32>) {
func.func private @outer(%x: memref<4xf32>) -> memref<4xf32> {
  %y, %i = call @inner(%x) : (memref<4xf32>) -> (memref<4xf32>, index)
  return %y : memref<4xf32>
}
// CHECK-LABEL: func.func @chain
// CHECK-SAME: exec.results = [#exec.tied<0>]
func.func @chain(%x: memref<4xf32>) -> memref<4xf32> {
  %y = call @outer(%x) : (memref<4xf32>) -> memref<4xf32>
  return %y : memref<4xf32>
}

// -----

func.func private @own_buffer() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  // expected-error @+1 {{private function own_buffer returns a buffer of its own}}
  return %a : memref<4xf32>
}

// -----

func.func @scalar_result(%n: index) -> index {
  // expected-error @+1 {{result 0 of public function scalar_result has type 'index', expected a tensor}}
  return %n : index
}

// -----

func.func private @recursive() {
  // expected-error @+1 {{programs have no recursion}}
  call @recursive() : () -> ()
  return
}
