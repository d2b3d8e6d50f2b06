// RUN: mm01-opt %s -split-input-file -mm01-fuse-launches | FileCheck %s

// Two grids, one after another; each part takes its workgroup's number apart by its own extents.
// CHECK-LABEL: func.func @independent
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: memref<?x8xf32>, %[[Y:.*]]: memref<4xf32>
// CHECK: %[[FIRST:.*]] = arith.muli %[[N]], %{{.*}} : index
// CHECK: %[[GRID:.*]] = arith.addi %[[FIRST]], %{{.*}} : index
// CHECK: scf.forall (%[[W:.*]]) in (%[[GRID]])
// CHECK: %[[MINE:.*]] = arith.cmpi ult, %[[W]], %[[FIRST]]
// CHECK: scf.if %[[MINE]]
// CHECK: %[[J:.*]] = arith.remui %[[W]]
// CHECK: %[[I:.*]] = arith.divui %[[W]]
// CHECK: memref.store %{{.*}}, %[[X]][%[[I]], %[[J]]]
// CHECK: else
// CHECK: %[[K:.*]] = arith.subi %[[W]], %[[FIRST]]
// CHECK: memref.store %{{.*}}, %[[Y]][%[[K]]]
// CHECK: mm01.kernel = "first|second"
// CHECK-NOT: scf.forall
func.func @independent(%n: index, %x: memref<?x8xf32>, %y: memref<4xf32>, %v: f32) {
  scf.forall (%i, %j) in (%n, 8) {
    memref.store %v, %x[%i, %j] : memref<?x8xf32>
  } {mapping = [#gpu.block<x>, #gpu.block<y>], mm01.kernel = "first"}
  scf.forall (%i) in (4) {
    memref.store %v, %y[%i] : memref<4xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "second"}
  return
}

// -----

// It joins the first that it can, over one that has to wait, with the buffer that it writes.
// CHECK-LABEL: func.func @first_of_three
// CHECK: memref.alloc
// CHECK: mm01.kernel = "a|c"
// CHECK: mm01.kernel = "b"
func.func @first_of_three(%x: memref<8xf32>, %y: memref<8xf32>, %v: f32) {
  scf.forall (%i) in (8) {
    memref.store %v, %x[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "a"}
  scf.forall (%i) in (8) {
    %s = memref.load %x[%i] : memref<8xf32>
    memref.store %s, %y[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "b"}
  %z = memref.alloc() : memref<8xf32>
  scf.forall (%i) in (8) {
    memref.store %v, %z[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "c"}
  return
}

// -----

// One reads what the other writes, through a view.
// CHECK-LABEL: func.func @reads_what_is_written
// CHECK-COUNT-2: scf.forall
func.func @reads_what_is_written(%x: memref<8xf32>, %y: memref<4xf32>, %v: f32) {
  scf.forall (%i) in (8) {
    memref.store %v, %x[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "a"}
  %s = memref.subview %x[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  scf.forall (%i) in (4) {
    %e = memref.load %s[%i] : memref<4xf32, strided<[1], offset: 4>>
    memref.store %e, %y[%i] : memref<4xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "b"}
  return
}

// -----

// One writes what the other reads; both write the same.
// CHECK-LABEL: func.func @writes_what_is_read
// CHECK-COUNT-3: scf.forall
func.func @writes_what_is_read(%x: memref<8xf32>, %y: memref<8xf32>, %v: f32) {
  scf.forall (%i) in (8) {
    %e = memref.load %x[%i] : memref<8xf32>
    memref.store %e, %y[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "a"}
  scf.forall (%i) in (8) {
    memref.store %v, %x[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "b"}
  scf.forall (%i) in (8) {
    memref.store %v, %x[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "c"}
  return
}

// -----

// What a call does to memory is not known.
// CHECK-LABEL: func.func @over_a_call
// CHECK: scf.forall
// CHECK: call
// CHECK: scf.forall
func.func private @other()
func.func @over_a_call(%x: memref<8xf32>, %y: memref<8xf32>, %v: f32) {
  scf.forall (%i) in (8) {
    memref.store %v, %x[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "a"}
  call @other() : () -> ()
  scf.forall (%i) in (8) {
    memref.store %v, %y[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "b"}
  return
}

// -----

// The second grid is what a load gives: it cannot be made earlier.
// CHECK-LABEL: func.func @late_operand
// CHECK: scf.forall
// CHECK: memref.load
// CHECK: scf.forall
func.func @late_operand(%x: memref<8xf32>, %y: memref<8xf32>, %sizes: memref<1xindex>, %v: f32) {
  %zero = arith.constant 0 : index
  scf.forall (%i) in (8) {
    memref.store %v, %x[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "a"}
  %n = memref.load %sizes[%zero] : memref<1xindex>
  scf.forall (%i) in (%n) {
    memref.store %v, %y[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "b"}
  return
}

// -----

// The module wants other fusions.
// CHECK-LABEL: func.func @off
// CHECK-COUNT-2: scf.forall
module attributes {mm01.fusion = ["rows"]} {
  func.func @off(%x: memref<8xf32>, %y: memref<8xf32>, %v: f32) {
    scf.forall (%i) in (8) {
      memref.store %v, %x[%i] : memref<8xf32>
    } {mapping = [#gpu.block<x>], mm01.kernel = "a"}
    scf.forall (%i) in (8) {
      memref.store %v, %y[%i] : memref<8xf32>
    } {mapping = [#gpu.block<x>], mm01.kernel = "b"}
    return
  }
}

// -----

// Nobody writes a weight or its scales: two kernels may read them.
// CHECK-LABEL: func.func @weights
// CHECK: mm01.kernel = "a|b"
func.func @weights(%w: !mm01.weight<1x8x8xi8>, %x: memref<8xf32>, %y: memref<8xf32>) {
  %zero = arith.constant 0 : index
  scf.forall (%i) in (8) {
    %s = exec.weight_scales %w[%zero] : !mm01.weight<1x8x8xi8> -> memref<8xf32>
    %e = memref.load %s[%i] : memref<8xf32>
    memref.store %e, %x[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "a"}
  scf.forall (%i) in (8) {
    %p = exec.weight_part %w[%zero] : !mm01.weight<1x8x8xi8> -> memref<8x8xi8>
    %q = memref.load %p[%i, %zero] : memref<8x8xi8>
    %e = arith.sitofp %q : i8 to f32
    memref.store %e, %y[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>], mm01.kernel = "b"}
  return
}
