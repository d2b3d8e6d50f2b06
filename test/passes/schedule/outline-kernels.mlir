// RUN: mm01-opt %s -split-input-file -mm01-outline-kernels -verify-diagnostics | FileCheck %s

// The grid is a product, constants are made again, the second extent is captured to take the workgroup apart.
// CHECK-LABEL: func.func @two_dimensions
// CHECK-SAME: (%[[X:.*]]: memref<?x?xf32>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: %[[GRID:.*]] = arith.muli %[[M]], %[[N]]
// CHECK: exec.launch @two_dimensions.clear grid(%[[GRID]]) (%[[X]], %[[N]]) : memref<?x?xf32>, index
// CHECK-LABEL: func.func private @two_dimensions.clear
// CHECK-SAME: (%[[WG:.*]]: index, %[[KX:.*]]: memref<?x?xf32>, %[[KN:.*]]: index) attributes {exec.kernel}
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00
// CHECK: %[[J:.*]] = arith.remui %[[WG]], %[[KN]]
// CHECK: %[[I:.*]] = arith.divui %[[WG]], %[[KN]]
// CHECK: memref.store %[[ZERO]], %[[KX]][%[[I]], %[[J]]]
func.func @two_dimensions(%x: memref<?x?xf32>, %m: index, %n: index) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i, %j) in (%m, %n) {
    memref.store %zero, %x[%i, %j] : memref<?x?xf32>
  } {mm01.kernel = "clear"}
  return
}

// -----

// Equal kernels of different functions are one; a different constant makes another.
// CHECK-LABEL: func.func @first
// CHECK: exec.launch @first.set
func.func @first(%x: memref<?xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  scf.forall (%i) in (%n) {
    memref.store %one, %x[%i] : memref<?xf32>
  } {mm01.kernel = "set"}
  return
}
// CHECK-LABEL: func.func @second
// CHECK: exec.launch @first.set
// CHECK: exec.launch @second.kernel grid
func.func @second(%y: memref<?xf32>, %m: index) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  scf.forall (%i) in (%m) {
    memref.store %one, %y[%i] : memref<?xf32>
  } {mm01.kernel = "set"}
  scf.forall (%i) in (%m) {
    memref.store %two, %y[%i] : memref<?xf32>
  }
  return
}
// CHECK: func.func private @first.set
// CHECK: func.func private @second.kernel
// CHECK-NOT: func.func

// -----

// Two loops of one name in one function get names of their own.
// CHECK-LABEL: func.func @names
// CHECK: exec.launch @names.set grid
// CHECK: exec.launch @names.set_0 grid
func.func @names(%x: memref<?xf32>, %n: index, %v: f32) {
  scf.forall (%i) in (%n) {
    memref.store %v, %x[%i] : memref<?xf32>
  } {mm01.kernel = "set"}
  scf.forall (%i) in (%n) {
    memref.store %v, %x[%n] : memref<?xf32>
  } {mm01.kernel = "set"}
  return
}

// -----

// Two views of one buffer are made again in the kernel, which takes the buffer once, and the view's offset.
// CHECK-LABEL: func.func @views
// CHECK-SAME: (%[[X:.*]]: memref<64xf32>, %[[N:.*]]: index)
// CHECK: exec.launch @views.copy grid({{.*}}) (%[[X]], %[[N]]) : memref<64xf32>, index
// CHECK-LABEL: func.func private @views.copy
// CHECK-COUNT-2: memref.subview
func.func @views(%x: memref<64xf32>, %n: index) {
  %low = memref.subview %x[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %high = memref.subview %x[%n] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
  scf.forall (%i) in (32) {
    %v = memref.load %low[%i] : memref<32xf32, strided<[1]>>
    memref.store %v, %high[%i] : memref<32xf32, strided<[1], offset: ?>>
  } {mm01.kernel = "copy"}
  return
}

// -----

func.func @not_normalised(%x: memref<?xf32>, %n: index, %v: f32) {
  // expected-error @+1 {{expected a loop from 0 in steps of 1}}
  scf.forall (%i) = (1) to (%n) step (1) {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @not_bufferized(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has tensor outputs, expected a bufferized loop}}
  %y = scf.forall (%i) in (4) shared_outs(%o = %x) -> tensor<4xf32> {
    scf.forall.in_parallel {
    }
  }
  return %y : tensor<4xf32>
}

// -----

func.func private @callee() {
  return
}
func.func @calls(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error @+1 {{kernel calls callee, expected its body in place of the call}}
    func.call @callee() : () -> ()
  }
  return
}

// -----

// For which sequences a loop is, its launch is.
// CHECK-LABEL: func.func @decode
// CHECK: exec.launch @decode.kernel grid(%{{.*}}) (%{{.*}}, %{{.*}}) {exec.sequences = #exec.sequences<single>} : !mm01.ragged, memref<?xindex>
func.func @decode(%r: !mm01.ragged, %x: memref<?xindex>, %n: index) {
  scf.forall (%i) in (%n) {
    %past = mm01.ragged_get %r past[%i]
    memref.store %past, %x[%i] : memref<?xindex>
  } {exec.sequences = #exec.sequences<single>}
  return
}
